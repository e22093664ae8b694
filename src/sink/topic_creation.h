// Connect's topic.creation.groups: which settings a new topic gets.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "config/options/options.h"
#include "kafka/topic_admin.h"

namespace walduct::sink {

// By the first group, in order, whose include list matches the name and whose exclude list does
// not; the group "default" matches every name. groups must not be empty.
kafka::NewTopic PlanTopic(absl::string_view topic,
                          const std::vector<config::TopicCreationGroup>& groups);

}  // namespace walduct::sink
