// The "schema" member of JsonConverter's {"schema":…,"payload":…}. Order of members: type, items,
// keys and values, or fields, optional, name, version, doc, parameters, default, field (Kafka
// Connect, JsonConverter.asJsonSchema).
#pragma once

#include "encode/formats/text_target.h"
#include "event/connect_schema.h"

namespace walduct::encode {

// target: JSON; defaults are written as its values are.
void AppendSchemaJson(const event::ConnectSchema& schema, const TextTarget& target);

}  // namespace walduct::encode
