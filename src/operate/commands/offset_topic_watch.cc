#include "operate/commands/offset_topic_watch.h"

#include "base/error.h"
#include "base/log.h"

namespace walduct::operate {

void OffsetTopicWatch::Add(const OffsetTopic& topic) {
  if (topic.topic.empty()) return;
  Asked& asked = asked_[topic.clients];
  asked.look = topic.look;
  asked.topics.insert(topic.topic);
}

void OffsetTopicWatch::Start(absl::Duration interval) {
  if (asked_.empty()) return;
  thread_.Start([this, interval] {
    while (thread_.Pause(interval)) Look();
  });
}

absl::Status OffsetTopicWatch::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

void OffsetTopicWatch::Look() {
  absl::Status found;
  for (const auto& [clients, asked] : asked_) {
    if (thread_.stopping()) return;
    for (const absl::Status& looked : asked.look({asked.topics.begin(), asked.topics.end()})) {
      // Others are told by who stores there.
      if (ErrorReason(looked) != "offset_topic_not_compacted") continue;
      log::Warn(std::string(looked.message()),
                {{"reason", ErrorReason(looked)}, {"hint", ErrorHint(looked)}});
      found.Update(looked);
    }
  }
  const MutexLock lock(mutex_);
  trouble_ = found;
}

}  // namespace walduct::operate
