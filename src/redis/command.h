// Commands in Redis's protocol: an array of texts. Pure.
#pragma once

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::redis {

void AppendArrayHeader(size_t elements, std::string* out);
void AppendArgument(absl::string_view text, std::string* out);
void AppendCommand(std::initializer_list<absl::string_view> arguments, std::string* out);

}  // namespace walduct::redis
