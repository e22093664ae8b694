// MessageKind: the first byte of every pgoutput message, protocols 1 to 4.
// Source: PostgreSQL documentation, "Logical Replication Message Formats".
#pragma once

#include <optional>

#include "absl/strings/string_view.h"

namespace walduct::pgoutput {

enum class MessageKind : char {
  kBegin = 'B',
  kCommit = 'C',
  kOrigin = 'O',
  kRelation = 'R',
  kType = 'Y',
  kInsert = 'I',
  kUpdate = 'U',
  kDelete = 'D',
  kTruncate = 'T',
  kMessage = 'M',
  // Protocol 2: transactions sent while they are still running.
  kStreamStart = 'S',
  kStreamStop = 'E',
  kStreamCommit = 'c',
  kStreamAbort = 'A',
  // Protocol 3: two-phase commit.
  kBeginPrepare = 'b',
  kPrepare = 'P',
  kCommitPrepared = 'K',
  kRollbackPrepared = 'r',
  kStreamPrepare = 'p',
};

// Absent for an empty payload and for a byte that starts no message.
std::optional<MessageKind> KindOf(absl::string_view payload);

// "Insert", "StreamStart"; as PostgreSQL's documentation calls it, without blanks. "unknown" for
// any other byte.
absl::string_view KindName(MessageKind kind);

}  // namespace walduct::pgoutput
