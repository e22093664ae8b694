// The Avro schema of a Connect schema, as its text stands in a registry: what Confluent's AvroData
// makes and Avro's Schema.toString() prints, to the character: names, unions, connect.* attributes,
// defaults, logical types. Pure.
#pragma once

#include <string>

#include "encode/options/converter_options.h"
#include "event/connect_schema.h"

namespace walduct::encode {

struct AvroSchema {
  std::string text;
  std::string record_name;  // with its namespace; empty: the top is not a record
  // Required bytes at the top: Confluent's serializer writes them as they are, without a length.
  bool plain_bytes = false;
  // A name that stands for two records that differ, as it does for the type of two columns of which
  // one has a parameter: such a text is no Avro schema. Empty: there is none.
  std::string redefined;
};

AvroSchema MakeAvroSchema(const event::ConnectSchema& schema, const AvroOptions& options);

}  // namespace walduct::encode
