// OptionValues: the options of one transform or predicate after their checks, by the names of its
// rows. An option that is absent has its default, or is not there when it has none.
//
// A name that is neither in the rows nor in the list of older options is a mistake of ours: CHECK.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transform/options/option_row.h"

namespace walduct::transform {

class OptionValues {
 public:
  // older: names of options that only older releases know, "a, b". Both must outlive the object.
  explicit OptionValues(absl::Span<const OptionRow> rows, absl::string_view older = "")
      : rows_(rows), older_(older) {}

  void Put(absl::string_view name, std::string value);
  void PutDefault(absl::string_view name, absl::string_view value);

  bool Has(absl::string_view name) const { return Find(name) != nullptr; }
  // In the configuration, rather than the default.
  bool Given(absl::string_view name) const;

  // Empty when absent.
  const std::string& Text(absl::string_view name) const;
  bool Boolean(absl::string_view name) const { return Text(name) == "true"; }
  // 0 when absent.
  int64_t Integer(absl::string_view name) const;
  double Real(absl::string_view name) const;
  // Comma-separated, trimmed, without empty items.
  std::vector<std::string> List(absl::string_view name) const;
  std::set<std::string, std::less<>> Set(absl::string_view name) const;

 private:
  const std::string* Find(absl::string_view name) const;
  bool IsKnown(absl::string_view name) const;

  absl::Span<const OptionRow> rows_;
  absl::string_view older_;
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> defaults_;
};

}  // namespace walduct::transform
