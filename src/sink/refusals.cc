#include "sink/refusals.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/producer.h"

namespace walduct::sink {
namespace {

// More than are in flight as a rule: the refused one is among them.
constexpr uint64_t kAloneRecords = 10'000;
// More than brokers take as a rule.
constexpr size_t kLargestBatch = size_t{1} << 20;
// A topic may be created, and a right granted, meanwhile.
constexpr absl::Duration kAskAgain = absl::Minutes(1);

bool IsOfTopic(const absl::Status& error, const TolerateTopics& tolerate) {
  const std::string reason = ErrorReason(error);
  return (tolerate.missing && reason == "topic_missing") ||
         (tolerate.denied && reason == "topic_authorization_failed");
}

absl::Status OfRecord(const absl::Status& error) {
  return Error(absl::StatusCode::kInvalidArgument, ErrorReason(error), error.message(),
               ErrorHint(error));
}

absl::Status Again(const absl::Status& broken, absl::string_view what) {
  return Error(absl::StatusCode::kUnavailable, "batch_refused",
               absl::StrCat(broken.message(), ": ", what));
}

}  // namespace

void Refusals::Topic::OnTaken() {
  if (alone_left > 0) --alone_left;
  refused = absl::OkStatus();
}

void Refusals::Note(const absl::Status& error, const std::string& topic) {
  for (auto& [name, acked] : *acked_) {
    if (std::exchange(acked.lost, false)) deleted_.insert(name);
  }
  if (ErrorReason(error) != "topic_deleted") return;
  deleted_.insert(topic);
  if (const auto found = acked_->find(topic); found != acked_->end()) found->second.Forget();
}

Refusals::Topic* Refusals::Find(absl::string_view topic) {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? nullptr : &found->second;
}

absl::Status Refusals::Learn(const absl::Status& broken, const kafka::FailedBatch& batch,
                             const TolerateTopics& tolerate, absl::Duration now) {
  const bool of_record = IsOfTopic(broken, tolerate) || absl::IsInvalidArgument(broken);
  if (batch.topic.empty() || !of_record) return broken;
  // A call of a transaction may have told of another failure first.
  const absl::Status& own = batch.status.ok() ? broken : batch.status;
  if (IsOfTopic(own, tolerate)) {
    RefuseTopic(own, batch.topic, now).IgnoreError();
    return Again(own, "records for it are let pass from now on");
  }
  if (!absl::IsInvalidArgument(own)) return broken;
  if (ErrorReason(own) == "record_too_large") return Narrow(own, batch);
  topics_[batch.topic].alone_left = kAloneRecords;
  return Again(own, absl::StrCat("one of ", batch.records,
                                 " records; they are sent again one by one to find it"));
}

// Each attempt knows better than the one before: batches come to be of one record, and records of
// which each is sent alone are reported by themselves.
absl::Status Refusals::LearnUnreported(const absl::Status& broken, size_t in_flight,
                                       absl::Span<const absl::string_view> topics) {
  const std::string reason = ErrorReason(broken);
  if (reason == "record_too_large") {
    if (batch_bytes_ == 1) return broken;
    const size_t most = in_flight == 0 ? kLargestBatch : std::min(in_flight, kLargestBatch);
    batch_bytes_ =
        std::max<size_t>((batch_bytes_ == 0 ? most : std::min(batch_bytes_, most)) / 2, 1);
    return Again(broken, absl::StrCat("which batch it was is not reported; records are sent again "
                                      "in batches of at most ",
                                      batch_bytes_, " bytes"));
  }
  if (reason != "record_refused" && reason != "record_timestamp_refused") return broken;
  bool knows_better = false;
  for (const absl::string_view topic : topics) {
    Topic& known = topics_[topic];
    knows_better = knows_better || known.alone_left == 0;
    known.alone_left = kAloneRecords;
  }
  if (!knows_better) return broken;
  return Again(broken, "which batch it was is not reported; records are sent again one by one");
}

// Each time at most half as much shares a batch, so this comes to an end.
absl::Status Refusals::Narrow(const absl::Status& broken, const kafka::FailedBatch& batch) {
  Topic& topic = topics_[batch.topic];
  const size_t most = batch.records > 1 ? std::max<size_t>(batch.bytes / 2, 1) : batch.largest;
  if (most >= topic.alone_from && batch.records <= 1) return broken;
  topic.alone_from = std::min(topic.alone_from, most);
  if (batch.records > 1) batch_bytes_ = batch_bytes_ == 0 ? most : std::min(batch_bytes_, most);
  return Again(broken, absl::StrCat(batch.records, " records, whose keys and values are ",
                                    batch.bytes, " bytes together, the largest of ", batch.largest,
                                    " (headers and what the batch adds to each record, which the "
                                    "broker's limit counts as well, come on top)",
                                    "; they are sent again in smaller batches, those of ",
                                    topic.alone_from, " bytes or more alone"));
}

absl::Status Refusals::RefuseTopic(const absl::Status& error, absl::string_view topic,
                                   absl::Duration now) {
  Topic& refused = topics_[topic];
  refused.refused = OfRecord(error);
  refused.refused_until = now + kAskAgain;
  return refused.refused;
}

absl::Status Refusals::Judge(const absl::Status& fate, absl::string_view topic,
                             const TolerateTopics& tolerate, absl::Duration now) {
  Topic& known = topics_[topic];
  if (fate.ok()) {
    known.OnTaken();
    return fate;
  }
  if (IsOfTopic(fate, tolerate)) return RefuseTopic(fate, topic, now);
  if (absl::IsInvalidArgument(fate) && known.alone_left > 0) known.alone_left = kAloneRecords;
  return fate;
}

bool Refusals::MayAwait(const std::string& topic, absl::Duration now) {
  constexpr absl::Duration kMost = absl::Minutes(1);
  return now - awaited_.try_emplace(topic, now).first->second < kMost;
}

}  // namespace walduct::sink
