// The Java classes that configuration files name, and what walduct makes of them. A class may be
// written by its full name, its simple name, or the simple name without the kind ("Json" for
// JsonConverter), as Connect allows.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "encode/options/converter_options.h"
#include "offset/options.h"

namespace walduct::loader {

// nullopt when the class is not a supported converter.
std::optional<encode::ConverterKind> FindConverter(absl::string_view class_name);
// Debezium's, which leaves what is not bytes to a delegate.
bool IsBinaryDataConverter(absl::string_view class_name);
// Connect's default for headers, which guesses nothing: text as it is, structures as JSON without
// schemas.
bool IsSimpleHeaderConverter(absl::string_view class_name);

// With the package; as written when unknown.
std::string FullConverterName(absl::string_view class_name);

// nullopt when the class is not a supported offset store.
std::optional<offset::OffsetStoreKind> FindOffsetStore(absl::string_view class_name);

}  // namespace walduct::loader
