// Message: what pg_logical_emit_message wrote.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {
namespace {

constexpr uint8_t kTransactional = 1;

}  // namespace

// 'M' [xid:u32] flags:u8(1 = transactional) lsn:u64 prefix:cstring size:u32 content
absl::Status DecodeMessage(absl::string_view payload, bool in_stream, LogicalMessage& message) {
  MessageReader in(MessageKind::kMessage, payload);
  message.xid = in.StreamXid(in_stream);
  message.transactional = (in.U8("flags") & kTransactional) != 0;
  message.lsn = in.ReadLsn("LSN");
  message.prefix = in.CString("prefix");
  message.content = in.Bytes(in.U32("content size"), "content");
  return in.Finish();
}

}  // namespace walduct::pgoutput
