#include "config/properties/class_names.h"

#include "absl/strings/strip.h"
#include "java/text/text_lists.h"

namespace walduct::config {

bool NamesClass(absl::string_view written, absl::string_view full_name, absl::string_view suffix) {
  if (written == full_name) return true;
  absl::string_view simple = java::SimpleClassName(full_name);
  if (written == simple) return true;
  return absl::ConsumeSuffix(&simple, suffix) && written == simple;
}

}  // namespace walduct::config
