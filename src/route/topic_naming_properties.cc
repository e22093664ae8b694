#include "route/topic_naming_properties.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "java/regex/regex.h"
#include "java/text/text_lists.h"

namespace walduct::route {
namespace {

constexpr absl::string_view kPackage = "io.debezium.schema.";
constexpr NamingStrategy kStrategies[] = {
    {"SchemaTopicNamingStrategy", true, false, false},
    {"SchemaUnicodeTopicNamingStrategy", true, true, false},
    {"SchemaRegexTopicNamingStrategy", true, false, true},
    {"DefaultTopicNamingStrategy", false, false, false},
    {"DefaultUnicodeTopicNamingStrategy", false, true, false},
    {"DefaultRegexTopicNamingStrategy", false, false, true},
};

// Null when absent, blank or invalid; the latter was reported already.
std::unique_ptr<java::Regex> Regex(const config::PropertySet& properties, absl::string_view name) {
  if (!properties.IsSet(name)) return nullptr;
  absl::StatusOr<std::unique_ptr<java::Regex>> regex =
      java::Regex::Compile(absl::StripAsciiWhitespace(properties.Text(name)), {});
  return regex.ok() ? *std::move(regex) : nullptr;
}

std::optional<TopicRewrite> BuildRewrite(const config::PropertySet& properties,
                                         absl::string_view regex, absl::string_view replacement) {
  std::unique_ptr<java::Regex> compiled = Regex(properties, regex);
  if (compiled == nullptr) return std::nullopt;
  return TopicRewrite{std::move(compiled), properties.Text(replacement)};
}

void CheckRewrite(const config::PropertySet& properties, absl::string_view regex,
                  absl::string_view replacement, config::Findings* findings) {
  if (!properties.IsSet(replacement)) {
    findings->Error(replacement, absl::StrCat("must be non-empty if ", regex, " is set"),
                    absl::StrCat("add it, with $1 for the first group of ", regex));
    return;
  }
  const std::unique_ptr<java::Regex> compiled = Regex(properties, regex);
  if (compiled == nullptr) return;
  const std::string problem = compiled->CheckReplacement(properties.Text(replacement));
  if (!problem.empty())
    findings->Error(*properties.Find(replacement), absl::StrCat("cannot be used: ", problem),
                    absl::StrCat("use groups of ", regex));
}

}  // namespace

const NamingStrategy* FindNamingStrategy(absl::string_view class_name) {
  for (const NamingStrategy& strategy : kStrategies) {
    if (class_name == strategy.simple_name ||
        class_name == absl::StrCat(kPackage, strategy.simple_name))
      return &strategy;
  }
  return nullptr;
}

std::string CheckNamingStrategy(absl::string_view value) {
  return FindNamingStrategy(value) != nullptr ? "" : "is not a known topic naming strategy";
}

void CheckTopicNaming(const config::PropertySet& properties, config::Findings* findings) {
  const NamingStrategy* strategy = FindNamingStrategy(properties.Text("topic.naming.strategy"));
  if (strategy == nullptr) return;  // reported already
  if (!strategy->regex) {
    for (const absl::string_view name :
         {"topic.regex", "topic.replacement", "topic.key.field.regex"}) {
      if (properties.IsSet(name))
        findings->Warn(name, absl::StrCat("has no effect with ", strategy->simple_name));
    }
    return;
  }
  if (!properties.IsSet("topic.regex")) {
    findings->Error("topic.regex", absl::StrCat("A value is required by ", strategy->simple_name),
                    "add the regular expression of the topics to rename");
    return;
  }
  CheckRewrite(properties, "topic.regex", "topic.replacement", findings);
  if (properties.IsSet("topic.key.field.regex"))
    CheckRewrite(properties, "topic.key.field.regex", "topic.key.field.replacement", findings);
}

TopicNamingOptions BuildTopicNaming(const config::PropertySet& properties) {
  const NamingStrategy* strategy = FindNamingStrategy(properties.Text("topic.naming.strategy"));
  CHECK(strategy != nullptr);  // checked before
  TopicNamingOptions naming;
  naming.with_schema = strategy->with_schema;
  naming.unicode = strategy->unicode;
  if (!strategy->regex) return naming;
  naming.rewrite = BuildRewrite(properties, "topic.regex", "topic.replacement");
  if (!properties.Boolean("topic.key.enforce.uniqueness")) return naming;
  naming.key_field = properties.Text("topic.key.field.name");
  naming.key_field_rewrite =
      BuildRewrite(properties, "topic.key.field.regex", "topic.key.field.replacement");
  return naming;
}

}  // namespace walduct::route
