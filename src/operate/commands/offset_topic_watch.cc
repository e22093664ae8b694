#include "operate/commands/offset_topic_watch.h"

#include "base/error.h"
#include "base/log.h"

namespace walduct::operate {

void OffsetTopicWatch::Add(const OffsetTopic& topic) {
  if (!topic.place.empty()) topics_.emplace(topic.place, topic.look);
}

void OffsetTopicWatch::Start(absl::Duration interval) {
  if (topics_.empty()) return;
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
  for (const auto& [place, look] : topics_) {
    const absl::Status looked = look();
    // Others are told by who stores there.
    if (ErrorReason(looked) != "offset_topic_not_compacted") continue;
    log::Warn(std::string(looked.message()),
              {{"reason", ErrorReason(looked)}, {"hint", ErrorHint(looked)}});
    found.Update(looked);
  }
  const MutexLock lock(mutex_);
  trouble_ = found;
}

}  // namespace walduct::operate
