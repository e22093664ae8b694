// offset_topic_gone of a topic that is made again: where positions were is gone, and the process
// alone knows the connector's.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::offset {

absl::Status OffsetTopicGone(absl::StatusCode code, absl::string_view topic, absl::string_view why);

}  // namespace walduct::offset
