#include "encode/table/bytes_only_error.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::encode {

absl::Status BytesOnlyError(absl::string_view part, absl::string_view what) {
  return Error(
      absl::StatusCode::kInvalidArgument, "byte_array_converter",
      absl::StrCat(part, ".converter=ByteArrayConverter writes bytes only, and the ", part, " ",
                   what),
      absl::StrCat(
          "use org.apache.kafka.connect.json.JsonConverter for ", part, ".converter, or set ", part,
          ".converter=io.debezium.converters.BinaryDataConverter and ", part,
          ".converter.delegate.converter.type=org.apache.kafka.connect.json.JsonConverter"));
}

}  // namespace walduct::encode
