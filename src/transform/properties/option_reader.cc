#include "transform/properties/option_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
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

// Are the words of the shorter name among those of the longer one, in order?
bool HasWords(absl::string_view longer, absl::string_view shorter) {
  const std::vector<absl::string_view> words = absl::StrSplit(shorter, '.');
  size_t found = 0;
  for (const absl::string_view word : absl::StrSplit(longer, '.')) {
    if (found < words.size() && words[found] == word) ++found;
  }
  return words.size() > 1 && found == words.size();
}

// The option that is written with more or fewer words ("topic.replacement" for
// "route.topic.replacement"), else one that shares all words but the last; of several the shortest.
// Empty: none.
std::string NearestByWords(absl::string_view name, absl::Span<const absl::string_view> known) {
  const absl::string_view head = name.substr(0, name.rfind('.') + 1);  // with the dot
  absl::string_view by_words, by_head;
  const auto take = [](absl::string_view one, absl::string_view* nearest) {
    if (nearest->empty() || one.size() < nearest->size()) *nearest = one;
  };
  for (const absl::string_view one : known) {
    if (HasWords(one, name) || HasWords(name, one)) take(one, &by_words);
    if (!head.empty() && absl::StartsWith(one, head)) take(one, &by_head);
  }
  return std::string(by_words.empty() ? by_head : by_words);
}

// What to write instead of an option that the class does not have.
std::string AdviseOption(const Section& section, absl::string_view name) {
  const std::vector<std::string> older = java::SplitCommaList(section.older);
  std::vector<absl::string_view> known = section.generic;
  known.insert(known.end(), older.begin(), older.end());
  for (const OptionRow& option : section.options) known.push_back(option.name);
  std::string nearest = config::NearestOf(name, known);
  if (nearest.empty()) nearest = NearestByWords(name, known);
  if (!nearest.empty()) return absl::StrCat("did you mean '", section.prefix, nearest, "'?");
  if (section.options.empty()) return "it has none: remove it";
  const auto append_name = [](std::string* out, const OptionRow& option) {
    absl::StrAppend(out, option.name);
  };
  return absl::StrCat("its options are ", absl::StrJoin(section.options, ", ", append_name));
}

// Kafka Connect hands it to the class, which does not look at it.
void ReportUnknown(const Section& section, const Property& property, absl::string_view name,
                   Findings* findings) {
  const std::string fix = AdviseOption(section, name);
  if (section.strict) {
    findings->AddError(
        absl::StrCat("property '", property.written_as, "': the class has no such option; ", fix));
  } else {
    findings->Warn(property.written_as,
                   absl::StrCat("the class has no such option; it has no effect; ", fix));
  }
}

void ReadOption(const Section& section, const Property& property, absl::string_view name,
                OptionValues* values, Findings* findings) {
  const OptionRow* option = FindOption(section, name);
  if (option == nullptr) return ReportUnknown(section, property, name, findings);
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
