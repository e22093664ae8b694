// The Java classes of converters: by which name they are configured, and what each becomes. A class
// may be written by its full name, its simple name, or the simple name without the kind ("Json" for
// JsonConverter), as Connect allows.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/options/converter_kinds.h"
#include "event/connect_schema.h"

namespace walduct::encode {

struct ConverterClass {
  absl::string_view name;    // with the package
  absl::string_view writes;  // what the bytes are, for people
  ConverterKind kind = ConverterKind::kJson;
  RegistryKind registry = RegistryKind::kConfluent;
  bool delegates = false;     // BinaryDataConverter: another one converts what is not bytes
  bool cloud_events = false;  // a value becomes an event first
  bool schema_id = false;     // kJson: ExtJsonConverter
  bool json_schema = false;   // kJson: Confluent's JsonSchemaConverter
  event::ConnectType number = event::ConnectType::kInt32;  // kNumber
  bool headers = true;                                     // converts headers, too
  bool keys = true;
};

// null: not a supported converter.
const ConverterClass* FindConverterClass(absl::string_view written);

// What a converter of this class writes, for people; "" of one that is not known.
std::string ConverterMeaning(absl::string_view written);

// "supported: …", for messages.
std::string SupportedConverters();

}  // namespace walduct::encode
