// RegexRename: a Java regular expression and what takes its place, as Kafka Connect's RegexRouter
// uses them together: when the whole text matches, its first match is replaced. Groups that do not
// exist are an error here, not at the first record. Immutable; thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "java/regex/regex.h"

namespace walduct::java {

class RegexRename {
 public:
  // InvalidArgument: what is wrong with the pattern or the replacement.
  static absl::StatusOr<RegexRename> Compile(absl::string_view pattern,
                                             absl::string_view replacement);

  // nullopt when the text does not match.
  std::optional<std::string> Replace(absl::string_view text) const;

 private:
  std::shared_ptr<const Regex> regex_;
  std::string replacement_;
};

}  // namespace walduct::java
