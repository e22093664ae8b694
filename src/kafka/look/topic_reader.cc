#include "kafka/look/topic_reader.h"

#include <memory>
#include <optional>

#include "base/status_macros.h"

namespace walduct::kafka {

absl::Status ReadTopic(const TopicReadOptions& options,
                       const std::function<void(const TopicRecord&)>& handler) {
  ASSIGN_OR_RETURN(const std::unique_ptr<TopicStream> stream, TopicStream::Open(options));
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<TopicRecord> record, stream->Next());
    if (!record) return absl::OkStatus();
    handler(*record);
  }
}

}  // namespace walduct::kafka
