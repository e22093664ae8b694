#include "config/transforms/transform_checks.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "config/properties/names.h"
#include "config/transforms/transform_class.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

// One transform or predicate while it is read: "transforms.unwrap." and what may follow.
struct Section {
  std::string prefix;
  absl::Span<const TransformOption> options;
  std::vector<absl::string_view> other_options;  // generic ones and those of older releases
};

std::string CheckOption(const TransformOption& option, absl::string_view value) {
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
std::string Normalize(const TransformOption& option, absl::string_view value) {
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

const TransformOption* FindOption(const Section& section, absl::string_view name) {
  for (const TransformOption& option : section.options) {
    if (option.name == name || java::ListContains(option.aliases, name)) return &option;
  }
  return nullptr;
}

void RefuseUnknown(const Section& section, const Property& property, absl::string_view name,
                   Findings* findings) {
  std::vector<absl::string_view> known = section.other_options;
  for (const TransformOption& option : section.options) known.push_back(option.name);
  const std::string nearest = NearestOf(name, known);
  const std::string fix =
      !nearest.empty() ? absl::StrCat("did you mean '", section.prefix, nearest, "'?")
      : section.options.empty()
          ? std::string("it has none: remove it")
          : absl::StrCat("its options are ",
                         absl::StrJoin(section.options, ", ",
                                       [](std::string* out, const TransformOption& option) {
                                         absl::StrAppend(out, option.name);
                                       }));
  findings->AddError(
      absl::StrCat("property '", property.written_as, "': the class has no such option; ", fix));
}

void ReadOption(const Section& section, const Property& property, absl::string_view name,
                TransformOptionValues* values, Findings* findings) {
  const TransformOption* option = FindOption(section, name);
  if (option == nullptr) return RefuseUnknown(section, property, name, findings);
  std::string value = Normalize(*option, property.value);
  if (value.empty() && !option->required && option->type != OptionType::kText) return;
  if (const std::string problem = CheckOption(*option, value); !problem.empty())
    findings->Error(property, problem, option->doc);
  if (option->name != name)
    findings->Warn(property.written_as,
                   absl::StrCat("is an older name; use '", section.prefix, option->name, "'"));
  values->Put(std::string(option->name), std::move(value));
}

TransformOptionValues ReadOptions(const PropertySet& properties, const Section& section,
                                  Findings* findings) {
  TransformOptionValues values;
  for (const Property& property : properties.all()) {
    absl::string_view name = property.name;
    if (!absl::ConsumePrefix(&name, section.prefix)) continue;
    const bool other = std::find(section.other_options.begin(), section.other_options.end(),
                                 name) != section.other_options.end();
    if (!other) {
      ReadOption(section, property, name, &values, findings);
    } else if (name != "type" && name != "predicate" && name != "negate") {
      values.Put(std::string(name), property.value);
    }
  }
  return values;
}

void AddDefaults(const Section& section, TransformOptionValues* values, Findings* findings) {
  for (const TransformOption& option : section.options) {
    if (values->Has(option.name)) continue;
    if (option.default_value)
      values->PutDefault(std::string(option.name), std::string(*option.default_value));
    if (option.required)
      findings->Error(absl::StrCat(section.prefix, option.name), "A value is required", option.doc);
  }
}

std::vector<std::string> ReadAliases(const PropertySet& properties, absl::string_view list,
                                     Findings* findings) {
  const Property* property = properties.Find(list);
  if (property == nullptr) return {};
  std::vector<std::string> aliases = java::SplitCommaList(property->value);
  const auto commas =
      static_cast<size_t>(std::count(property->value.begin(), property->value.end(), ','));
  if (!aliases.empty() && aliases.size() < commas + 1)
    findings->Warn(list, "has an empty item, with which Kafka Connect does not start; remove it");
  std::set<std::string> seen;
  for (const std::string& alias : aliases) {
    if (!seen.insert(alias).second)
      findings->Error(*property, absl::StrCat("names '", alias, "' twice"),
                      "give each its own name");
  }
  return {aliases.begin(), aliases.end()};
}

// The class as written, "" when there is none (said).
std::string ReadClass(const PropertySet& properties, const std::string& prefix,
                      absl::string_view list, Findings* findings) {
  const std::string type = absl::StrCat(prefix, "type");
  if (properties.IsSet(type))
    return std::string(absl::StripAsciiWhitespace(properties.Find(type)->value));
  findings->Error(type, "A value is required",
                  absl::StrCat("name the class, or remove the name from ", list));
  return "";
}

std::optional<PredicateSpec> ReadPredicate(const PropertySet& properties, const std::string& alias,
                                           Findings* findings) {
  Section section{absl::StrCat("predicates.", alias, "."), {}, {"type"}};
  const std::string written = ReadClass(properties, section.prefix, "predicates", findings);
  if (written.empty()) return std::nullopt;
  const PredicateClass* found = FindPredicateClass(written);
  if (found == nullptr) {
    findings->Error(absl::StrCat(section.prefix, "type"), "is not a predicate that walduct knows",
                    AdvisePredicateClass(written));
    return std::nullopt;
  }
  section.options = found->options;
  PredicateSpec spec{alias, found->kind, ReadOptions(properties, section, findings)};
  AddDefaults(section, &spec.options, findings);
  return spec;
}

bool ReadTarget(const TransformClass& found, const std::string& written, const std::string& type,
                TransformSpec* spec, Findings* findings) {
  const size_t dollar = written.find('$');
  const std::string target = dollar == std::string::npos ? "" : written.substr(dollar + 1);
  if (!found.has_targets && target.empty()) return true;
  if (found.has_targets && (target == "Key" || target == "Value")) {
    spec->target = target == "Key" ? TransformTarget::kKey : TransformTarget::kValue;
    return true;
  }
  findings->Error(type,
                  found.has_targets ? "does not say whether it is about keys or values"
                                    : "has no variant for keys or values",
                  found.has_targets
                      ? absl::StrCat("use ", found.name, "$Key or ", found.name, "$Value")
                      : absl::StrCat("use ", found.name));
  return false;
}

const TransformClass* ReadTransformClass(const PropertySet& properties, const Section& section,
                                         TransformSpec* spec, Findings* findings) {
  const std::string type = absl::StrCat(section.prefix, "type");
  const std::string written = ReadClass(properties, section.prefix, "transforms", findings);
  if (written.empty()) return nullptr;
  const TransformClass* found = FindTransformClass(written.substr(0, written.find('$')));
  if (found == nullptr) {
    findings->Error(type, "is not a transform that walduct knows", AdviseTransformClass(written));
    return nullptr;
  }
  if (!found->refused.empty()) {
    findings->Error(type, found->refused, "");
    return nullptr;
  }
  return ReadTarget(*found, written, type, spec, findings) ? found : nullptr;
}

void ReadCondition(const PropertySet& properties, const Section& section,
                   const std::vector<std::string>& predicates, TransformSpec* spec,
                   Findings* findings) {
  const std::string name = absl::StrCat(section.prefix, "predicate");
  const std::string negate = absl::StrCat(section.prefix, "negate");
  if (const Property* property = properties.Find(negate)) {
    const std::string value = absl::AsciiStrToLower(absl::StripAsciiWhitespace(property->value));
    if (value != "true" && value != "false")
      findings->Error(*property, "Either 'true' or 'false' is expected", "");
    if (!properties.IsSet(name))
      findings->Error(*property, "has no predicate to negate",
                      absl::StrCat("add '", name, "' or remove it"));
    spec->negate = value == "true";
  }
  const Property* predicate = properties.Find(name);
  if (predicate == nullptr) return;
  const std::string alias(absl::StripAsciiWhitespace(predicate->value));
  if (alias.empty()) {
    findings->Error(*predicate, "names no predicate",
                    "remove the line, or name one that predicates lists");
    return;
  }
  const auto found = std::find(predicates.begin(), predicates.end(), alias);
  if (found == predicates.end()) {
    findings->Error(name, "is not listed in predicates",
                    predicates.empty()
                        ? "add predicates=" + alias
                        : absl::StrCat("predicates lists ", absl::StrJoin(predicates, ", ")));
    return;
  }
  spec->predicate = static_cast<size_t>(found - predicates.begin());
}

void CheckNeeds(const PropertySet& properties, const TransformClass& transform,
                const std::string& type, Findings* findings) {
  const std::vector<std::string> needed = java::SplitCommaList(transform.needs_one_of);
  if (needed.empty()) return;
  for (const std::string& name : needed) {
    const Property* property = properties.Find(name);
    if (property != nullptr && !property->value.empty()) return;
  }
  findings->Error(type, absl::StrCat("needs ", absl::StrJoin(needed, " or ")),
                  absl::StrCat("set ", needed[0], "=.*"));
}

std::optional<TransformSpec> ReadTransform(const PropertySet& properties, const std::string& alias,
                                           const std::vector<std::string>& predicates,
                                           Findings* findings) {
  Section section{absl::StrCat("transforms.", alias, "."), {}, {"type", "predicate", "negate"}};
  TransformSpec spec;
  spec.alias = alias;
  ReadCondition(properties, section, predicates, &spec, findings);
  const TransformClass* found = ReadTransformClass(properties, section, &spec, findings);
  if (found == nullptr) return std::nullopt;
  spec.kind = found->kind;
  section.options = found->options;
  const std::vector<std::string> older = java::SplitCommaList(found->older_options);
  section.other_options.insert(section.other_options.end(), older.begin(), older.end());
  const size_t errors = findings->error_count();
  spec.options = ReadOptions(properties, section, findings);
  const std::string type = absl::StrCat(section.prefix, "type");
  if (found->check != nullptr && findings->error_count() == errors) {
    const OptionProblem problem = found->check(spec.options);
    if (!problem.text.empty())
      findings->Error(absl::StrCat(section.prefix, problem.option), problem.text, problem.fix);
  }
  if (spec.kind == TransformKind::kFilter && !spec.predicate)
    findings->Warn(type,
                   absl::StrCat("drops every record: '", section.prefix, "predicate' is not set"));
  if (found->modernize != nullptr) {
    if (const std::string warning = found->modernize(&spec.options); !warning.empty())
      findings->Warn(type, warning);
  }
  CheckNeeds(properties, *found, type, findings);
  spec.strict = properties.Boolean("walduct.strict");
  if (found->guess != nullptr) {
    for (const Guess& guess : found->guess(alias, &spec.options))
      ReportGuess(guess, spec.strict, findings);
  }
  AddDefaults(section, &spec.options, findings);
  return spec;
}

bool BelongsToListedTransform(const PropertySet& properties, absl::string_view name) {
  for (const absl::string_view list : {"transforms", "predicates"}) {
    absl::string_view rest = name;
    const Property* property = properties.Find(list);
    if (property == nullptr || !absl::ConsumePrefix(&rest, absl::StrCat(list, "."))) continue;
    for (const std::string& alias : java::SplitCommaList(property->value)) {
      if (absl::StartsWith(rest, absl::StrCat(alias, "."))) return true;
    }
  }
  return false;
}

void WarnOfUnused(const PropertySet& properties, absl::string_view list, Findings* findings) {
  const std::string prefix = absl::StrCat(list, ".");
  for (const Property& property : properties.all()) {
    if (!absl::StartsWith(property.name, prefix) || !absl::EndsWith(property.name, ".type"))
      continue;
    if (!BelongsToListedTransform(properties, property.name))
      findings->Warn(property.written_as,
                     absl::StrCat("has no effect: ", list, " does not list it"));
  }
}

}  // namespace

std::string ExplainUnlisted(const PropertySet& properties, absl::string_view name) {
  if (BelongsToListedTransform(properties, name)) return "";
  const bool predicate = absl::StartsWith(name, "predicates.");
  return absl::StrCat("not listed in ", predicate ? "predicates" : "transforms");
}

TransformChainOptions ReadTransforms(const PropertySet& properties, Findings* findings) {
  TransformChainOptions chain;
  const std::vector<std::string> predicates = ReadAliases(properties, "predicates", findings);
  for (const std::string& alias : predicates) {
    if (std::optional<PredicateSpec> spec = ReadPredicate(properties, alias, findings))
      chain.predicates.push_back(*std::move(spec));
  }
  for (const std::string& alias : ReadAliases(properties, "transforms", findings)) {
    if (std::optional<TransformSpec> spec = ReadTransform(properties, alias, predicates, findings))
      chain.transforms.push_back(*std::move(spec));
  }
  WarnOfUnused(properties, "transforms", findings);
  WarnOfUnused(properties, "predicates", findings);
  return chain;
}

}  // namespace walduct::config
