#include "kafka/acked/acked_topic.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/error.h"

namespace walduct::kafka {
namespace {

// Tables come and go: what is known of more topics than that is not worth its memory.
constexpr size_t kMostKept = 16'384;
// Between two readings of the clock.
constexpr absl::Duration kMargin = absl::Milliseconds(1);

}  // namespace

bool AckedTopic::Begin(int32_t partition, int64_t offset, absl::Duration now) {
  if (partition < 0 || offset < 0) return true;
  marks_.resize(static_cast<size_t>(partition) + 1);
  marks_.back() = {offset, now};
  return true;
}

// A record that was sent twice may be reported behind later ones, but was produced before their
// reports. Where a log has grown again beneath records that waited, one has the highest offset.
absl::Status AckedTopic::Judge(absl::string_view name, int32_t partition, int64_t offset,
                               absl::Duration produced) {
  const auto index = static_cast<size_t>(partition);
  if (offset < 0 || index >= marks_.size()) return absl::OkStatus();  // the offset is not known
  const Mark mark = marks_[index];
  if (offset != mark.highest && produced <= mark.at + kMargin) return absl::OkStatus();
  Forget();
  lost = true;
  return Error(
      absl::StatusCode::kUnavailable, "topic_deleted",
      absl::StrCat(
          "topic ", name, " has lost records that it had acknowledged: partition ", partition,
          " gave offset ", offset, " to a record after ", mark.highest,
          ", as where its log was emptied or cut, or the topic was created anew: ", kConsumersLose),
      "look at the brokers for what took it: a lost or emptied volume of log.dirs, an unclean "
      "leader election, a deletion");
}

absl::Status OfInternalTopic(const absl::Status& error, absl::string_view instead) {
  if (ErrorReason(error) != "topic_deleted") return error;
  return Error(error.code(), ErrorReason(error),
               absl::StrReplaceAll(error.message(), {{kConsumersLose, instead}}), ErrorHint(error));
}

std::shared_ptr<AckedTopics> OfNewProducer(std::shared_ptr<AckedTopics> before) {
  if (before == nullptr) return std::make_shared<AckedTopics>();
  if (before->size() > kMostKept) before->clear();
  for (auto& [name, topic] : *before) topic.taken = false;
  return before;
}

}  // namespace walduct::kafka
