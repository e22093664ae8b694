#include "tests/simulation/stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::simulation {

using replication::WalFrame;

Stream::Stream(World* world, Lsn start)
    : world_(*world),
      fd_(world->time.NewDescriptor()),
      start_(std::max(start.value(), world->database.confirmed_flush)) {}

absl::StatusOr<WalFrame> Stream::Next() {
  if (world_.Crash("Next")) return Dead();
  if (!lost_ && world_.Happens(world_.faults.disconnect)) {
    world_.Note("disconnect");
    lost_ = true;
  }
  if (lost_) return absl::UnavailableError("connection lost");
  if (reply_wanted_ || world_.random.OneIn(20)) return Keepalive();
  // The socket has nothing just now.
  if (world_.random.OneIn(10)) {
    world_.time.SetReadable(fd_, false);
    world_.time.After(world_.random.UpTo(absl::Milliseconds(50)),
                      [time = &world_.time, fd = fd_] { time->SetReadable(fd, true); });
    return WalFrame{};
  }
  if (!SkipOld()) {
    AwaitCommit();
    return WalFrame{};
  }
  return Transaction();
}

// The server's own test: where the commit record begins. False: nothing is committed that was not
// sent.
bool Stream::SkipOld() {
  const auto& all = world_.database.transactions();
  while (next_ < all.size() && part_ == Part::kBegin && all[next_].final_lsn < start_) ++next_;
  return next_ < all.size() && all[next_].committed <= world_.time.Monotonic();
}

void Stream::AwaitCommit() {
  world_.time.SetReadable(fd_, false);
  const auto& all = world_.database.transactions();
  if (next_ == all.size()) return;
  world_.time.After(all[next_].committed - world_.time.Monotonic(),
                    [time = &world_.time, fd = fd_] { time->SetReadable(fd, true); });
}

WalFrame Stream::Message(uint64_t lsn, std::string payload) {
  payload_ = std::move(payload);
  return {.kind = WalFrame::Kind::kData,
          .start = Lsn(lsn),
          .wal_end = Lsn(lsn),
          .reply_requested = false,
          .payload = payload_};
}

WalFrame Stream::Transaction() {
  const simulation::Transaction& transaction = world_.database.transactions()[next_];
  if (part_ == Part::kBegin) {
    part_ = Part::kChanges;
    change_ = 0;
    world_.Note(
        absl::StrCat("sent: transaction ", next_, ", ", transaction.changes.size(), " changes"));
    return Message(transaction.changes[0].lsn,
                   test::BeginBytes(transaction.final_lsn, Database::CommitTimeUs(transaction),
                                    transaction.xid));
  }
  if (part_ == Part::kCommit) {
    part_ = Part::kBegin;
    ++next_;
    return Message(transaction.end_lsn,
                   test::CommitBytes(transaction.final_lsn, transaction.end_lsn,
                                     Database::CommitTimeUs(transaction)));
  }
  const Change& change = transaction.changes[change_];
  // Anew now and then, as after an ANALYZE.
  if (!announced_.contains(change.table) || world_.random.OneIn(30)) {
    const bool first = announced_.insert(change.table).second;
    if (first || world_.random.OneIn(2))
      return Message(0, test::RelationBytes(Database::Relation(change.table)));
  }
  if (++change_ == transaction.changes.size()) part_ = Part::kCommit;
  return Message(change.lsn, Database::Message(change));
}

// Between transactions its end may be anything up to the next commit record. Inside one it says
// nothing about what is behind, whatever it is.
WalFrame Stream::Keepalive() {
  reply_wanted_ = false;
  const auto& all = world_.database.transactions();
  uint64_t end = next_ == 0 ? start_ : std::max(start_, all[next_ - 1].end_lsn);
  if (next_ < all.size() && all[next_].final_lsn > end) {
    // Decoded already, though not sent: only as far as it is known.
    const bool known = all[next_].committed <= world_.time.Monotonic() || part_ != Part::kBegin;
    if (known) end += world_.random.Below(all[next_].final_lsn - end + 1);
  }
  return {.kind = WalFrame::Kind::kKeepalive,
          .start = {},
          .wal_end = Lsn(end),
          .reply_requested = world_.random.OneIn(4),
          .payload = {}};
}

absl::Status Stream::SendStatus(Lsn /*received*/, Lsn flushed, bool reply_requested) {
  if (world_.Crash("SendStatus")) return Dead();
  if (lost_) return absl::UnavailableError("connection lost");
  world_.ledger.OnConfirmed(flushed);
  world_.database.confirmed_flush = std::max(world_.database.confirmed_flush, flushed.value());
  if (reply_requested) {
    reply_wanted_ = true;
    world_.time.SetReadable(fd_, true);
  }
  return absl::OkStatus();
}

}  // namespace walduct::simulation
