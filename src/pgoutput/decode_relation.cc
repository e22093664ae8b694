// Relation, Type.
#include "pgoutput/decode.h"
#include "pgoutput/message_reader.h"

namespace walduct::pgoutput {
namespace {

// flags, the shortest name (its NUL), type, typmod.
constexpr size_t kSmallestColumnBytes = 1 + 1 + 4 + 4;
constexpr uint8_t kPartOfIdentity = 1;

// The server shortens its most frequent schema name to nothing.
absl::string_view SchemaName(absl::string_view sent) { return sent.empty() ? "pg_catalog" : sent; }

event::ReplicaIdentity ReadIdentity(MessageReader& in) {
  const auto identity = static_cast<event::ReplicaIdentity>(in.U8("replica identity"));
  switch (identity) {
    case event::ReplicaIdentity::kDefault:
    case event::ReplicaIdentity::kNothing:
    case event::ReplicaIdentity::kFull:
    case event::ReplicaIdentity::kIndex:
      return identity;
  }
  in.Fail("replica identity", "is unknown");
  return event::ReplicaIdentity::kDefault;
}

// flags:u8(1 = part of the identity) name:cstring type:u32 typmod:i32
void ReadColumn(MessageReader& in, RelationMessageColumn& column) {
  column.part_of_identity = (in.U8("column flags") & kPartOfIdentity) != 0;
  column.name = in.CString("column name");
  column.type = in.ReadOid("column type");
  column.typmod = static_cast<int32_t>(in.U32("column type modifier"));
}

}  // namespace

// 'R' [xid:u32] relation:u32 schema:cstring table:cstring replica_identity:char columns:u16 column*
absl::Status DecodeRelation(absl::string_view payload, bool in_stream, RelationMessage& message) {
  MessageReader in(MessageKind::kRelation, payload);
  message.xid = in.StreamXid(in_stream);
  message.relation = in.ReadOid("relation");
  message.schema = SchemaName(in.CString("schema"));
  message.table = in.CString("table");
  message.replica_identity = ReadIdentity(in);
  size_t columns = in.U16("column count");
  if (columns * kSmallestColumnBytes > in.remaining()) {
    in.Fail("column count", "is more than the message holds");
    columns = 0;
  }
  message.columns.resize(columns);
  for (RelationMessageColumn& column : message.columns) ReadColumn(in, column);
  return in.Finish();
}

// 'Y' [xid:u32] type:u32 schema:cstring name:cstring
absl::Status DecodeType(absl::string_view payload, bool in_stream, TypeMessage& message) {
  MessageReader in(MessageKind::kType, payload);
  message.xid = in.StreamXid(in_stream);
  message.type = in.ReadOid("type");
  message.schema = SchemaName(in.CString("schema"));
  message.name = in.CString("name");
  return in.Finish();
}

}  // namespace walduct::pgoutput
