#include "slot/in_progress/replay.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/status_macros.h"
#include "pgoutput/message_kind.h"

namespace walduct::slot {
namespace {

using pgoutput::MessageKind;
using replication::WalFrame;

MessageKind KindOf(absl::string_view message) { return static_cast<MessageKind>(message.front()); }

bool IsChange(absl::string_view message) {
  const MessageKind kind = KindOf(message);
  return kind != MessageKind::kRelation && kind != MessageKind::kType &&
         kind != MessageKind::kOrigin;
}

// Begin and Commit of protocol 1 for a transaction that was streamed, from its StreamCommit.

// 2000-01-01 00:00:00 UTC, PostgreSQL's epoch.
constexpr int64_t kEpochUnixUs = 946'684'800'000'000;

void Append(std::string& out, uint64_t value, int size) {
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>((value >> shift) & 0xff));
}

void AppendTime(std::string& out, int64_t unix_us) {
  Append(out, static_cast<uint64_t>(unix_us) - static_cast<uint64_t>(kEpochUnixUs), 8);
}

// 'B' final_lsn:u64 commit_time:i64 xid:u32
std::string MakeBegin(const pgoutput::StreamCommitMessage& commit) {
  std::string out(1, static_cast<char>(pgoutput::MessageKind::kBegin));
  Append(out, commit.commit_lsn.value(), 8);
  AppendTime(out, commit.commit_time_us);
  Append(out, ToInteger(commit.xid), 4);
  return out;
}

// 'C' flags:u8(0) commit_lsn:u64 end_lsn:u64 commit_time:i64
std::string MakeCommit(const pgoutput::StreamCommitMessage& commit) {
  std::string out(1, static_cast<char>(pgoutput::MessageKind::kCommit));
  Append(out, 0, 1);
  Append(out, commit.commit_lsn.value(), 8);
  Append(out, commit.end_lsn.value(), 8);
  AppendTime(out, commit.commit_time_us);
  return out;
}

// Messages that were rolled back, a call.
constexpr int kMaxSkipped = 64;

WalFrame Kept() {
  WalFrame frame;
  frame.kind = WalFrame::Kind::kKept;
  return frame;
}

WalFrame Frame(Lsn start, absl::string_view payload) {
  return {.kind = WalFrame::Kind::kData,
          .start = start,
          .wal_end = start,
          .reply_requested = false,
          .payload = payload};
}

}  // namespace

Replay::Replay(TransactionInProgress transaction, const pgoutput::StreamCommitMessage& commit,
               AnnouncedRelations* announced)
    : reader_(std::move(transaction.messages)),
      rolled_back_(std::move(transaction.rolled_back)),
      commit_(commit),
      announced_(*announced) {}

absl::StatusOr<WalFrame> Replay::Next() {
  Found found = Found::kMessage;
  if (state_ == State::kBefore) {
    ASSIGN_OR_RETURN(found, FindFirstChange());
    if (found == Found::kNothingYet) return Kept();
    Open();
  }
  if (state_ == State::kOpening) {
    if (opened_ < opening_.size()) return NextOfOpening();
    opening_.clear();
    state_ = has_change_ ? State::kChanges : State::kDone;
    if (has_change_) return NextChange();
  }
  if (state_ == State::kDone) return WalFrame{};
  ASSIGN_OR_RETURN(found, Read());
  if (found == Found::kNothingYet) return Kept();
  if (found == Found::kMessage) return NextChange();
  state_ = State::kDone;
  return Commit();
}

// The next message that was not rolled back. Messages come in runs of one sub-transaction.
absl::StatusOr<Replay::Found> Replay::Read() {
  for (int i = 0; i < kMaxSkipped; ++i) {
    ASSIGN_OR_RETURN(const bool read, reader_.Next(message_));
    if (!read) return Found::kEnd;
    const uint32_t xid = ToInteger(message_.xid);
    if (xid != last_xid_) {
      last_xid_ = xid;
      last_rolled_back_ = std::binary_search(rolled_back_.begin(), rolled_back_.end(), xid);
    }
    if (!last_rolled_back_) return Found::kMessage;
  }
  return Found::kNothingYet;
}

// Collects what comes before it.
absl::StatusOr<Replay::Found> Replay::FindFirstChange() {
  while (true) {
    ASSIGN_OR_RETURN(const Found found, Read());
    if (found != Found::kMessage) return found;
    has_change_ = IsChange(message_.bytes);
    if (has_change_) return Found::kMessage;
    const MessageKind kind = KindOf(message_.bytes);
    has_origin_ = has_origin_ || kind == MessageKind::kOrigin;
    if (kind == MessageKind::kRelation) announced_.OnReplayed(message_.number, message_.bytes);
    opening_.emplace_back(message_.bytes);
  }
}

void Replay::Open() {
  state_ = State::kOpening;
  if (has_change_) {
    opening_.insert(opening_.begin(), MakeBegin(commit_));
    return;
  }
  // Nothing to publish; what was said of relations holds all the same.
  const auto says_nothing = [](const std::string& message) {
    return KindOf(message) != MessageKind::kRelation;
  };
  opening_.erase(std::remove_if(opening_.begin(), opening_.end(), says_nothing), opening_.end());
}

// A server sends Begin with the first change: at its LSN, or at 0/0 when an origin follows.
WalFrame Replay::NextOfOpening() {
  const bool at_change = opened_ == 0 && has_change_ && !has_origin_;
  return Frame(at_change ? Lsn(message_.number) : Lsn(), opening_[opened_++]);
}

WalFrame Replay::NextChange() {
  if (IsChange(message_.bytes)) return Frame(Lsn(message_.number), message_.bytes);
  if (KindOf(message_.bytes) == MessageKind::kRelation)
    announced_.OnReplayed(message_.number, message_.bytes);
  return Frame(Lsn(), message_.bytes);
}

WalFrame Replay::Commit() {
  made_ = MakeCommit(commit_);
  return Frame(commit_.end_lsn, made_);
}

}  // namespace walduct::slot
