#include "transform/properties/outbox_routing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "java/text/text_lists.h"
#include "transform/options/transform_class.h"
#include "transform/registry/registry.h"

namespace walduct::transform {
namespace {

constexpr absl::string_view kRouter = "io.debezium.transforms.outbox.EventRouter";
constexpr absl::string_view kImplicitAlias = "outbox";

bool BindsTables(const config::PropertySet& properties) {
  return properties.IsSet("walduct.outbox.tables") && properties.Boolean("walduct.outbox.route");
}

TransformSpec DefaultRouter(const config::PropertySet& properties) {
  const TransformClass& type = *FindTransformClass(kRouter);
  Setting setting{.alias = std::string(kImplicitAlias),
                  .options = OptionValues(type.options, type.older_options),
                  .strict = properties.Boolean("walduct.strict"),
                  .tables = BoundOutboxTables(properties),
                  .implicit = true};
  for (const OptionRow& option : type.options) {
    if (option.default_value) setting.options.PutDefault(option.name, *option.default_value);
  }
  return {.alias = setting.alias,
          .class_name = std::string(type.name),
          .type = &type,
          .strict = setting.strict,
          .tables = setting.tables,
          .make = type.make(setting)};
}

// An EventRouter that every record meets.
bool IsUnconditionalRouter(const config::PropertySet& properties, const std::string& alias) {
  const std::string prefix = absl::StrCat("transforms.", alias, ".");
  const config::Property* type = properties.Find(absl::StrCat(prefix, "type"));
  if (type == nullptr || properties.IsSet(absl::StrCat(prefix, "predicate"))) return false;
  const TransformClass* found = FindTransformClass(absl::StripAsciiWhitespace(type->value));
  return found != nullptr && found->makes_events;
}

bool IsTopicCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::shared_ptr<const java::RegexList> BoundOutboxTables(const config::PropertySet& properties) {
  return BindsTables(properties) ? properties.Regexes("walduct.outbox.tables") : nullptr;
}

void AddImplicitRouter(const config::PropertySet& properties, ChainSpec* chain) {
  const bool routed =
      std::any_of(chain->transforms.begin(), chain->transforms.end(),
                  [](const TransformSpec& spec) { return spec.type->makes_events; });
  if (BindsTables(properties) && !routed)
    chain->transforms.insert(chain->transforms.begin(), DefaultRouter(properties));
}

std::optional<Guess> GuessTopicPrefix(const std::string& name, config::PropertySet* properties) {
  const config::Property* transforms = properties->Find("transforms");
  if (properties->IsSet("topic.prefix") || transforms == nullptr || BindsTables(*properties))
    return std::nullopt;
  const std::vector<std::string> aliases = java::SplitCommaList(transforms->value);
  const bool routed = std::any_of(aliases.begin(), aliases.end(), [&](const std::string& alias) {
    return IsUnconditionalRouter(*properties, alias);
  });
  if (!routed || name.empty()) return std::nullopt;
  config::Property prefix;
  Guess guess = DeriveTopicPrefix(name, &prefix.value);
  if (properties->Boolean("walduct.strict")) return guess;
  prefix.name = prefix.written_as = "topic.prefix";
  prefix.raw = prefix.value;
  prefix.definition = properties->table().Find("topic.prefix");
  properties->Put(std::move(prefix));
  return guess;
}

Guess DeriveTopicPrefix(absl::string_view connector_name, std::string* prefix) {
  prefix->clear();
  for (const char c : connector_name) prefix->push_back(IsTopicCharacter(c) ? c : '_');
  return {absl::StrCat("topic.prefix is not set; '", *prefix,
                       "', from the connector's name, is used instead: every change is routed to a "
                       "topic that does not depend on it"),
          absl::StrCat("topic.prefix=", *prefix)};
}

}  // namespace walduct::transform
