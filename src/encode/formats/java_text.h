// JSON values as Java prints the objects they stand for: Struct{a=1,b=x}, [1, 2], {k=v}. For
// StringConverter. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/schema/connect_schema.h"

namespace walduct::encode {

// json: compact, as JsonConverter writes it. schema: of the value; null: unknown, objects are maps.
void AppendJavaText(absl::string_view json, const ConnectSchema* schema, std::string* out);

}  // namespace walduct::encode
