// The "schema" member of JsonConverter's {"schema":…,"payload":…}. Order of members: type, items,
// keys and values, or fields, optional, name, version, doc, parameters, default, field (Kafka
// Connect, JsonConverter.asJsonSchema).
#pragma once

#include <string>

#include "encode/schema/connect_schema.h"

namespace walduct::encode {

void AppendSchemaJson(const ConnectSchema& schema, std::string* out);

}  // namespace walduct::encode
