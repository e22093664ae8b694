// The errors of Assembler, private to it. Reasons as in assembler.h.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "event/position.h"
#include "event/table_schema.h"
#include "pgoutput/message_kind.h"

namespace walduct::pgoutput {

absl::Status UnknownKindError(absl::string_view payload);
absl::Status UnexpectedProtocolError(MessageKind kind);
absl::Status UnknownRelationError(MessageKind kind, Oid relation);
absl::Status ColumnCountError(MessageKind kind, const event::TableSchema& schema, size_t columns);
// what completes "pgoutput <kind> message <what>".
absl::Status ViolationError(MessageKind kind, absl::string_view what);
// The message that waits for its schema was not handed over again.
absl::Status MessageSkippedError();
// what says how the stream differs from the stored position.
absl::Status PositionUnknownError(const event::Position& start, absl::string_view what);

}  // namespace walduct::pgoutput
