#include "slot/in_progress/streamed_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "pgoutput/decode.h"

namespace walduct::slot {
namespace {

using pgoutput::MessageKind;
using replication::WalFrame;

constexpr size_t kKindSize = 1;
constexpr size_t kXidSize = 4;
// What may stand in a block, the most frequent first.
constexpr std::array<MessageKind, 8> kOfBlocks = {
    MessageKind::kInsert,   MessageKind::kUpdate, MessageKind::kDelete,  MessageKind::kRelation,
    MessageKind::kTruncate, MessageKind::kType,   MessageKind::kMessage, MessageKind::kOrigin};

absl::Status Violation(MessageKind kind, absl::string_view what) {
  return Error(absl::StatusCode::kDataLoss, "protocol_violation",
               absl::StrCat("pgoutput ", pgoutput::KindName(kind), " message ", what));
}

absl::Status TooShort(MessageKind kind, size_t size) {
  return Error(absl::StatusCode::kDataLoss, "malformed_message",
               absl::StrCat("pgoutput ", pgoutput::KindName(kind), " message of ", size,
                            " bytes in a stream block: its xid reaches past the end"));
}

absl::Status TooManyRolledBack(uint32_t xid, size_t count) {
  return Error(absl::StatusCode::kFailedPrecondition, "spill_full",
               absl::StrCat("transaction ", xid, " has rolled back ", count,
                            " sub-transactions after they were received"),
               "set walduct.transaction.streaming=false: the server then sends the transaction "
               "after its commit, without them");
}

absl::Status MessagesUnclear(uint32_t xid) {
  return Error(
      absl::StatusCode::kUnavailable, "logical_messages_unclear",
      absl::StrCat("transaction ", xid,
                   " has logical messages, and while it was in progress the server did not "
                   "say to which savepoint they belong: it is received again as a whole, "
                   "now that it has committed"),
      "nothing to do; if it happens often, set walduct.transaction.streaming=false");
}

uint32_t XidOf(absl::string_view message) {
  uint32_t xid = 0;
  for (size_t i = kKindSize; i < kKindSize + kXidSize; ++i)
    xid = xid << 8 | static_cast<unsigned char>(message[i]);
  return xid;
}

}  // namespace

StreamedSource::StreamedSource(std::unique_ptr<replication::WalSource> source, const Parts& parts)
    : source_(std::move(source)), parts_(parts) {}

StreamedSource::~StreamedSource() {
  replay_.reset();
  open_.clear();
  CountOpen();
}

absl::StatusOr<WalFrame> StreamedSource::Next() {
  if (replay_ || !again_.empty()) {
    ASSIGN_OR_RETURN(WalFrame frame, NextOfReplay());
    frame.received_before = true;
    if (frame.kind != WalFrame::Kind::kNone) return frame;
  }
  ASSIGN_OR_RETURN(WalFrame frame, source_->Next());
  if (frame.kind != WalFrame::Kind::kData) return frame;
  ASSIGN_OR_RETURN(const bool kept, Take(frame));
  if (kept) frame.kind = WalFrame::Kind::kKept;
  return frame;
}

absl::Status StreamedSource::SendStatus(Lsn received, Lsn flushed, bool reply_requested) {
  return source_->SendStatus(received, flushed, reply_requested);
}

absl::StatusOr<WalFrame> StreamedSource::NextOfReplay() {
  if (replay_) {
    ASSIGN_OR_RETURN(const WalFrame frame, replay_->Next());
    if (frame.kind != WalFrame::Kind::kNone) return frame;
    replay_.reset();
    again_ = announced_.TakeSuperseded();
    said_ = 0;
    if (open_.empty()) announced_.Forget();
    CountOpen();
  }
  WalFrame frame;
  if (said_ == again_.size()) {
    again_.clear();
    return frame;
  }
  frame.kind = WalFrame::Kind::kData;
  frame.payload = again_[said_++];
  return frame;
}

absl::StatusOr<bool> StreamedSource::Take(const WalFrame& frame) {
  if (frame.payload.empty()) return false;
  const auto kind = static_cast<MessageKind>(frame.payload.front());
  if (block_) return TakeInBlock(frame, kind);
  if (kind == MessageKind::kRelation && !open_.empty()) announced_.OnSent(frame.payload);
  absl::Status taken;
  if (kind == MessageKind::kStreamStart) {
    taken = OnStreamStart(frame.payload);
  } else if (kind == MessageKind::kStreamCommit) {
    taken = OnStreamCommit(frame.payload);
  } else if (kind == MessageKind::kStreamAbort) {
    taken = OnStreamAbort(frame.payload);
  } else if (kind == MessageKind::kStreamStop) {
    taken = Violation(kind, "outside a stream block");
  } else {
    return false;
  }
  RETURN_IF_ERROR(taken);
  return true;
}

absl::StatusOr<bool> StreamedSource::TakeInBlock(const WalFrame& frame, MessageKind kind) {
  const bool ends = kind == MessageKind::kStreamStop;
  if (!ends && std::find(kOfBlocks.begin(), kOfBlocks.end(), kind) == kOfBlocks.end())
    return Violation(kind, "inside a stream block");
  RETURN_IF_ERROR(ends ? OnStreamStop(frame.payload) : Keep(frame, kind));
  return true;
}

// All but Origin carry an xid, which a message of protocol 1 lacks.
absl::Status StreamedSource::Keep(const WalFrame& frame, MessageKind kind) {
  absl::string_view rest = frame.payload;
  uint32_t xid = *block_;
  if (kind != MessageKind::kOrigin) {
    if (rest.size() < kKindSize + kXidSize) return TooShort(kind, rest.size());
    xid = XidOf(rest);
    rest.remove_prefix(kXidSize);
  }
  rest.remove_prefix(kKindSize);
  const uint64_t number =
      kind == MessageKind::kRelation ? announced_.NextPlace() : frame.start.value();
  TransactionInProgress& transaction = open_.find(*block_)->second;
  if (kind == MessageKind::kMessage) transaction.has_logical_messages = true;
  return transaction.messages->Append(Xid{xid}, number, frame.payload.substr(0, kKindSize), rest);
}

absl::Status StreamedSource::OnStreamStart(absl::string_view payload) {
  pgoutput::StreamStartMessage message;
  RETURN_IF_ERROR(pgoutput::DecodeStreamStart(payload, message));
  const uint32_t xid = ToInteger(message.xid);
  const auto [transaction, is_new] = open_.try_emplace(xid);
  if (is_new != message.first_segment) {
    return Violation(MessageKind::kStreamStart,
                     absl::StrCat(is_new ? "goes on with" : "begins anew", " transaction ", xid));
  }
  if (is_new) {
    ASSIGN_OR_RETURN(transaction->second.messages, parts_.spill->NewFile());
    log::Debug("a transaction in progress is received", {{"xid", xid}});
  }
  block_ = xid;
  return absl::OkStatus();
}

absl::Status StreamedSource::OnStreamStop(absl::string_view payload) {
  pgoutput::StreamStopMessage message;
  RETURN_IF_ERROR(pgoutput::DecodeStreamStop(payload, message));
  RETURN_IF_ERROR(open_.find(*block_)->second.messages->EndFrame());
  block_.reset();
  CountOpen();
  return absl::OkStatus();
}

absl::Status StreamedSource::OnStreamCommit(absl::string_view payload) {
  pgoutput::StreamCommitMessage message;
  RETURN_IF_ERROR(pgoutput::DecodeStreamCommit(payload, message));
  auto transaction = open_.extract(ToInteger(message.xid));
  if (transaction.empty()) {
    return Violation(
        MessageKind::kStreamCommit,
        absl::StrCat("is of transaction ", ToInteger(message.xid), ", which was not sent"));
  }
  TransactionInProgress& committed = transaction.mapped();
  if (committed.has_logical_messages) {
    parts_.pause->Until(message.end_lsn);
    return MessagesUnclear(ToInteger(message.xid));
  }
  log::Debug("a transaction received in progress has committed",
             {{"xid", ToInteger(message.xid)}, {"bytes_on_disk", committed.messages->bytes()}});
  std::sort(committed.rolled_back.begin(), committed.rolled_back.end());
  replay_.emplace(std::move(committed), message, &announced_);
  parts_.metrics->streamed_transactions.Add();
  return absl::OkStatus();
}

// One that is unknown has left nothing to drop.
absl::Status StreamedSource::OnStreamAbort(absl::string_view payload) {
  pgoutput::StreamAbortMessage message;
  RETURN_IF_ERROR(pgoutput::DecodeStreamAbort(payload, message));
  const auto transaction = open_.find(ToInteger(message.xid));
  if (transaction == open_.end()) return absl::OkStatus();
  if (message.xid == message.subtransaction) {
    open_.erase(transaction);
    if (open_.empty()) announced_.Forget();
    CountOpen();
    return absl::OkStatus();
  }
  std::vector<uint32_t>& rolled_back = transaction->second.rolled_back;
  if (rolled_back.size() == kMaxRolledBack)
    return TooManyRolledBack(ToInteger(message.xid), rolled_back.size());
  rolled_back.push_back(ToInteger(message.subtransaction));
  return absl::OkStatus();
}

void StreamedSource::CountOpen() {
  parts_.metrics->transactions_in_progress.Set(open_.size());
  parts_.metrics->spill_bytes.Set(parts_.spill->bytes());
}

}  // namespace walduct::slot
