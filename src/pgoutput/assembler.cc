// Dispatch, transactions and resume. The changes are in assembler_changes.cc.
#include "pgoutput/assembler.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "pgoutput/assembler_errors.h"
#include "pgoutput/decode.h"

namespace walduct::pgoutput {

Assembler::Assembler(event::SchemaResolver& resolver, event::ChangeHandler& handler,
                     AssemblerOptions options)
    : handler_(handler),
      options_(options),
      relations_(resolver, options_.watch_enum_labels),
      position_(options_.start),
      last_commit_end_(options_.last_commit_end),
      resume_pending_(options_.start.ordinal > 0) {
  transaction_.commit_time_us = options_.start.commit_time_us;
}

absl::Status Assembler::OnMessage(Lsn start, absl::string_view payload) {
  if (!awaits_schema_) {
    awaiting_ = payload;
  } else if (payload.data() != awaiting_.data() || payload.size() != awaiting_.size()) {
    return MessageSkippedError();
  }
  awaits_schema_ = false;
  return Dispatch(start, payload);
}

absl::Status Assembler::Dispatch(Lsn start, absl::string_view payload) {
  if (payload.empty()) return UnknownKindError(payload);
  const auto kind = static_cast<MessageKind>(payload.front());
  switch (kind) {
    case MessageKind::kInsert:
      return OnInsert(start, payload);
    case MessageKind::kUpdate:
      return OnUpdate(start, payload);
    case MessageKind::kDelete:
      return OnDelete(start, payload);
    case MessageKind::kBegin:
      return OnBegin(start, payload);
    case MessageKind::kCommit:
      return OnCommit(payload);
    case MessageKind::kOrigin:
      return OnOrigin(payload);
    case MessageKind::kRelation:
      return OnRelation(payload);
    case MessageKind::kType:
      return OnType(payload);
    case MessageKind::kTruncate:
      return OnTruncate(start, payload);
    case MessageKind::kMessage:
      return OnLogicalMessage(start, payload);
    case MessageKind::kStreamAbort:
      return OnStreamAbort(payload);
    case MessageKind::kStreamStart:
    case MessageKind::kStreamStop:
    case MessageKind::kStreamCommit:
    case MessageKind::kBeginPrepare:
    case MessageKind::kPrepare:
    case MessageKind::kCommitPrepared:
    case MessageKind::kRollbackPrepared:
    case MessageKind::kStreamPrepare:
      return UnexpectedProtocolError(kind);
  }
  return UnknownKindError(payload);
}

void Assembler::AdvanceTo(Lsn wal_end) {
  if (in_transaction_ || resume_pending_ || wal_end <= position_.commit_end) return;
  position_.commit_end = wal_end;
  position_.ordinal = 0;
  position_.transaction_final_lsn = Lsn();
  position_.change_lsn = wal_end;
}

absl::Status Assembler::OnBegin(Lsn lsn, absl::string_view payload) {
  BeginMessage message;
  RETURN_IF_ERROR(DecodeBegin(payload, message));
  if (in_transaction_) return ViolationError(MessageKind::kBegin, "inside a transaction");
  StartTransaction(lsn, message);
  // The server's own test for what lies before the start of a stream: where the commit record
  // begins.
  if (message.final_lsn < options_.start.commit_end) {
    delivery_ = Delivery::kNothing;
    ++skipped_transactions_;
    return absl::OkStatus();
  }
  if (resume_pending_ && message.final_lsn != options_.start.transaction_final_lsn) {
    return PositionUnknownError(options_.start,
                                absl::StrCat("the first transaction has its commit record at ",
                                             message.final_lsn.ToString()));
  }
  delivery_ = resume_pending_ ? Delivery::kAfterStart : Delivery::kAll;
  transaction_.resumed = resume_pending_;
  return handler_.OnBegin(transaction_);
}

void Assembler::StartTransaction(Lsn lsn, const BeginMessage& message) {
  in_transaction_ = true;
  ordinal_ = 0;
  transaction_ = {.begin_lsn = lsn,
                  .final_lsn = message.final_lsn,
                  .xid = ToInteger(message.xid),
                  .commit_time_us = message.commit_time_us,
                  .resumed = false};
  origin_.clear();
  origin_lsn_ = Lsn();

  // What all changes of the transaction have in common.
  event_.position = {.commit_end = position_.commit_end,
                     .ordinal = 0,
                     .transaction_final_lsn = transaction_.final_lsn,
                     .change_lsn = Lsn(),
                     .xid = transaction_.xid,
                     .commit_time_us = transaction_.commit_time_us,
                     .snapshot = event::SnapshotPhase::kNone};
  event_.last_commit_end = last_commit_end_;
  event_.xid = transaction_.xid;
  event_.source_time_us = transaction_.commit_time_us;
  event_.origin = origin_;
  event_.origin_lsn = origin_lsn_;
}

absl::Status Assembler::OnCommit(absl::string_view payload) {
  CommitMessage message;
  RETURN_IF_ERROR(DecodeCommit(payload, message));
  if (!in_transaction_) return ViolationError(MessageKind::kCommit, "outside a transaction");
  if (message.commit_lsn != transaction_.final_lsn) {
    return ViolationError(MessageKind::kCommit, "does not match the open transaction");
  }
  if (delivery_ == Delivery::kNothing) {
    in_transaction_ = false;
    return absl::OkStatus();
  }
  if (delivery_ == Delivery::kAfterStart) {
    return PositionUnknownError(options_.start,
                                absl::StrCat("the transaction has only ", ordinal_, " changes"));
  }
  if (message.end_lsn <= message.commit_lsn || message.end_lsn < position_.commit_end) {
    return ViolationError(MessageKind::kCommit, "ends before the position already reached");
  }
  const event::Position boundary = {.commit_end = message.end_lsn,
                                    .ordinal = 0,
                                    .transaction_final_lsn = Lsn(),
                                    .change_lsn = message.end_lsn,
                                    .xid = transaction_.xid,
                                    .commit_time_us = transaction_.commit_time_us,
                                    .snapshot = event::SnapshotPhase::kNone};
  RETURN_IF_ERROR(handler_.OnCommit(transaction_, boundary));
  in_transaction_ = false;
  position_ = boundary;
  last_commit_end_ = message.end_lsn;
  return absl::OkStatus();
}

absl::Status Assembler::OnOrigin(absl::string_view payload) {
  OriginMessage message;
  RETURN_IF_ERROR(DecodeOrigin(payload, message));
  if (!in_transaction_) return ViolationError(MessageKind::kOrigin, "outside a transaction");
  origin_.assign(message.name.data(), message.name.size());
  origin_lsn_ = message.commit_lsn;
  event_.origin = origin_;
  event_.origin_lsn = origin_lsn_;
  return absl::OkStatus();
}

absl::Status Assembler::OnRelation(absl::string_view payload) {
  RETURN_IF_ERROR(DecodeRelation(payload, /*in_stream=*/false, relation_message_));
  ASSIGN_OR_RETURN(const bool known, relations_.Apply(relation_message_, transaction_));
  awaits_schema_ = !known;
  return absl::OkStatus();
}

// The catalog says more about a type than this message does: its base type, its labels, its schema
// if it is a domain. Of one that was dropped since, this is what is left.
absl::Status Assembler::OnType(absl::string_view payload) {
  TypeMessage message;
  RETURN_IF_ERROR(DecodeType(payload, /*in_stream=*/false, message));
  relations_.Announce(message);
  return absl::OkStatus();
}

// PostgreSQL 18 sends it with protocol 1, too: it marks a large transaction that it found rolled
// back, and dropped, as one that was streamed. Nothing of it was handed over.
absl::Status Assembler::OnStreamAbort(absl::string_view payload) const {
  StreamAbortMessage message;
  RETURN_IF_ERROR(DecodeStreamAbort(payload, message));
  return in_transaction_ ? ViolationError(MessageKind::kStreamAbort, "inside a transaction")
                         : absl::OkStatus();
}

absl::Status Assembler::Count(MessageKind kind, Lsn lsn) {
  if (!in_transaction_) return ViolationError(kind, "outside a transaction");
  ++ordinal_;
  fate_ = Fate::kDeliver;
  if (delivery_ == Delivery::kAll) return absl::OkStatus();
  ++skipped_changes_;
  fate_ = delivery_ == Delivery::kAfterStart ? Fate::kRepeat : Fate::kDrop;
  return fate_ == Fate::kRepeat ? CountToStart(lsn) : absl::OkStatus();
}

// The change that options_.start names is the last one to be left out, and must be where it was.
absl::Status Assembler::CountToStart(Lsn lsn) {
  if (ordinal_ < options_.start.ordinal) return absl::OkStatus();
  if (lsn != options_.start.change_lsn) {
    return PositionUnknownError(options_.start,
                                absl::StrCat("that change is at ", lsn.ToString(), ", not at ",
                                             options_.start.change_lsn.ToString()));
  }
  resume_pending_ = false;
  delivery_ = Delivery::kAll;
  return absl::OkStatus();
}

}  // namespace walduct::pgoutput
