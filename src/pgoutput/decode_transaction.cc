// Begin, Commit, Origin.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {

// 'B' final_lsn:u64 commit_time:i64 xid:u32
absl::Status DecodeBegin(absl::string_view payload, BeginMessage& message) {
  MessageReader in(MessageKind::kBegin, payload);
  message.final_lsn = in.ReadLsn("final LSN");
  message.commit_time_us = in.TimeUs("commit time");
  message.xid = in.ReadXid("xid");
  return in.Finish();
}

// 'C' flags:u8(0) commit_lsn:u64 end_lsn:u64 commit_time:i64
absl::Status DecodeCommit(absl::string_view payload, CommitMessage& message) {
  MessageReader in(MessageKind::kCommit, payload);
  in.ReservedFlags();
  message.commit_lsn = in.ReadLsn("commit LSN");
  message.end_lsn = in.ReadLsn("end LSN");
  message.commit_time_us = in.TimeUs("commit time");
  return in.Finish();
}

// 'O' commit_lsn:u64 name:cstring
absl::Status DecodeOrigin(absl::string_view payload, OriginMessage& message) {
  MessageReader in(MessageKind::kOrigin, payload);
  message.commit_lsn = in.ReadLsn("commit LSN");
  message.name = in.CString("name");
  return in.Finish();
}

}  // namespace walduct::pgoutput
