// The JSON Schema of a Connect schema, as its text stands in a registry: what Confluent's
// JsonSchemaData makes and its JsonSchema prints, to the character: members and their order, oneOf
// with null for what is optional, connect.* attributes, defaults. Pure.
#pragma once

#include <string>

#include "event/connect_schema.h"

namespace walduct::encode {

struct JsonSchemaForm {
  bool additional_properties = true;  // structures may have more fields
  bool decimal_numeric = false;       // defaults that are decimals are numbers, not base64
};

struct JsonSchema {
  std::string text;
  std::string title;  // at the top: the record's name; empty: it has none, or is optional
};

JsonSchema MakeJsonSchema(const event::ConnectSchema& schema, const JsonSchemaForm& form);

}  // namespace walduct::encode
