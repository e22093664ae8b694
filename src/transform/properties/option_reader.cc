#include "transform/properties/option_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "config/properties/names.h"
#include "java/text/text_lists.h"

namespace walduct::transform {
namespace {

using config::Findings;
using config::Property;

std::string CheckOption(const OptionRow& option, absl::string_view value) {
  double real = 0;
  int64_t integer = 0;
  switch (option.type) {
    case OptionType::kBoolean:
      if (value != "true" && value != "false") return "Either 'true' or 'false' is expected";
      break;
    case OptionType::kInteger:
      if (!absl::SimpleAtoi(value, &integer)) return "An integer is expected";
      break;
    case OptionType::kReal:
      if (!absl::SimpleAtod(value, &real)) return "A number is expected";
      break;
    case OptionType::kEnum:
      if (!java::ListContains(option.allowed, value))
        return absl::StrCat("Value must be one of ", option.allowed);
      break;
    case OptionType::kText:
    case OptionType::kList:
    case OptionType::kRegex:
      break;
  }
  return option.check == nullptr ? "" : option.check(value);
}

// Lists, numbers and words are trimmed as Connect does; text is not. Words are taken in any case.
std::string Normalize(const OptionRow& option, absl::string_view value) {
  if (option.type == OptionType::kText || option.type == OptionType::kRegex)
    return std::string(value);
  value = absl::StripAsciiWhitespace(value);
  if (option.type == OptionType::kBoolean) return absl::AsciiStrToLower(value);
  if (option.type != OptionType::kEnum) return std::string(value);
  for (const std::string& word : java::SplitCommaList(option.allowed)) {
    if (absl::EqualsIgnoreCase(word, value)) return word;
  }
  return std::string(value);
}

const OptionRow* FindOption(const Section& section, absl::string_view name) {
  for (const OptionRow& option : section.options) {
    if (option.name == name || java::ListContains(option.aliases, name)) return &option;
  }
  return nullptr;
}

bool IsGeneric(const Section& section, absl::string_view name) {
  return std::find(section.generic.begin(), section.generic.end(), name) != section.generic.end();
}

void RefuseUnknown(const Section& section, const Property& property, absl::string_view name,
                   Findings* findings) {
  const std::vector<std::string> older = java::SplitCommaList(section.older);
  std::vector<absl::string_view> known = section.generic;
  known.insert(known.end(), older.begin(), older.end());
  for (const OptionRow& option : section.options) known.push_back(option.name);
  const std::string nearest = config::NearestOf(name, known);
  const auto append_name = [](std::string* out, const OptionRow& option) {
    absl::StrAppend(out, option.name);
  };
  const std::string fix =
      !nearest.empty() ? absl::StrCat("did you mean '", section.prefix, nearest, "'?")
      : section.options.empty()
          ? std::string("it has none: remove it")
          : absl::StrCat("its options are ", absl::StrJoin(section.options, ", ", append_name));
  findings->AddError(
      absl::StrCat("property '", property.written_as, "': the class has no such option; ", fix));
}

void ReadOption(const Section& section, const Property& property, absl::string_view name,
                OptionValues* values, Findings* findings) {
  const OptionRow* option = FindOption(section, name);
  if (option == nullptr) return RefuseUnknown(section, property, name, findings);
  std::string value = Normalize(*option, property.value);
  if (value.empty() && !option->required && option->type != OptionType::kText) return;
  if (const std::string problem = CheckOption(*option, value); !problem.empty())
    findings->Error(property, problem, option->doc);
  if (option->name != name)
    findings->Warn(property.written_as,
                   absl::StrCat("is an older name; use '", section.prefix, option->name, "'"));
  values->Put(option->name, std::move(value));
}

}  // namespace

OptionValues ReadOptions(const config::PropertySet& properties, const Section& section,
                         Findings* findings) {
  OptionValues values(section.options, section.older);
  for (const Property& property : properties.all()) {
    absl::string_view name = property.name;
    if (!absl::ConsumePrefix(&name, section.prefix) || IsGeneric(section, name)) continue;
    if (java::ListContains(section.older, name)) {
      values.Put(name, property.value);
    } else {
      ReadOption(section, property, name, &values, findings);
    }
  }
  return values;
}

void AddDefaults(const Section& section, OptionValues* values, Findings* findings) {
  for (const OptionRow& option : section.options) {
    if (values->Has(option.name)) continue;
    if (option.default_value) values->PutDefault(option.name, *option.default_value);
    if (option.required)
      findings->Error(absl::StrCat(section.prefix, option.name), "A value is required", option.doc);
  }
}

}  // namespace walduct::transform
