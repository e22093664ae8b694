// Insert, Update, Delete.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {
namespace {

// value := 'n' | 'u' | 't' size:i32 text | 'b' size:i32 bytes
// False for a value that is cut off, in binary format or of unknown kind.
bool ReadValue(ByteReader& in, event::Value& value) {
  switch (in.U8()) {
    case 't':
      // A negative size is a huge one here and fails the bounds check.
      value = event::Value::Text(in.Bytes(in.U32()));
      return in.ok();
    case 'n':
      value = event::Value::Null();
      return true;
    case 'u':
      value = event::Value::UnchangedToast();
      return true;
    default:
      return false;
  }
}

// Says what is wrong with the value that ReadValue did not take.
void RefuseValue(MessageReader& in) {
  switch (in.U8("value kind")) {
    case 't':
      in.Bytes(in.U32("value size"), "value");
      return;
    case 'b':
      in.Fail("value", "is in binary format", absl::StatusCode::kUnimplemented);
      return;
    default:
      in.Fail("value kind", "is unknown");
  }
}

// tuple := columns:u16 value*
event::RowView ReadTuple(MessageReader& in, std::vector<event::Value>& row) {
  const size_t columns = in.U16("column count");
  // A value takes a byte at least: refuse before the buffer grows.
  if (columns > in.remaining()) in.Fail("column count", "is more than the message holds");
  if (!in.ok()) return {};
  row.resize(columns);
  ByteReader values = in.Lend();
  for (event::Value& value : row) {
    const ByteReader before = values;
    if (ReadValue(values, value)) [[likely]] {
      continue;
    }
    in.ContinueFrom(before);
    RefuseValue(in);
    return {};
  }
  in.ContinueFrom(values);
  return row;
}

}  // namespace

// 'I' [xid:u32] relation:u32 'N' tuple
absl::Status DecodeInsert(absl::string_view payload, bool in_stream, TupleBuffers& buffers,
                          InsertMessage& message) {
  MessageReader in(MessageKind::kInsert, payload);
  message.xid = in.StreamXid(in_stream);
  message.relation = in.ReadOid("relation");
  if (in.U8("tuple tag") != 'N') in.Fail("tuple tag", "is not N");
  message.new_row = ReadTuple(in, buffers.new_row);
  return in.Finish();
}

// 'U' [xid:u32] relation:u32 [('K' | 'O') tuple] 'N' tuple
absl::Status DecodeUpdate(absl::string_view payload, bool in_stream, TupleBuffers& buffers,
                          UpdateMessage& message) {
  MessageReader in(MessageKind::kUpdate, payload);
  message.xid = in.StreamXid(in_stream);
  message.relation = in.ReadOid("relation");
  message.old_tuple = OldTuple::kNone;
  message.old_row = {};
  uint8_t tag = in.U8("tuple tag");
  if (tag == 'K' || tag == 'O') {
    message.old_tuple = static_cast<OldTuple>(tag);
    message.old_row = ReadTuple(in, buffers.old_row);
    tag = in.U8("tuple tag");
  }
  if (tag != 'N') in.Fail("tuple tag", "is not N");
  message.new_row = ReadTuple(in, buffers.new_row);
  return in.Finish();
}

// 'D' [xid:u32] relation:u32 ('K' | 'O') tuple
absl::Status DecodeDelete(absl::string_view payload, bool in_stream, TupleBuffers& buffers,
                          DeleteMessage& message) {
  MessageReader in(MessageKind::kDelete, payload);
  message.xid = in.StreamXid(in_stream);
  message.relation = in.ReadOid("relation");
  const uint8_t tag = in.U8("tuple tag");
  if (tag != 'K' && tag != 'O') in.Fail("tuple tag", "is neither K nor O");
  message.old_tuple = tag == 'O' ? OldTuple::kFull : OldTuple::kKey;
  message.old_row = ReadTuple(in, buffers.old_row);
  return in.Finish();
}

}  // namespace walduct::pgoutput
