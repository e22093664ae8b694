#include "transform/properties/chain_properties.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "java/text/text_lists.h"
#include "transform/options/transform_class.h"
#include "transform/properties/option_reader.h"
#include "transform/properties/outbox_routing.h"
#include "transform/registry/registry.h"

namespace walduct::transform {
namespace {

using config::Findings;
using config::Property;
using config::PropertySet;

std::vector<std::string> ReadAliases(const PropertySet& properties, absl::string_view list,
                                     Findings* findings) {
  const Property* property = properties.Find(list);
  if (property == nullptr) return {};
  std::vector<std::string> aliases = java::SplitCommaList(property->value);
  const auto commas =
      static_cast<size_t>(std::count(property->value.begin(), property->value.end(), ','));
  if (!aliases.empty() && aliases.size() < commas + 1)
    findings->Warn(list, "has an empty item, which Kafka Connect does not accept; remove it");
  std::set<std::string> seen;
  for (const std::string& alias : aliases) {
    if (!seen.insert(alias).second)
      findings->Error(*property, absl::StrCat("names '", alias, "' twice"),
                      "give each its own name");
  }
  return aliases;
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

// The predicates that are fine, by their aliases.
struct NamedPredicate {
  std::string alias;
  PredicatePtr predicate;
};

// Null: something is wrong with it (said).
PredicatePtr ReadPredicate(const PropertySet& properties, const std::string& alias,
                           Findings* findings) {
  Section section{.prefix = absl::StrCat("predicates.", alias, "."),
                  .generic = {"type", "plugin.version"},
                  .strict = properties.Boolean("walduct.strict")};
  const std::string written = ReadClass(properties, section.prefix, "predicates", findings);
  if (written.empty()) return nullptr;
  const PredicateClass* found = FindPredicateClass(written);
  if (found == nullptr) {
    findings->Error(absl::StrCat(section.prefix, "type"), "is not a known predicate",
                    AdvisePredicateClass(written));
    return nullptr;
  }
  section.options = found->options;
  OptionValues options = ReadOptions(properties, section, findings);
  AddDefaults(section, &options, findings);
  return findings->refused() ? nullptr : found->make(options);
}

// One transform while it is read.
class TransformReader {
 public:
  TransformReader(const PropertySet& properties, const std::string& alias, Findings* findings)
      : properties_(properties),
        findings_(*findings),
        section_{.prefix = absl::StrCat("transforms.", alias, "."),
                 .generic = {"type", "predicate", "negate", "plugin.version"},
                 .strict = properties.Boolean("walduct.strict")},
        type_(absl::StrCat(section_.prefix, "type")) {
    spec_.alias = alias;
    spec_.strict = properties.Boolean("walduct.strict");
  }

  // Of use only when nothing was found wrong.
  TransformSpec Read(const std::vector<std::string>& aliases,
                     const std::vector<NamedPredicate>& predicates) {
    ReadCondition(aliases, predicates);
    spec_.type = FindClass();
    if (spec_.type == nullptr) return std::move(spec_);
    OptionValues options = ReadClassOptions();
    if (findings_.refused()) return std::move(spec_);
    if (spec_.type->makes_events && !conditional_) spec_.tables = BoundOutboxTables(properties_);
    spec_.make = spec_.type->make({.alias = spec_.alias,
                                   .target = target_,
                                   .options = std::move(options),
                                   .strict = spec_.strict,
                                   .tables = spec_.tables});
    return std::move(spec_);
  }

 private:
  void ReadCondition(const std::vector<std::string>& aliases,
                     const std::vector<NamedPredicate>& predicates) {
    const std::string name = absl::StrCat(section_.prefix, "predicate");
    if (const Property* negate = properties_.Find(absl::StrCat(section_.prefix, "negate")))
      ReadNegate(*negate, name);
    const Property* predicate = properties_.Find(name);
    if (predicate == nullptr) return;
    const std::string alias(absl::StripAsciiWhitespace(predicate->value));
    if (alias.empty()) {
      findings_.Error(*predicate, "does not name a predicate",
                      "remove the line, or name one that predicates lists");
      return;
    }
    if (std::find(aliases.begin(), aliases.end(), alias) == aliases.end()) {
      findings_.Error(name, "is not listed in predicates",
                      aliases.empty()
                          ? "add predicates=" + alias
                          : absl::StrCat("predicates lists ", absl::StrJoin(aliases, ", ")));
      return;
    }
    conditional_ = true;
    for (const NamedPredicate& one : predicates) {
      if (one.alias == alias) spec_.predicate = one.predicate;
    }
  }

  void ReadNegate(const Property& negate, const std::string& predicate) {
    const std::string value = absl::AsciiStrToLower(absl::StripAsciiWhitespace(negate.value));
    if (value != "true" && value != "false")
      findings_.Error(negate, "Either 'true' or 'false' is expected", "");
    if (!properties_.IsSet(predicate))
      findings_.Error(negate, "has no predicate to negate",
                      absl::StrCat("add '", predicate, "' or remove it"));
    spec_.negate = value == "true";
  }

  const TransformClass* FindClass() {
    const std::string written = ReadClass(properties_, section_.prefix, "transforms", &findings_);
    if (written.empty()) return nullptr;
    const TransformClass* found = FindTransformClass(written.substr(0, written.find('$')));
    if (found == nullptr) {
      findings_.Error(type_, "is not a known transform", AdviseTransformClass(written));
      return nullptr;
    }
    if (!found->refused.empty()) {
      findings_.Error(type_, found->refused, "");
      return nullptr;
    }
    return ReadTarget(*found, written) ? found : nullptr;
  }

  bool ReadTarget(const TransformClass& found, const std::string& written) {
    const size_t dollar = written.find('$');
    const std::string target = dollar == std::string::npos ? "" : written.substr(dollar + 1);
    spec_.class_name = std::string(found.name);
    if (!found.has_targets && target.empty()) return true;
    if (found.has_targets && (target == "Key" || target == "Value")) {
      target_ = target == "Key" ? TransformTarget::kKey : TransformTarget::kValue;
      absl::StrAppend(&spec_.class_name, "$", target);
      return true;
    }
    findings_.Error(type_,
                    found.has_targets ? "does not say whether it applies to keys or values"
                                      : "has no variant for keys or values",
                    found.has_targets
                        ? absl::StrCat("use ", found.name, "$Key or ", found.name, "$Value")
                        : absl::StrCat("use ", found.name));
    return false;
  }

  OptionValues ReadClassOptions() {
    const TransformClass& type = *spec_.type;
    section_.options = type.options;
    section_.older = type.older_options;
    const size_t errors = findings_.error_count();
    OptionValues options = ReadOptions(properties_, section_, &findings_);
    if (type.check != nullptr && findings_.error_count() == errors) {
      const OptionProblem problem = type.check(options);
      if (!problem.text.empty())
        findings_.Error(absl::StrCat(section_.prefix, problem.option), problem.text, problem.fix);
    }
    if (!type.without_predicate.empty() && !conditional_)
      findings_.Warn(type_, absl::StrCat(type.without_predicate, ": '", section_.prefix,
                                         "predicate' is not set"));
    if (type.modernize != nullptr) {
      if (const std::string warning = type.modernize(&options); !warning.empty())
        findings_.Warn(type_, warning);
    }
    CheckNeeds();
    if (type.guess != nullptr) {
      for (const Guess& guess : type.guess(spec_.alias, &options))
        ReportGuess(guess, spec_.strict, &findings_);
    }
    AddDefaults(section_, &options, &findings_);
    return options;
  }

  void CheckNeeds() {
    const std::vector<std::string> needed = java::SplitCommaList(spec_.type->needs_one_of);
    if (needed.empty()) return;
    for (const std::string& name : needed) {
      const Property* property = properties_.Find(name);
      if (property != nullptr && !property->value.empty()) return;
    }
    findings_.Error(type_, absl::StrCat("needs ", absl::StrJoin(needed, " or ")),
                    absl::StrCat("set ", needed[0], "=.*"));
  }

  const PropertySet& properties_;
  Findings& findings_;
  Section section_;
  const std::string type_;  // its property
  TransformSpec spec_;
  TransformTarget target_ = TransformTarget::kRecord;
  bool conditional_ = false;
};

// Is name an option of a transform or predicate that its list names?
bool IsListed(const PropertySet& properties, absl::string_view name) {
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
    if (!IsListed(properties, property.name))
      findings->Warn(property.written_as,
                     absl::StrCat("has no effect: ", list, " does not list it"));
  }
}

// Of a listed transform whose class is known: has the class no such option?
bool IsForeign(const PropertySet& properties, absl::string_view name) {
  absl::string_view rest = name;
  const Property* list = properties.Find("transforms");
  if (list == nullptr || !absl::ConsumePrefix(&rest, "transforms.")) return false;
  for (const std::string& alias : java::SplitCommaList(list->value)) {
    absl::string_view option = rest;
    const Property* type = properties.Find(absl::StrCat("transforms.", alias, ".type"));
    if (type == nullptr || !absl::ConsumePrefix(&option, absl::StrCat(alias, "."))) continue;
    const absl::string_view written = absl::StripAsciiWhitespace(type->value);
    const TransformClass* found = FindTransformClass(written.substr(0, written.find('$')));
    if (found == nullptr || !found->refused.empty()) return false;
    if (option == "type" || option == "predicate" || option == "negate") return false;
    if (java::ListContains(found->older_options, option)) return false;
    return std::none_of(found->options.begin(), found->options.end(), [&](const OptionRow& row) {
      return row.name == option || java::ListContains(row.aliases, option);
    });
  }
  return false;
}

// Options of a transform are read where its list names it, and its class has them.
std::string ExplainIdle(const PropertySet& properties, absl::string_view name) {
  if (absl::EndsWith(name, ".plugin.version")) return "classes are built in, in one version";
  if (IsForeign(properties, name)) return "the class has no such option";
  if (IsListed(properties, name)) return "";
  const bool predicate = absl::StartsWith(name, "predicates.");
  return absl::StrCat("not listed in ", predicate ? "predicates" : "transforms");
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "transforms",
     .type = config::PropertyType::kList,
     .doc = "Names of single message transforms, in order of application; see docs/transforms.md."},
    {.name = "transforms.*",
     .doc = "Class, predicate and options of a transform that transforms lists.",
     .idle = ExplainIdle},
    {.name = "predicates",
     .type = config::PropertyType::kList,
     .doc = "Names of predicates of transforms."},
    {.name = "predicates.*",
     .doc = "Class and options of a predicate that predicates lists.",
     .idle = ExplainIdle},
};

}  // namespace

absl::Span<const config::PropertyDefinition> ChainProperties() { return kRows; }

ChainSpec ReadChain(const PropertySet& properties, Findings* findings) {
  ChainSpec chain;
  const std::vector<std::string> aliases = ReadAliases(properties, "predicates", findings);
  std::vector<NamedPredicate> predicates;
  for (const std::string& alias : aliases)
    predicates.push_back({alias, ReadPredicate(properties, alias, findings)});
  for (const std::string& alias : ReadAliases(properties, "transforms", findings)) {
    TransformSpec spec = TransformReader(properties, alias, findings).Read(aliases, predicates);
    if (spec.type != nullptr) chain.transforms.push_back(std::move(spec));
  }
  WarnOfUnused(properties, "transforms", findings);
  WarnOfUnused(properties, "predicates", findings);
  if (!findings->refused()) AddImplicitRouter(properties, &chain);
  return chain;
}

}  // namespace walduct::transform
