#include "config/outbox_routing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "config/transforms/transform_class.h"
#include "java/text/text_lists.h"

namespace walduct::config {
namespace {

constexpr absl::string_view kRouter = "io.debezium.transforms.outbox.EventRouter";
constexpr absl::string_view kImplicitAlias = "outbox";

bool BindsTables(const PropertySet& properties) {
  return properties.IsSet("walduct.outbox.tables") && properties.Boolean("walduct.outbox.route");
}

TransformSpec DefaultRouter(bool strict) {
  TransformSpec spec;
  spec.alias = std::string(kImplicitAlias);
  spec.kind = TransformKind::kEventRouter;
  spec.strict = strict;
  for (const TransformOption& option : FindTransformClass(kRouter)->options) {
    if (option.default_value)
      spec.options.PutDefault(std::string(option.name), std::string(*option.default_value));
  }
  return spec;
}

// An EventRouter that every record meets.
bool IsUnconditionalRouter(const PropertySet& properties, const std::string& alias) {
  const std::string prefix = absl::StrCat("transforms.", alias, ".");
  const Property* type = properties.Find(absl::StrCat(prefix, "type"));
  if (type == nullptr || properties.IsSet(absl::StrCat(prefix, "predicate"))) return false;
  const TransformClass* found = FindTransformClass(absl::StripAsciiWhitespace(type->value));
  return found != nullptr && found->kind == TransformKind::kEventRouter;
}

}  // namespace

void BindOutboxTables(const PropertySet& properties, TransformChainOptions* chain) {
  if (!BindsTables(properties)) return;
  std::vector<TransformSpec>& all = chain->transforms;
  const auto is_router = [](const TransformSpec& spec) {
    return spec.kind == TransformKind::kEventRouter;
  };
  if (std::none_of(all.begin(), all.end(), is_router))
    all.insert(all.begin(), DefaultRouter(properties.Boolean("walduct.strict")));
  for (TransformSpec& spec : all) {
    if (is_router(spec) && !spec.predicate)
      spec.tables = properties.Regexes("walduct.outbox.tables");
  }
}

std::optional<Guess> GuessTopicPrefix(const std::string& name, PropertySet* properties) {
  const Property* transforms = properties->Find("transforms");
  if (properties->IsSet("topic.prefix") || transforms == nullptr || BindsTables(*properties))
    return std::nullopt;
  const std::vector<std::string> aliases = java::SplitCommaList(transforms->value);
  const bool routed = std::any_of(aliases.begin(), aliases.end(), [&](const std::string& alias) {
    return IsUnconditionalRouter(*properties, alias);
  });
  if (!routed || name.empty()) return std::nullopt;
  Property prefix;
  Guess guess = DeriveTopicPrefix(name, &prefix.value);
  if (properties->Boolean("walduct.strict")) return guess;
  prefix.name = prefix.written_as = "topic.prefix";
  prefix.raw = prefix.value;
  prefix.definition = properties->table().Find("topic.prefix");
  properties->Put(std::move(prefix));
  return guess;
}

}  // namespace walduct::config
