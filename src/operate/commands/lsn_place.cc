#include "operate/commands/lsn_place.h"

#include "absl/strings/str_cat.h"

namespace walduct::operate {
namespace {

std::string Between(Lsn from, Lsn to) { return absl::StrCat(to.value() - from.value(), " bytes"); }

bool ReachedBy(const std::optional<Lsn>& mark, Lsn lsn) { return mark && lsn <= *mark; }

// What counts of a change is where its transaction ends.
Lsn Decisive(const LsnFacts& facts) {
  return facts.transaction && facts.transaction->commit ? *facts.transaction->commit : facts.lsn;
}

std::string Place(const LsnFacts& facts) {
  const Lsn lsn = Decisive(facts);
  if (facts.wal_end && lsn > *facts.wal_end) {
    return absl::StrCat("not written: the server's WAL ends ", Between(*facts.wal_end, lsn),
                        " before it");
  }
  if (ReachedBy(facts.confirmed, lsn)) {
    return "confirmed: what was committed up to there is published, its position stored, and the "
           "server told so";
  }
  if (ReachedBy(facts.stored, lsn)) {
    return "stored: what was committed up to there is published and its position stored; the "
           "server is told next, and only keeps WAL for it until then";
  }
  if (ReachedBy(facts.received, lsn)) {
    return "in flight: received, and not all of it acknowledged by Kafka and stored yet; after a "
           "crash it is sent again";
  }
  const std::optional<Lsn>& reached = facts.received ? facts.received : facts.stored;
  if (!reached) return "unknown: nobody knows how far the connector has come";
  return absl::StrCat("behind: the connector has still to read ", Between(*reached, lsn),
                      " of WAL until there");
}

std::string TransactionText(const LsnTransaction& transaction) {
  return absl::StrCat("transaction ", ToInteger(transaction.xid), " (", transaction.record, "), ",
                      transaction.commit
                          ? absl::StrCat("committed at ", transaction.commit->ToString())
                          : "whose commit was not found: it runs, was rolled back, or is a "
                            "subtransaction");
}

void Line(absl::string_view label, const std::optional<Lsn>& lsn, std::string* out) {
  if (lsn && lsn->valid()) absl::StrAppend(out, "  ", label, " ", lsn->ToString(), "\n");
}

// A process that goes on was asked before the store: what is stored by now it has received.
LsnFacts InOrder(LsnFacts facts) {
  if (facts.received && facts.stored && *facts.received < *facts.stored)
    facts.received = facts.stored;
  return facts;
}

}  // namespace

std::string ExplainLsn(const LsnFacts& asked) {
  const LsnFacts facts = InOrder(asked);
  std::string out = absl::StrCat(facts.lsn.ToString(), " is ", Place(facts), "\n");
  if (facts.transaction) {
    absl::StrAppend(&out, "  in ", TransactionText(*facts.transaction), "\n");
  } else {
    absl::StrAppend(&out,
                    "  as the end of a commit; a change there goes with its transaction, which may "
                    "have ended later\n");
  }
  if (facts.kept_from && facts.kept_from->valid() && facts.lsn < *facts.kept_from)
    absl::StrAppend(&out, "  its WAL is no longer kept for the slot\n");
  Line("slot keeps WAL from ", facts.kept_from, &out);
  Line("slot confirmed      ", facts.confirmed, &out);
  Line("position stored     ", facts.stored, &out);
  Line("process received    ", facts.received, &out);
  Line("server's WAL ends at", facts.wal_end, &out);
  return out;
}

}  // namespace walduct::operate
