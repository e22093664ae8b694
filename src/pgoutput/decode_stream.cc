// Protocol 2: StreamStart, StreamStop, StreamCommit, StreamAbort.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {

// 'S' xid:u32 first_segment:u8
absl::Status DecodeStreamStart(absl::string_view payload, StreamStartMessage& message) {
  MessageReader in(MessageKind::kStreamStart, payload);
  message.xid = in.ReadXid("xid");
  message.first_segment = in.U8("first segment") != 0;
  return in.Finish();
}

// 'E'
absl::Status DecodeStreamStop(absl::string_view payload, StreamStopMessage& /*message*/) {
  return MessageReader(MessageKind::kStreamStop, payload).Finish();
}

// 'c' xid:u32 flags:u8(0) commit_lsn:u64 end_lsn:u64 commit_time:i64
absl::Status DecodeStreamCommit(absl::string_view payload, StreamCommitMessage& message) {
  MessageReader in(MessageKind::kStreamCommit, payload);
  message.xid = in.ReadXid("xid");
  in.ReservedFlags();
  message.commit_lsn = in.ReadLsn("commit LSN");
  message.end_lsn = in.ReadLsn("end LSN");
  message.commit_time_us = in.TimeUs("commit time");
  return in.Finish();
}

// 'A' xid:u32 subtransaction:u32 [abort_lsn:u64 abort_time:i64]
// The optional part comes with protocol 4 and streaming=parallel; nothing but the length tells.
absl::Status DecodeStreamAbort(absl::string_view payload, StreamAbortMessage& message) {
  MessageReader in(MessageKind::kStreamAbort, payload);
  message.xid = in.ReadXid("xid");
  message.subtransaction = in.ReadXid("subtransaction");
  message.abort_lsn.reset();
  message.abort_time_us.reset();
  if (in.remaining() > 0) {
    message.abort_lsn = in.ReadLsn("abort LSN");
    message.abort_time_us = in.TimeUs("abort time");
  }
  return in.Finish();
}

}  // namespace walduct::pgoutput
