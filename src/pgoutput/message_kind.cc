#include "pgoutput/message_kind.h"

namespace walduct::pgoutput {

absl::string_view KindName(MessageKind kind) {
  switch (kind) {
    case MessageKind::kBegin:
      return "Begin";
    case MessageKind::kCommit:
      return "Commit";
    case MessageKind::kOrigin:
      return "Origin";
    case MessageKind::kRelation:
      return "Relation";
    case MessageKind::kType:
      return "Type";
    case MessageKind::kInsert:
      return "Insert";
    case MessageKind::kUpdate:
      return "Update";
    case MessageKind::kDelete:
      return "Delete";
    case MessageKind::kTruncate:
      return "Truncate";
    case MessageKind::kMessage:
      return "Message";
    case MessageKind::kStreamStart:
      return "StreamStart";
    case MessageKind::kStreamStop:
      return "StreamStop";
    case MessageKind::kStreamCommit:
      return "StreamCommit";
    case MessageKind::kStreamAbort:
      return "StreamAbort";
    case MessageKind::kBeginPrepare:
      return "BeginPrepare";
    case MessageKind::kPrepare:
      return "Prepare";
    case MessageKind::kCommitPrepared:
      return "CommitPrepared";
    case MessageKind::kRollbackPrepared:
      return "RollbackPrepared";
    case MessageKind::kStreamPrepare:
      return "StreamPrepare";
  }
  return "unknown";
}

std::optional<MessageKind> KindOf(absl::string_view payload) {
  if (payload.empty()) return std::nullopt;
  const auto kind = static_cast<MessageKind>(payload.front());
  if (KindName(kind) == "unknown") return std::nullopt;
  return kind;
}

}  // namespace walduct::pgoutput
