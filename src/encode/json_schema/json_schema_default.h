// Defaults as a JSON Schema has them: as JSON values are written, after they went through org.json
// and Jackson: numbers lose the zeros at their ends, members come in the order of a HashMap. Pure.
#pragma once

#include <string>

#include "event/connect_schema.h"

namespace walduct::encode {

// schema has a default. decimal_numeric: decimals are numbers, not base64.
void AppendJsonSchemaDefault(const event::ConnectSchema& schema, bool decimal_numeric,
                             std::string* out);

}  // namespace walduct::encode
