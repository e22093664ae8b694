// Protocol 3: BeginPrepare, Prepare, CommitPrepared, RollbackPrepared, StreamPrepare.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {
namespace {

// prepared := prepare_lsn:u64 end_lsn:u64 prepare_time:i64 xid:u32 gid:cstring
absl::Status ReadPrepared(MessageReader& in, PrepareMessage& message) {
  message.prepare_lsn = in.ReadLsn("prepare LSN");
  message.end_lsn = in.ReadLsn("end LSN");
  message.prepare_time_us = in.TimeUs("prepare time");
  message.xid = in.ReadXid("xid");
  message.gid = in.CString("gid");
  return in.Finish();
}

}  // namespace

// 'b' prepared
absl::Status DecodeBeginPrepare(absl::string_view payload, PrepareMessage& message) {
  MessageReader in(MessageKind::kBeginPrepare, payload);
  return ReadPrepared(in, message);
}

// 'P' flags:u8(0) prepared
absl::Status DecodePrepare(absl::string_view payload, PrepareMessage& message) {
  MessageReader in(MessageKind::kPrepare, payload);
  in.ReservedFlags();
  return ReadPrepared(in, message);
}

// 'p' flags:u8(0) prepared
absl::Status DecodeStreamPrepare(absl::string_view payload, PrepareMessage& message) {
  MessageReader in(MessageKind::kStreamPrepare, payload);
  in.ReservedFlags();
  return ReadPrepared(in, message);
}

// 'K' flags:u8(0) commit_lsn:u64 end_lsn:u64 commit_time:i64 xid:u32 gid:cstring
absl::Status DecodeCommitPrepared(absl::string_view payload, CommitPreparedMessage& message) {
  MessageReader in(MessageKind::kCommitPrepared, payload);
  in.ReservedFlags();
  message.commit_lsn = in.ReadLsn("commit LSN");
  message.end_lsn = in.ReadLsn("end LSN");
  message.commit_time_us = in.TimeUs("commit time");
  message.xid = in.ReadXid("xid");
  message.gid = in.CString("gid");
  return in.Finish();
}

// 'r' flags:u8(0) prepare_end_lsn:u64 rollback_end_lsn:u64 prepare_time:i64 rollback_time:i64
// xid:u32 gid:cstring
absl::Status DecodeRollbackPrepared(absl::string_view payload, RollbackPreparedMessage& message) {
  MessageReader in(MessageKind::kRollbackPrepared, payload);
  in.ReservedFlags();
  message.prepare_end_lsn = in.ReadLsn("prepare end LSN");
  message.rollback_end_lsn = in.ReadLsn("rollback end LSN");
  message.prepare_time_us = in.TimeUs("prepare time");
  message.rollback_time_us = in.TimeUs("rollback time");
  message.xid = in.ReadXid("xid");
  message.gid = in.CString("gid");
  return in.Finish();
}

}  // namespace walduct::pgoutput
