// Connect's topic.creation.groups: which settings a new topic gets.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "kafka/topic_admin.h"
#include "sink/kafka_sink_options.h"

namespace walduct::sink {

// By the first group, in order, whose include list matches the name and whose exclude list does
// not; the group "default" matches every name. groups must not be empty.
kafka::NewTopic PlanTopic(absl::string_view topic, const std::vector<TopicCreationGroup>& groups);

// Of the dead letter topic, which has settings of its own.
absl::Status DeadLetterError(const absl::Status& error);

}  // namespace walduct::sink
