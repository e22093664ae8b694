// What ByteArrayConverter says of what is not bytes.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::encode {

// InvalidArgument byte_array_converter. part: key, value or header; what: the rest of the sentence
// about it.
absl::Status BytesOnlyError(absl::string_view part, absl::string_view what);

}  // namespace walduct::encode
