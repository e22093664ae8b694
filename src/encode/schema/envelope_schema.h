// The schemas around the rows: keys, envelope, source block, logical messages. Names and order of
// fields are Debezium's.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "encode/schema/connect_schema.h"

namespace walduct::encode {

// The release of Debezium whose records are written; source.version of every record.
inline constexpr absl::string_view kSourceVersion = "3.6.1.Final";
inline constexpr absl::string_view kConnectorType = "postgresql";

// Of a key or a row.
ConnectSchema RowSchema(absl::string_view name, std::vector<ConnectField> fields);
ConnectSchema EnvelopeSchema(absl::string_view name, ConnectSchema row);
ConnectSchema MessageKeySchema();
// content: bytes, or a string by binary.handling.mode.
ConnectSchema MessageValueSchema(ConnectType content);

}  // namespace walduct::encode
