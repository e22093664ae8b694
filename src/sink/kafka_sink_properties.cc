#include "sink/kafka_sink_properties.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "config/properties/validators.h"
#include "java/text/text_lists.h"

namespace walduct::sink {
namespace {

using enum config::PropertyType;

constexpr absl::string_view kCountFix = "use a positive number, or -1 for the broker's default";

constexpr config::PropertyDefinition kTopicCreation[] = {
    {.name = "topic.creation.enable",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Worker: create missing topics if topic.creation.default.* is set."},
    {.name = "topic.creation.groups",
     .type = kList,
     .doc = "Names of topic groups, in order of precedence."},
    {.name = "topic.creation.<group>.include",
     .type = kRegexList,
     .doc = "Topics in the group, as regular expressions."},
    {.name = "topic.creation.<group>.exclude",
     .type = kRegexList,
     .doc = "Topics not in the group, as regular expressions."},
    {.name = "topic.creation.<group>.partitions",
     .type = kInt,
     .doc = "Partitions of the group's topics; -1 is the broker's default. Required for the group "
            "default.",
     .fix = kCountFix,
     .validator = config::CheckTopicPartitions},
    {.name = "topic.creation.<group>.replication.factor",
     .type = kInt,
     .doc = "Replicas of the group's topics; -1 is the broker's default. Required for the group "
            "default.",
     .fix = kCountFix,
     .validator = config::CheckTopicPartitions},
    {.name = "topic.creation.<group>.*", .doc = "Any topic property, e.g. cleanup.policy."},
};

bool UsesTopicCreation(const config::PropertySet& properties) {
  return std::any_of(properties.all().begin(), properties.all().end(),
                     [](const config::Property& property) {
                       return absl::StartsWith(property.name, "topic.creation.") &&
                              property.name != "topic.creation.enable";
                     });
}

std::optional<int> Count(const config::PropertySet& properties, const std::string& name) {
  int number = 0;
  if (!properties.IsSet(name) || !absl::SimpleAtoi(properties.Find(name)->value, &number))
    return std::nullopt;
  return number;
}

TopicCreationGroup BuildGroup(const config::PropertySet& properties, const std::string& name) {
  TopicCreationGroup group;
  group.name = name;
  const std::string prefix = absl::StrCat("topic.creation.", name, ".");
  const std::string fallback = "topic.creation.default.";
  group.partitions = Count(properties, prefix + "partitions")
                         .value_or(Count(properties, fallback + "partitions").value_or(-1));
  group.replication_factor =
      Count(properties, prefix + "replication.factor")
          .value_or(Count(properties, fallback + "replication.factor").value_or(-1));
  if (name != "default") {
    group.include = properties.Regexes(prefix + "include");
    group.exclude = properties.Regexes(prefix + "exclude");
  }
  for (const config::Property& property : properties.all()) {
    absl::string_view option = property.name;
    if (!absl::ConsumePrefix(&option, prefix)) continue;
    if (java::ListContains("include, exclude, partitions, replication.factor", option)) continue;
    group.configs[std::string(option)] = property.value;
  }
  return group;
}

std::vector<TopicCreationGroup> BuildTopicCreation(const config::PropertySet& properties) {
  std::vector<TopicCreationGroup> groups;
  if (!properties.Boolean("topic.creation.enable")) return groups;
  if (!properties.IsSet("topic.creation.default.partitions")) return groups;
  for (const std::string& name : java::SplitCommaList(properties.Text("topic.creation.groups"))) {
    groups.push_back(BuildGroup(properties, name));
  }
  groups.push_back(BuildGroup(properties, "default"));
  return groups;
}

}  // namespace

absl::Span<const config::PropertyDefinition> TopicCreationProperties() { return kTopicCreation; }

void CheckTopicCreation(const config::PropertySet& properties, config::Findings* findings) {
  if (!UsesTopicCreation(properties)) return;
  for (const absl::string_view name :
       {"topic.creation.default.replication.factor", "topic.creation.default.partitions"}) {
    if (properties.IsSet(name)) continue;
    findings->Error(name, "A value is required when topics are to be created",
                    "add it; -1 is the broker's default");
  }
  for (const std::string& group : java::SplitCommaList(properties.Text("topic.creation.groups"))) {
    const std::string include = absl::StrCat("topic.creation.", group, ".include");
    if (group == "default") {
      findings->Error("topic.creation.groups",
                      "the group 'default' always exists and cannot be listed", "remove it");
    } else if (!properties.IsSet(include)) {
      findings->Error(include, "A value is required for each group in topic.creation.groups",
                      "add the regular expressions of the group's topics");
    }
  }
}

KafkaSinkOptions BuildKafkaSink(const config::PropertySet& properties) {
  KafkaSinkOptions options;
  options.topic_creation = BuildTopicCreation(properties);
  return options;
}

}  // namespace walduct::sink
