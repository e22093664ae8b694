#include "transform/options/option_values.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "base/check.h"
#include "java/text/text_lists.h"

namespace walduct::transform {

void OptionValues::Put(absl::string_view name, std::string value) {
  CHECK(IsKnown(name));
  values_[std::string(name)] = std::move(value);
}

void OptionValues::PutDefault(absl::string_view name, absl::string_view value) {
  defaults_.insert(std::string(name));
  Put(name, std::string(value));
}

bool OptionValues::Given(absl::string_view name) const {
  return Has(name) && defaults_.count(std::string(name)) == 0;
}

const std::string& OptionValues::Text(absl::string_view name) const {
  static const std::string* const empty = new std::string();
  const std::string* value = Find(name);
  return value == nullptr ? *empty : *value;
}

int64_t OptionValues::Integer(absl::string_view name) const {
  int64_t value = 0;
  return absl::SimpleAtoi(Text(name), &value) ? value : 0;
}

double OptionValues::Real(absl::string_view name) const {
  double value = 0;
  return absl::SimpleAtod(Text(name), &value) ? value : 0;
}

std::vector<std::string> OptionValues::List(absl::string_view name) const {
  return java::SplitCommaList(Text(name));
}

std::set<std::string, std::less<>> OptionValues::Set(absl::string_view name) const {
  const std::vector<std::string> items = List(name);
  return {items.begin(), items.end()};
}

const std::string* OptionValues::Find(absl::string_view name) const {
  CHECK(IsKnown(name));
  const auto found = values_.find(std::string(name));
  return found == values_.end() ? nullptr : &found->second;
}

bool OptionValues::IsKnown(absl::string_view name) const {
  return java::ListContains(older_, name) ||
         std::any_of(rows_.begin(), rows_.end(),
                     [&](const OptionRow& row) { return row.name == name; });
}

}  // namespace walduct::transform
