// Truncate.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {
namespace {

constexpr uint8_t kCascade = 1;
constexpr uint8_t kRestartIdentity = 2;

}  // namespace

// 'T' [xid:u32] relations:u32 options:u8(1 = CASCADE, 2 = RESTART IDENTITY) relation:u32*
absl::Status DecodeTruncate(absl::string_view payload, bool in_stream, TruncateMessage& message) {
  MessageReader in(MessageKind::kTruncate, payload);
  message.xid = in.StreamXid(in_stream);
  size_t relations = in.U32("relation count");
  const uint8_t options = in.U8("options");
  message.cascade = (options & kCascade) != 0;
  message.restart_identity = (options & kRestartIdentity) != 0;
  if (relations > in.remaining() / sizeof(Oid)) {
    in.Fail("relation count", "is more than the message holds");
    relations = 0;
  }
  message.relations.resize(relations);
  for (Oid& relation : message.relations) relation = in.ReadOid("relation");
  return in.Finish();
}

}  // namespace walduct::pgoutput
