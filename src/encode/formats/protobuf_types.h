// What Connect's types are in Protobuf, and how a field of one is printed, as Confluent's converter
// does both. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "event/connect_schema.h"

namespace walduct::encode {

struct ProtobufPrimitive {
  absl::string_view type;
  absl::string_view wrapper;  // its message in google/protobuf/wrappers.proto
  int wrapper_index = 0;      // which one
};
// An empty type: it is none.
ProtobufPrimitive PrimitiveOf(event::ConnectType type);

// The text of wrappers.proto.
std::string ProtobufWrappers();

// Of Connect's own types of values, which are messages. An empty type: it is none of them.
struct ProtobufLogicalType {
  absl::string_view type;
  absl::string_view file;
};
ProtobufLogicalType LogicalTypeOf(const event::ConnectSchema& schema);

// A text by its lines, so that it can be indented.
using ProtobufLines = std::vector<std::string>;

// field: "int32 id = 1". meta: what its type does not say of that schema is an option; null: not.
ProtobufLines ProtobufField(const std::string& field, bool deprecated,
                            const event::ConnectSchema* meta);

}  // namespace walduct::encode
