// Decodes a message of any kind with the decoder of its kind.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "pgoutput/decode.h"
#include "pgoutput/message_kind.h"

namespace walduct::test {

// Everything a message can be decoded to, reused.
struct DecodedMessages {
  pgoutput::BeginMessage begin;
  pgoutput::CommitMessage commit;
  pgoutput::OriginMessage origin;
  pgoutput::RelationMessage relation;
  pgoutput::TypeMessage type;
  pgoutput::TupleBuffers tuples;
  pgoutput::InsertMessage insert;
  pgoutput::UpdateMessage update;
  pgoutput::DeleteMessage deletion;
  pgoutput::TruncateMessage truncate;
  pgoutput::LogicalMessage message;
  pgoutput::StreamStartMessage stream_start;
  pgoutput::StreamStopMessage stream_stop;
  pgoutput::StreamCommitMessage stream_commit;
  pgoutput::StreamAbortMessage stream_abort;
  pgoutput::PrepareMessage prepare;
  pgoutput::CommitPreparedMessage commit_prepared;
  pgoutput::RollbackPreparedMessage rollback_prepared;
};

inline absl::Status DecodeAs(pgoutput::MessageKind kind, absl::string_view payload, bool in_stream,
                             DecodedMessages& out) {
  using pgoutput::MessageKind;
  switch (kind) {
    case MessageKind::kBegin:
      return DecodeBegin(payload, out.begin);
    case MessageKind::kCommit:
      return DecodeCommit(payload, out.commit);
    case MessageKind::kOrigin:
      return DecodeOrigin(payload, out.origin);
    case MessageKind::kRelation:
      return DecodeRelation(payload, in_stream, out.relation);
    case MessageKind::kType:
      return DecodeType(payload, in_stream, out.type);
    case MessageKind::kInsert:
      return DecodeInsert(payload, in_stream, out.tuples, out.insert);
    case MessageKind::kUpdate:
      return DecodeUpdate(payload, in_stream, out.tuples, out.update);
    case MessageKind::kDelete:
      return DecodeDelete(payload, in_stream, out.tuples, out.deletion);
    case MessageKind::kTruncate:
      return DecodeTruncate(payload, in_stream, out.truncate);
    case MessageKind::kMessage:
      return DecodeMessage(payload, in_stream, out.message);
    case MessageKind::kStreamStart:
      return DecodeStreamStart(payload, out.stream_start);
    case MessageKind::kStreamStop:
      return DecodeStreamStop(payload, out.stream_stop);
    case MessageKind::kStreamCommit:
      return DecodeStreamCommit(payload, out.stream_commit);
    case MessageKind::kStreamAbort:
      return DecodeStreamAbort(payload, out.stream_abort);
    case MessageKind::kBeginPrepare:
      return DecodeBeginPrepare(payload, out.prepare);
    case MessageKind::kPrepare:
      return DecodePrepare(payload, out.prepare);
    case MessageKind::kStreamPrepare:
      return DecodeStreamPrepare(payload, out.prepare);
    case MessageKind::kCommitPrepared:
      return DecodeCommitPrepared(payload, out.commit_prepared);
    case MessageKind::kRollbackPrepared:
      return DecodeRollbackPrepared(payload, out.rollback_prepared);
  }
  return absl::InvalidArgumentError("no kind");
}

inline absl::Status DecodeAny(absl::string_view payload, bool in_stream, DecodedMessages& out) {
  const auto kind = pgoutput::KindOf(payload);
  if (!kind) return absl::DataLossError("no kind");
  return DecodeAs(*kind, payload, in_stream, out);
}

}  // namespace walduct::test
