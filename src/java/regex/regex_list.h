// RegexList: a comma-separated list of Java regular expressions as Debezium's include and exclude
// lists take it: `\,` is a literal comma, entries are trimmed, empty ones dropped; each matches
// case-insensitively and must match the whole text. Immutable after Parse; Matches is thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {

class Regex;

class RegexList {
 public:
  // InvalidArgument names the entry, what is wrong and where.
  static absl::StatusOr<RegexList> Parse(absl::string_view list);
  // Of a list that was checked before. Options hold it so, and their headers declare the class.
  static std::shared_ptr<const RegexList> OfChecked(absl::string_view list);

  bool Matches(absl::string_view text) const;
  // Index of the first entry that matches: Debezium orders the tables of a snapshot by it.
  std::optional<size_t> FirstMatch(absl::string_view text) const;
  const std::string& text() const { return text_; }

  struct Idle {
    std::string entry;
    std::string name;  // what it matches, where it is a name; empty: a pattern of several
  };
  // Entries that match none of them, in their order.
  std::vector<Idle> FindIdle(const std::vector<std::string>& texts, size_t most) const;

 private:
  std::string text_;
  std::vector<std::shared_ptr<const Regex>> entries_;
};

}  // namespace walduct::java
