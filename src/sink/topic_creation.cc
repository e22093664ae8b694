#include "sink/topic_creation.h"

#include "base/check.h"
#include "base/error.h"
#include "java/regex/regex_list.h"

namespace walduct::sink {
namespace {

bool Takes(const TopicCreationGroup& group, absl::string_view topic) {
  if (group.name == "default") return true;
  if (!group.include || !group.include->Matches(topic)) return false;
  return !group.exclude || !group.exclude->Matches(topic);
}

}  // namespace

kafka::NewTopic PlanTopic(absl::string_view topic, const std::vector<TopicCreationGroup>& groups) {
  CHECK(!groups.empty());
  const TopicCreationGroup* chosen = &groups.back();
  for (const TopicCreationGroup& group : groups) {
    if (!Takes(group, topic)) continue;
    chosen = &group;
    break;
  }
  return {.name = std::string(topic),
          .partitions = chosen->partitions,
          .replication_factor = chosen->replication_factor,
          .configs = chosen->configs};
}

absl::Status DeadLetterError(const absl::Status& error) {
  const absl::Status named = WithContext(error, "the dead letter topic cannot be created");
  if (ErrorReason(error) != "topic_settings_invalid") return named;
  return Error(named.code(), ErrorReason(error), named.message(),
               "set errors.deadletterqueue.topic.replication.factor to at most the number of "
               "brokers, or create the topic");
}

}  // namespace walduct::sink
