// A replication session as bytes: the input of the assembler's fuzz target and its recorded seeds.
//
//   session := ordinal:u8 commit_end:u64 final_lsn:u64 change_lsn:u64 step*
//              where the stream is opened
//   step    := 0:u8 lsn:u64 size:u16 message    one XLogData
//            | other:u8 wal_end:u64             a keepalive
// What is cut off at the end is left out.
#pragma once

#include <optional>

#include "absl/strings/string_view.h"
#include "base/byte_reader.h"
#include "event/position.h"
#include "pgoutput/assembler.h"

namespace walduct::test {

struct SessionStep {
  bool keepalive = false;
  Lsn lsn;
  absl::string_view message;
};

class SessionFile {
 public:
  explicit SessionFile(absl::string_view bytes) : reader_(bytes) {
    start_.ordinal = reader_.U8();
    start_.commit_end = Lsn(reader_.U64());
    start_.transaction_final_lsn = Lsn(reader_.U64());
    start_.change_lsn = Lsn(reader_.U64());
  }

  const event::Position& start() const { return start_; }

  std::optional<SessionStep> Next() {
    SessionStep step;
    step.keepalive = reader_.U8() != 0;
    step.lsn = Lsn(reader_.U64());
    if (!step.keepalive) step.message = reader_.Bytes(reader_.U16());
    if (!reader_.ok()) return std::nullopt;
    return step;
  }

 private:
  ByteReader reader_;
  event::Position start_;
};

}  // namespace walduct::test
