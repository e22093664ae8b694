#include "tests/simulation/stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {

using replication::WalFrame;

Stream::Stream(World* world, Process* process, std::shared_ptr<Walsender> session,
               const event::Position& start)
    : world_(*world),
      process_(*process),
      walsender_(std::move(session)),
      start_(std::max(start.commit_end, world->slot).value()),
      event_lsn_(world->defect == Defect::kResumeByEventLsn ? start.change_lsn.value() : 0),
      timeline_(world->database.timeline()) {
  walsender_->streams = true;
  walsender_->heard = world->time.Monotonic();
  walsender_->fd = world->time.NewDescriptor();
  world->time.SetReadable(walsender_->fd, true);
  world->walsender = walsender_;
  WatchWalsender(world, walsender_);
  world->Note(absl::StrCat("stream from ", Lsn(start_).ToString()));
}

Stream::~Stream() { world_.Close(walsender_); }

void Stream::WatchWalsender(World* world, const std::shared_ptr<Walsender>& walsender) {
  world->time.After(absl::Seconds(1), [world, walsender] {
    if (world->walsender != walsender || walsender->ended) return;
    const absl::Duration now = world->time.Monotonic();
    if (!walsender->process->runs()) {
      if (now - walsender->heard > world->policy.wal_sender_timeout)
        return world->Terminate(walsender);
    } else if (now - std::max(walsender->heard, walsender->process->stands_until()) >
               world->policy.wal_sender_timeout) {
      world->ledger.Break("the server has not heard of an instance that runs");
    }
    WatchWalsender(world, walsender);
  });
}

absl::StatusOr<WalFrame> Stream::Next() {
  if (process_.Step("Next")) return Dead();
  if (walsender_->terminated) {
    if (!lost_ && timeline_ == world_.database.timeline()) buffered_ = world_.random.Below(20);
    lost_ = true;
  }
  if (!lost_ && world_.Happens(Fault::kDisconnect)) {
    lost_ = walsender_->ended = true;
    world_.Release(walsender_, absl::Milliseconds(500));
  }
  if (lost_ && (buffered_ == 0 || !SkipOld())) return absl::UnavailableError("connection lost");
  if (lost_) {
    --buffered_;
    return Transaction();
  }
  if (!planted_.empty()) {
    const WalFrame frame = planted_.front();
    planted_.pop_front();
    return frame;
  }
  if (reply_wanted_ || world_.random.OneIn(20)) return Keepalive();
  // The socket has nothing just now.
  if (world_.random.OneIn(10)) {
    world_.time.SetReadable(walsender_->fd, false);
    world_.time.After(world_.random.UpTo(absl::Milliseconds(50)),
                      [time = &world_.time, fd = walsender_->fd] { time->SetReadable(fd, true); });
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
  world_.time.SetReadable(walsender_->fd, false);
  const auto& all = world_.database.transactions();
  if (next_ == all.size()) return;
  world_.time.After(all[next_].committed - world_.time.Monotonic(),
                    [time = &world_.time, fd = walsender_->fd] { time->SetReadable(fd, true); });
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
  if (transaction.signal && part_ != Part::kCommit) return SignalOf(transaction);
  if (part_ == Part::kBegin) {
    part_ = Part::kChanges;
    change_ = 0;
    world_.Note(
        absl::StrCat("sent: t", transaction.serial, ", ", transaction.changes.size(), " changes"));
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
  if (change.lsn <= event_lsn_) return WalFrame{};
  return Message(change.lsn, Database::Message(change));
}

WalFrame Stream::SignalOf(const simulation::Transaction& transaction) {
  const uint64_t lsn = transaction.final_lsn - 1;
  if (part_ == Part::kBegin) {
    part_ = Part::kChanges;
    change_ = 0;
    world_.Note(absl::StrCat("sent: ", transaction.signal->id, " ", transaction.signal->type));
    return Message(lsn, test::BeginBytes(transaction.final_lsn, Database::CommitTimeUs(transaction),
                                         transaction.xid));
  }
  if (announced_.insert(kTables).second)
    return Message(0, test::RelationBytes(Database::Relation(kTables)));
  part_ = Part::kCommit;
  return Message(lsn, Database::Message(*transaction.signal));
}

// Between transactions its end may be anything up to the next commit record. Inside one it says
// nothing about what is behind, whatever it is.
WalFrame Stream::Keepalive() {
  reply_wanted_ = false;
  const auto& all = world_.database.transactions();
  uint64_t end = next_ == 0 ? start_ : std::max(start_, all[next_ - 1].end_lsn);
  if (part_ != Part::kBegin) {
    if (world_.random.OneIn(2)) end = std::max(end, all[next_].end_lsn);
  } else if (next_ < all.size() && all[next_].final_lsn > end &&
             all[next_].committed <= world_.time.Monotonic()) {
    // Decoded already, though not sent: only as far as it is known.
    end += world_.random.Below(all[next_].final_lsn - end + 1);
  }
  if (world_.defect == Defect::kAdvanceInFlight && part_ == Part::kBegin)
    process_.keepalive_counts = true;
  if (world_.defect == Defect::kAdvanceInTransaction && part_ == Part::kChanges && change_ > 0)
    return SplitTransaction(all[next_].end_lsn);
  return {.kind = WalFrame::Kind::kKeepalive,
          .start = {},
          .wal_end = Lsn(end),
          .reply_requested = world_.random.OneIn(4),
          .payload = {}};
}

// Planted: as if the keepalive were the end of the transaction.
WalFrame Stream::SplitTransaction(uint64_t end) {
  const simulation::Transaction& transaction = world_.database.transactions()[next_];
  const int64_t time = Database::CommitTimeUs(transaction);
  planted_payloads_.push_back(test::BeginBytes(transaction.final_lsn, time, transaction.xid));
  planted_.push_back({.kind = WalFrame::Kind::kData,
                      .start = Lsn(transaction.changes[0].lsn),
                      .wal_end = Lsn(end),
                      .reply_requested = false,
                      .payload = planted_payloads_.back()});
  return Message(end, test::CommitBytes(transaction.final_lsn, end, time));
}

absl::Status Stream::SendStatus(Lsn received, Lsn flushed, bool reply_requested) {
  if (process_.Step("SendStatus")) return Dead();
  if (lost_ || walsender_->ended) return absl::UnavailableError("connection lost");
  if (world_.defect == Defect::kConfirmBeforeSave) flushed = std::max(flushed, received);
  walsender_->heard = world_.time.Monotonic();
  if (flushed < flushed_) world_.ledger.Break("what was confirmed went back");
  flushed_ = flushed;
  world_.ledger.OnConfirmed(flushed);
  world_.slot = std::max(world_.slot, flushed);
  if (reply_requested) {
    reply_wanted_ = true;
    world_.time.SetReadable(walsender_->fd, true);
  }
  return absl::OkStatus();
}

}  // namespace walduct::simulation
