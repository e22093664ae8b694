// A recording: the messages of a stream of pgoutput, with their LSNs, in a file. Pure.
//
//   recording := "PGCOPY\n\377\r\n\0" flags:u32=0 size:u32 header {message} end
//   header    := "walduct recording 1\n" {name "=" value "\n"}
//   message   := fields:u16=2 size:u32=8 lsn:u64 size:u32 payload
//   end       := 0xFFFF:u16
// All numbers big-endian.
//
// That is PostgreSQL's binary COPY of rows (lsn pg_lsn, data bytea), whose header may be extended:
// a server reads a recording into such a table, and what COPY writes of one, without a header of
// ours, is a recording. The number in the header's first line changes with the form of the
// messages; further names may come, and are for people: nothing depends on them. The messages are
// those of protocol 1.
//
// Source: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::replication {

using RecordingNames = std::vector<std::pair<absl::string_view, std::string>>;

std::string BeginRecording(const RecordingNames& names);
void AppendToRecording(Lsn lsn, absl::string_view payload, std::string* recording);
std::string EndOfRecording();

struct RecordedMessage {
  Lsn lsn;
  absl::string_view payload;
};

struct Recording {
  std::string header;  // without its first line; empty: it has none
  std::vector<RecordedMessage> messages;
};

// Borrows bytes. InvalidArgument says what is wrong: no recording, of another version, without its
// end.
absl::StatusOr<Recording> ReadRecording(absl::string_view bytes);

}  // namespace walduct::replication
