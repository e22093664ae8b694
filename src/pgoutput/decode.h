// Decoders of pgoutput, protocols 1 to 4: one function per message, each takes one whole message
// (the payload of one XLogData, kind byte included) and fills a struct of messages.h. Pure
// functions; no allocation but the growth of reused vectors, which is bounded by the size of the
// payload.
//
// in_stream: the message came between StreamStart and StreamStop, where most messages carry a
// transaction id.
//
// Errors, both with the message's kind, the offset and what is wrong there, never a byte of a row:
//   DataLoss       reason "malformed_message": truncated, trailing bytes, wrong kind, unknown tag,
//                  count larger than the message
//   Unimplemented  reason "binary_value": a value in binary format, which walduct never asks for
// After an error the struct and the buffers hold anything.
//
// Source: PostgreSQL documentation, "Logical Replication Message Formats". All integers are
// big-endian.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "pgoutput/messages.h"

namespace walduct::pgoutput {

absl::Status DecodeBegin(absl::string_view payload, BeginMessage& message);
absl::Status DecodeCommit(absl::string_view payload, CommitMessage& message);
absl::Status DecodeOrigin(absl::string_view payload, OriginMessage& message);

absl::Status DecodeRelation(absl::string_view payload, bool in_stream, RelationMessage& message);
absl::Status DecodeType(absl::string_view payload, bool in_stream, TypeMessage& message);

absl::Status DecodeInsert(absl::string_view payload, bool in_stream, TupleBuffers& buffers,
                          InsertMessage& message);
absl::Status DecodeUpdate(absl::string_view payload, bool in_stream, TupleBuffers& buffers,
                          UpdateMessage& message);
absl::Status DecodeDelete(absl::string_view payload, bool in_stream, TupleBuffers& buffers,
                          DeleteMessage& message);

absl::Status DecodeTruncate(absl::string_view payload, bool in_stream, TruncateMessage& message);
absl::Status DecodeMessage(absl::string_view payload, bool in_stream, LogicalMessage& message);

absl::Status DecodeStreamStart(absl::string_view payload, StreamStartMessage& message);
absl::Status DecodeStreamStop(absl::string_view payload, StreamStopMessage& message);
absl::Status DecodeStreamCommit(absl::string_view payload, StreamCommitMessage& message);
absl::Status DecodeStreamAbort(absl::string_view payload, StreamAbortMessage& message);

absl::Status DecodeBeginPrepare(absl::string_view payload, PrepareMessage& message);
absl::Status DecodePrepare(absl::string_view payload, PrepareMessage& message);
absl::Status DecodeStreamPrepare(absl::string_view payload, PrepareMessage& message);
absl::Status DecodeCommitPrepared(absl::string_view payload, CommitPreparedMessage& message);
absl::Status DecodeRollbackPrepared(absl::string_view payload, RollbackPreparedMessage& message);

}  // namespace walduct::pgoutput
