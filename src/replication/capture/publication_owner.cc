#include "replication/capture/publication_owner.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace walduct::replication {
namespace {

// Of what says itself that others may read by it, or has the statement last.
bool SaysOfOthers(const CaptureFinding& finding) {
  return finding.reason == "publication_sends_more" || finding.reason == "captured_table_renamed";
}

// Rows of the tables that the publication did not send.
bool LacksRows(const CaptureFinding& finding) {
  return finding.reason == "publication_lacks_tables" ||
         finding.reason == "publication_without_partitions";
}

}  // namespace

void TellWhose(const CaptureFacts& facts, const CaptureWish& wish, const CaptureMemory& memory,
               const PublicationFacts& own, CaptureFinding* finding) {
  if (!own.exists || !absl::StrContains(finding->statement, "ALTER PUBLICATION ")) return;
  finding->of_others = !SaysOfOthers(*finding) && wish.publications_of_others.contains(own.name);
  // Of several slots each one's has a number behind the name that is configured.
  const bool several = facts.publications.size() > 1;
  const auto before = facts.names.find(memory.read_by);
  if (several || before == facts.names.end() || memory.read_by == own.oid) return;
  finding->read_before = before->second;
}

std::string WithOwner(const std::vector<const CaptureFinding*>& of_one_reason,
                      const CaptureWish& wish, const std::string& snapshots, std::string hint) {
  const auto one =
      std::find_if(of_one_reason.begin(), of_one_reason.end(), [](const CaptureFinding* finding) {
        return finding->of_others || !finding->read_before.empty();
      });
  if (one == of_one_reason.end()) return hint;
  const CaptureFinding& finding = **one;
  if (finding.read_before.empty()) {
    return absl::StrCat(
        "another connector reads by this publication: if that is not meant, give this one a "
        "publication.name of its own ",
        names::WithConfiguration(wish.called), "; only where both are to read by it: ", hint);
  }
  std::string back = absl::StrCat(
      "publication.name was ", finding.read_before,
      ", by which the stored position was read, and which is there: ",
      names::SetCommand(wish.called, absl::StrCat("publication.name=", finding.read_before)));
  if (LacksRows(finding)) {
    absl::StrAppend(&back, "; what was written meanwhile does not come: ", snapshots);
  }
  return absl::StrCat(back, "; only where the other name is meant",
                      finding.of_others ? ", by which another connector reads" : "", ": ", hint);
}

}  // namespace walduct::replication
