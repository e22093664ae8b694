#include "offset/topic/offset_topics.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace walduct::offset {
namespace {

std::string NameOf(const kafka::TopicReadOptions& options) {
  std::string name = absl::StrCat(options.bootstrap_servers, "\n", options.topic, "\n",
                                  options.awaits_transactions ? "all" : "decided");
  for (const auto& [property, value] : options.java)
    absl::StrAppend(&name, "\n", property, "=", value);
  return name;
}

}  // namespace

absl::StatusOr<OffsetTopics::Reading> OffsetTopics::Read(const kafka::TopicReadOptions& options,
                                                         const Questions& questions) {
  Clock& clock = *options.environment.clock;
  MutexLock lock(mutex_);
  Topic& topic = topics_[NameOf(options)];
  // What is under way may be past what is asked for.
  const uint64_t wanted = topic.begun + 1;
  while (topic.ended < wanted) {
    if (topic.is_read) {
      ended_.wait(lock.of_std());
      continue;
    }
    topic.is_read = true;
    ++topic.begun;
    Known known = std::move(topic.known);
    topic.known = {};
    lock.Release();
    const std::string now_id = questions.id();
    const absl::Duration now = clock.Monotonic();
    if (now_id.empty() || now_id != known.id || now - known.read_at >= kFresh) known = {};
    absl::StatusOr<Reading> read = ReadOn(options, &known);
    if (read.ok()) read->fit = questions.fit();
    known.id = now_id;
    known.read_at = now;
    lock.Take();
    topic.is_read = false;
    topic.ended = topic.begun;
    if (read.ok() && !now_id.empty()) topic.known = std::move(known);
    topic.last = std::move(read);
    ended_.notify_all();
  }
  return topic.last;
}

absl::StatusOr<OffsetTopics::Reading> OffsetTopics::ReadOn(const kafka::TopicReadOptions& options,
                                                           Known* known) {
  kafka::TopicReadOptions on = options;
  on.from = known->ends;
  auto stream = kafka::TopicStream::Open(on);
  const auto places = known->places == nullptr ? std::make_shared<Places>()
                                               : std::make_shared<Places>(*known->places);
  // It is another topic, whatever its id says.
  if (absl::IsOutOfRange(stream.status())) {
    places->clear();
    on.from.clear();
    stream = kafka::TopicStream::Open(on);
  }
  RETURN_IF_ERROR(stream.status());
  Reading reading;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<kafka::TopicRecord> record, (*stream)->Next());
    if (!record) break;
    ++reading.records;
    if (!record->key) continue;
    Latest& latest = (*places)[{std::string(*record->key), record->partition}];
    latest.timestamp_ms = record->timestamp_ms;
    latest.value.reset();
    if (record->value) latest.value.emplace(*record->value);
  }
  known->ends = (*stream)->Ends();
  known->places = reading.places = places;
  return reading;
}

void OffsetTopics::Sweep(absl::Duration now) {
  const MutexLock lock(mutex_);
  for (auto& [name, topic] : topics_) {
    if (topic.is_read || now - topic.known.read_at < kFresh) continue;
    topic.known = {};
    topic.last = Reading();
  }
}

}  // namespace walduct::offset
