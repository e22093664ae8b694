#include "java/regex/regex_rename.h"

#include <utility>

#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::java {

absl::StatusOr<RegexRename> RegexRename::Compile(absl::string_view pattern,
                                                 absl::string_view replacement) {
  ASSIGN_OR_RETURN(std::unique_ptr<Regex> regex, Regex::Compile(pattern, {}));
  if (const std::string problem = regex->CheckReplacement(replacement); !problem.empty())
    return Error(absl::StatusCode::kInvalidArgument, "bad_replacement", problem);
  RegexRename rename;
  rename.regex_ = std::move(regex);
  rename.replacement_ = std::string(replacement);
  return rename;
}

std::optional<std::string> RegexRename::Replace(absl::string_view text) const {
  if (!regex_->FullMatch(text)) return std::nullopt;
  return regex_->ReplaceFirst(text, replacement_);
}

}  // namespace walduct::java
