#include "sink/kafka_sink.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "sink/topic_creation.h"

namespace walduct::sink {
namespace {

// A broker that is away is asked again, so the sooner a request ends the sooner the next finds it.
constexpr absl::Duration kRequestTimeout = absl::Seconds(10);
// Topics in one request.
constexpr size_t kRequestTopics = 500;

class Forward final : public kafka::DeliveryHandler {
 public:
  explicit Forward(AckHandler* acks) : acks_(acks) {}
  void OnDelivered(uint64_t token, uint32_t count) override { acks_->OnAcknowledged(token, count); }

 private:
  AckHandler* acks_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> KafkaSink::Create(const config::SinkOptions& options,
                                                        const config::KafkaOptions& kafka) {
  const bool creates = !options.topic_creation.empty();
  ASSIGN_OR_RETURN(std::unique_ptr<kafka::Producer> producer,
                   kafka::Producer::Create({.bootstrap_servers = kafka.bootstrap_servers,
                                            .java = kafka.producer,
                                            .rules = {.buffer_bytes = options.buffer_bytes,
                                                      .auto_create_topics = !creates}}));
  return std::unique_ptr<Sink>(new KafkaSink(std::move(producer), options.topic_creation));
}

KafkaSink::KafkaSink(std::unique_ptr<kafka::Producer> producer,
                     std::vector<config::TopicCreationGroup> groups)
    : producer_(std::move(producer)),
      groups_(std::move(groups)),
      admin_(&producer_->client(), &producer_->wakeup()) {}

absl::Status KafkaSink::PrepareTopics(absl::Span<const std::string> topics) {
  Clock& clock = Clock::Real();
  const absl::Duration deadline = clock.Monotonic() + kPrepareTimeout;
  RETURN_IF_ERROR(producer_->CheckConnected(kRequestTimeout));
  if (groups_.empty()) return absl::OkStatus();
  std::vector<std::string> unknown;
  for (const std::string& topic : topics) {
    if (targets_.contains(topic)) continue;
    ASSIGN_OR_RETURN(Target * target, AddTarget(topic));
    if (!target->topic) unknown.push_back(topic);
  }
  for (size_t first = 0; first < unknown.size(); first += kRequestTopics) {
    admin_.StartExists(absl::MakeSpan(unknown).subspan(first, kRequestTopics), kRequestTimeout);
  }
  while (!admin_.idle() && clock.Monotonic() < deadline) {
    RETURN_IF_ERROR(TakeAnswers(deadline - clock.Monotonic()));
  }
  if (admin_.idle()) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "broker_unavailable",
               absl::StrCat("Kafka at ", producer_->client().bootstrap_servers(),
                            " does not answer about the topics"));
}

absl::Status KafkaSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  ASSIGN_OR_RETURN(Target * target, FindTarget(record.topic));
  if (!target->topic) return absl::ResourceExhaustedError("the topic is being looked for");
  kafka::Headers headers;
  for (const event::Header& header : record.headers) {
    headers.Add(header.name,
                header.is_null ? std::nullopt : std::optional<absl::string_view>(header.value),
                record.headers.size());
  }
  return producer_->Produce({.topic = &*target->topic,
                             .partition = record.partition,
                             .key = record.key,
                             .value = record.value,
                             .timestamp_ms = record.timestamp_ms,
                             .headers = &headers,
                             .token = ticket});
}

absl::Status KafkaSink::Poll(AckHandler& acks) {
  Forward forward(&acks);
  RETURN_IF_ERROR(producer_->Poll(forward));
  if (!admin_.idle()) RETURN_IF_ERROR(TakeAnswers(absl::ZeroDuration()));
  return broken_;
}

absl::Status KafkaSink::Flush(AckHandler& acks, absl::Duration timeout) {
  if (!broken_.ok()) return broken_;
  Forward forward(&acks);
  return producer_->Flush(forward, timeout);
}

absl::StatusOr<KafkaSink::Target*> KafkaSink::FindTarget(absl::string_view topic) {
  if (last_ != nullptr && last_->name == topic) return last_;
  if (const auto found = targets_.find(topic); found != targets_.end()) {
    last_ = found->second.get();
    return last_;
  }
  ASSIGN_OR_RETURN(last_, AddTarget(topic));
  if (!last_->topic) admin_.StartExists({last_->name}, kRequestTimeout);
  return last_;
}

absl::StatusOr<KafkaSink::Target*> KafkaSink::AddTarget(absl::string_view topic) {
  if (targets_.size() >= kMaxTopics) {
    return Error(absl::StatusCode::kFailedPrecondition, "too_many_topics",
                 absl::StrCat("more than ", kMaxTopics, " topics"),
                 "route to fewer topics, or split the connector");
  }
  std::string name(topic);
  RETURN_IF_ERROR(kafka::CheckTopicName(name));
  auto target = std::unique_ptr<Target>(new Target{name, std::nullopt});
  return targets_.emplace(std::move(name), std::move(target)).first->second.get();
}

absl::Status KafkaSink::TakeAnswers(absl::Duration wait) {
  for (const kafka::TopicAnswer& answer : admin_.Poll(wait)) {
    if (absl::Status status = OnAnswer(answer); !status.ok()) {
      broken_ = std::move(status);
      return broken_;
    }
  }
  return absl::OkStatus();
}

// Asked again after a time-out: each request waits for a broker by itself, so this does not spin.
absl::Status KafkaSink::OnAnswer(const kafka::TopicAnswer& answer) {
  const auto found = targets_.find(answer.topic);
  if (found == targets_.end()) return absl::OkStatus();
  Target& target = *found->second;
  if (answer.status.ok()) {
    if (answer.question == kafka::TopicAnswer::Question::kCreate) {
      log::Info("topic created", {{"topic", target.name}});
    }
    return OpenTarget(&target);
  }
  if (absl::IsUnavailable(answer.status)) {
    admin_.StartExists({target.name}, kRequestTimeout);
    return absl::OkStatus();
  }
  const bool missing = ErrorReason(answer.status) == "topic_missing";
  if (!missing || answer.question == kafka::TopicAnswer::Question::kCreate) return answer.status;
  // The broker creates it, or its first record fails.
  if (groups_.empty()) return OpenTarget(&target);
  admin_.StartCreate({PlanTopic(target.name, groups_)}, kRequestTimeout);
  return absl::OkStatus();
}

absl::Status KafkaSink::OpenTarget(Target* target) {
  ASSIGN_OR_RETURN(kafka::Topic topic, producer_->OpenTopic(target->name));
  target->topic.emplace(std::move(topic));
  return absl::OkStatus();
}

}  // namespace walduct::sink
