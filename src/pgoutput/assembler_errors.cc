#include "pgoutput/assembler_errors.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::pgoutput {

using absl::StatusCode;

absl::Status UnknownKindError(absl::string_view payload) {
  if (payload.empty()) {
    return Error(StatusCode::kDataLoss, "malformed_message", "pgoutput message is empty");
  }
  const auto kind = static_cast<unsigned char>(payload.front());
  return Error(StatusCode::kDataLoss, "malformed_message",
               absl::StrCat("pgoutput message of ", payload.size(), " bytes is of unknown kind 0x",
                            absl::Hex(kind, absl::kZeroPad2)));
}

absl::Status UnexpectedProtocolError(MessageKind kind) {
  constexpr MessageKind kStreamed[] = {MessageKind::kStreamStart, MessageKind::kStreamStop,
                                       MessageKind::kStreamCommit};
  if (std::find(std::begin(kStreamed), std::end(kStreamed), kind) == std::end(kStreamed)) {
    return Error(
        StatusCode::kFailedPrecondition, "two_phase",
        absl::StrCat("pgoutput ", KindName(kind),
                     " message: the slot was created for two-phase decoding, which would publish "
                     "transactions that are prepared and may still be rolled back"),
        "drop the slot with pg_drop_replication_slot and let walduct create one: prepared "
        "transactions then come at COMMIT PREPARED; restart with snapshot.mode=when_needed, since "
        "changes made in between are in no slot");
  }
  return Error(
      StatusCode::kFailedPrecondition, "protocol",
      absl::StrCat("pgoutput ", KindName(kind), " message, which protocol version 1 does not have"),
      "open the replication stream with proto_version 1, without streaming and two_phase");
}

absl::Status UnknownRelationError(MessageKind kind, Oid relation) {
  return Error(StatusCode::kDataLoss, "unknown_relation",
               absl::StrCat("pgoutput ", KindName(kind), " message for relation ",
                            ToInteger(relation), ", for which there was no Relation message"));
}

absl::Status ColumnCountError(MessageKind kind, const event::TableSchema& schema, size_t columns) {
  return Error(StatusCode::kDataLoss, "malformed_message",
               absl::StrCat("pgoutput ", KindName(kind), " message has a tuple of ", columns,
                            " columns for ", schema.schema, ".", schema.table, ", which has ",
                            schema.columns.size()));
}

absl::Status ViolationError(MessageKind kind, absl::string_view what) {
  return Error(StatusCode::kDataLoss, "protocol_violation",
               absl::StrCat("pgoutput ", KindName(kind), " message ", what));
}

absl::Status MessageSkippedError() {
  return Error(StatusCode::kInternal, "message_skipped",
               "a pgoutput message that waits for the schema of its table was skipped");
}

absl::Status PositionUnknownError(const event::Position& start, absl::string_view what) {
  return Error(
      StatusCode::kDataLoss, "position_unknown",
      absl::StrCat("the stored position (change ", start.ordinal,
                   " of the transaction with commit record ",
                   start.transaction_final_lsn.ToString(), ", after ", start.commit_end.ToString(),
                   ") is not in the stream: ", what),
      "the stored position does not fit this slot; restart with "
      "snapshot.mode=when_needed, or erase the stored offset (walduct offsets reset) to begin "
      "with a snapshot");
}

}  // namespace walduct::pgoutput
