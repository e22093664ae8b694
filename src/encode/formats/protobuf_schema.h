// The Protobuf schema of a Connect schema, as its text stands in a registry: what Confluent's
// ProtobufData makes and its ProtobufSchema prints, to the character: messages and where they are
// nested, names, numbers, imports, options. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "encode/options/protobuf_form.h"
#include "event/connect_schema.h"

namespace walduct::encode {

struct ProtobufSchema {
  std::string text;
  std::string record_name;  // of the message, with its package
  int index = 0;            // which of the text's messages it is
};

// What is no record is a message of google/protobuf/wrappers.proto.
// InvalidArgument: it has no form in Protobuf.
absl::StatusOr<ProtobufSchema> MakeProtobufSchema(const event::ConnectSchema& schema,
                                                  const ProtobufForm& options);

// The names of the fields that the numbers lead to, joined with dots.
std::string ProtobufPath(const event::ConnectSchema& schema, const std::vector<uint32_t>& numbers);

}  // namespace walduct::encode
