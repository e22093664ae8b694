// Names of Java classes as configuration files write them. Pure functions.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::config {

// Does written name the class: by its full name, its simple name, or the simple name without the
// suffix ("Json" for JsonConverter, suffix "Converter"), as Connect allows?
bool NamesClass(absl::string_view written, absl::string_view full_name, absl::string_view suffix);

}  // namespace walduct::config
