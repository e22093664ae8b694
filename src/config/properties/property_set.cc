#include "config/properties/property_set.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/check.h"
#include "config/properties/validators.h"
#include "java/regex/regex_list.h"

namespace walduct::config {

void PropertySet::Put(Property property) {
  const auto [entry, inserted] = index_.emplace(property.name, properties_.size());
  if (inserted) {
    properties_.push_back(std::move(property));
  } else if (Property& present = properties_[entry->second]; present.layer <= property.layer) {
    present = std::move(property);
  }
}

const Property* PropertySet::Find(absl::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &properties_[found->second];
}

bool PropertySet::IsSet(absl::string_view name) const {
  const Property* property = Find(name);
  return property != nullptr && !absl::StripAsciiWhitespace(property->value).empty();
}

std::string PropertySet::Text(absl::string_view name) const {
  const PropertyDefinition* definition = table_->Find(name);
  CHECK(definition != nullptr);
  if (IsSet(name)) return NormalizeValue(*definition, Find(name)->value);
  return std::string(definition->default_value.value_or(""));
}

bool PropertySet::Boolean(absl::string_view name) const { return Text(name) == "true"; }

int64_t PropertySet::Integer(absl::string_view name) const {
  int64_t number = 0;
  if (absl::SimpleAtoi(absl::StripAsciiWhitespace(Text(name)), &number)) return number;
  CHECK(IsSet(name));  // or it has a default
  const std::optional<absl::string_view> instead = table_->Find(name)->default_value;
  return instead && absl::SimpleAtoi(*instead, &number) ? number : 0;
}

absl::Duration PropertySet::Milliseconds(absl::string_view name) const {
  return absl::Milliseconds(Integer(name));
}

std::shared_ptr<const java::RegexList> PropertySet::Regexes(absl::string_view name) const {
  return IsSet(name) ? java::RegexList::OfChecked(Find(name)->value) : nullptr;
}

}  // namespace walduct::config
