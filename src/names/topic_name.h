// Kafka's rule for names of topics. Pure.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::names {

// 1 to 249 of a-z A-Z 0-9 . _ -, and neither "." nor "..".
bool IsTopicName(absl::string_view name);

}  // namespace walduct::names
