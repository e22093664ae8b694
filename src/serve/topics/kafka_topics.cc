#include "serve/topics/kafka_topics.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/acked/acked_topic.h"
#include "kafka/look/topic_description.h"
#include "kafka/look/topic_policy.h"
#include "kafka/look/topic_reader.h"
#include "kafka/look/topic_stream.h"
#include "kafka/options.h"
#include "kafka/topic_admin.h"

namespace walduct::serve {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(30);
constexpr absl::Duration kRequestTimeout = absl::Seconds(10);
constexpr size_t kBufferBytes = 8u << 20;
// Until every broker knows a topic that was just created.
constexpr absl::Duration kSpreads = absl::Seconds(10);
constexpr absl::Duration kLookAgain = absl::Milliseconds(100);
constexpr absl::string_view kOwnLost =
    "it is the worker's own, and holds no records of tables: the connectors go on, and what this "
    "worker knows is written into it again";

}  // namespace

const InternalTopicOptions& KafkaTopics::OptionsOf(InternalTopic topic) const {
  switch (topic) {
    case InternalTopic::kConfigs:
      return options_.configs;
    case InternalTopic::kStatus:
      return options_.status;
    case InternalTopic::kOffsets:
      return options_.offsets;
  }
  return options_.configs;
}

absl::Status KafkaTopics::Open() {
  if (writer_.producer != nullptr) return absl::OkStatus();
  const kafka::KafkaOptions now = kafka::WithFreshSecrets(*options_.clients);
  ASSIGN_OR_RETURN(
      writer_.producer,
      kafka::Producer::Create(
          {.bootstrap_servers = now.bootstrap_servers,
           .java = now.producer,
           .rules = {.buffer_bytes = kBufferBytes, .auto_create_topics = false, .linger_ms = 0},
           .environment = environment_}));
  for (const InternalTopic topic :
       {InternalTopic::kConfigs, InternalTopic::kStatus, InternalTopic::kOffsets}) {
    ASSIGN_OR_RETURN(kafka::Topic opened, writer_.producer->OpenTopic(OptionsOf(topic).name));
    writer_.topics.push_back(std::move(opened));
  }
  return absl::OkStatus();
}

void KafkaTopics::Close() {
  writer_.topics.clear();
  writer_.producer.reset();
}

absl::Status KafkaTopics::Prepare() {
  const MutexLock lock(mutex_);
  RETURN_IF_ERROR(Open());
  if (absl::Status connected = writer_.producer->CheckConnected(kRequestTimeout); !connected.ok()) {
    Close();
    return connected;
  }
  cluster_id_ = writer_.producer->client().ClusterId(kRequestTimeout);
  for (const InternalTopic topic :
       {InternalTopic::kConfigs, InternalTopic::kStatus, InternalTopic::kOffsets})
    RETURN_IF_ERROR(CreateMissing(OptionsOf(topic)));
  return absl::OkStatus();
}

absl::Status KafkaTopics::CheckSession() {
  const MutexLock lock(mutex_);
  RETURN_IF_ERROR(Open());
  kafka::Client& client = writer_.producer->client();
  const auto limit = [&client](const char* name) -> std::optional<absl::Duration> {
    const auto value = kafka::ReadBrokerProperty(client, name, kRequestTimeout);
    int64_t milliseconds = 0;
    if (!value || !absl::SimpleAtoi(*value, &milliseconds)) return std::nullopt;
    return absl::Milliseconds(milliseconds);
  };
  kafka::SessionLimits limits{.least = limit("group.min.session.timeout.ms")};
  // Who may not ask for the one may not ask for the other.
  if (limits.least) limits.most = limit("group.max.session.timeout.ms");
  const kafka::GroupTiming& timing = options_.timing;
  RETURN_IF_ERROR(kafka::CheckSession(options_.group_id, timing, /*shares=*/true, limits));
  log::Info("connectors are shared among the workers of the group",
            {{"group", options_.group_id},
             {"session_ms", absl::ToInt64Milliseconds(timing.session)},
             {"heartbeat_ms", absl::ToInt64Milliseconds(timing.heartbeat)},
             {"margin_ms", absl::ToInt64Milliseconds(kafka::MarginOf(timing))}});
  return absl::OkStatus();
}

absl::Status KafkaTopics::CheckThere() {
  const MutexLock lock(mutex_);
  RETURN_IF_ERROR(Open());
  const std::vector<std::string> names = {options_.configs.name, options_.status.name};
  kafka::TopicAdmin admin(&writer_.producer->client(), nullptr);
  admin.StartExists(names, kRequestTimeout);
  std::vector<std::string> gone;
  size_t there = 0;
  for (const auto& answer : admin.Poll(kRequestTimeout + absl::Seconds(1))) {
    if (ErrorReason(answer.status) == "topic_missing") gone.push_back(answer.topic);
    there += answer.status.ok() ? 1 : 0;
  }
  // A broker that does not answer now is not asked three times more: requests wait meanwhile.
  if (gone.empty() && there < names.size()) return absl::OkStatus();
  if (gone.empty())
    return CheckCompacted({options_.configs.name, options_.status.name, options_.offsets.name});
  return Error(absl::StatusCode::kFailedPrecondition, "worker_topic_gone",
               absl::StrCat("the topic ", absl::StrJoin(gone, " and the topic "),
                            " of this worker is gone: it was deleted. The connectors go on"),
               absl::StrCat("it is created again, and what this worker knows is written into it; "
                            "until then do not stop this process, and see that Kafka lets it "
                            "create the topic (or kafka-topics.sh --create --topic ",
                            gone.front(), " --partitions ",
                            gone.front() == options_.configs.name ? options_.configs.partitions
                                                                  : options_.status.partitions,
                            " --config cleanup.policy=compact)"));
}

std::vector<std::string> KafkaTopics::SimilarTo(InternalTopic topic) {
  const MutexLock lock(mutex_);
  if (!Open().ok()) return {};
  absl::StatusOr<std::vector<std::string>> names =
      kafka::ListTopics(writer_.producer->client(), "", kRequestTimeout);
  if (!names.ok()) return {};
  std::erase_if(*names, [this](const std::string& name) {
    return name == options_.configs.name || name == options_.status.name ||
           name == options_.offsets.name;
  });
  return SimilarNames(OptionsOf(topic).name, *names);
}

std::string KafkaTopics::ClusterId() {
  const MutexLock lock(mutex_);
  return cluster_id_;
}

absl::Status KafkaTopics::CreateMissing(const InternalTopicOptions& topic) {
  kafka::TopicAdmin admin(&writer_.producer->client(), nullptr);
  admin.StartExists({topic.name}, kRequestTimeout);
  const auto answers = admin.Poll(kRequestTimeout + absl::Seconds(1));
  const bool missing = !answers.empty() && ErrorReason(answers.front().status) == "topic_missing";
  if (!missing) {
    if (answers.empty()) return absl::UnavailableError("Kafka does not answer");
    RETURN_IF_ERROR(answers.front().status);
    return CheckCompacted({topic.name});
  }
  absl::Status created = Create(topic, topic.replication_factor);
  // The default of a cluster with fewer brokers than it asks for.
  if (ErrorReason(created) == "topic_settings_invalid" && topic.replication_factor == -1)
    created = Create(topic, 1);
  if (!created.ok()) {
    return Error(created.code(), ErrorReason(created),
                 absl::StrCat("cannot create the topic ", topic.name, ": ", created.message()),
                 absl::StrCat("kafka-topics.sh --bootstrap-server ",
                              writer_.producer->client().bootstrap_servers(), " --create --topic ",
                              topic.name, " --partitions ", topic.partitions,
                              " --config cleanup.policy=compact"));
  }
  created_ = environment_.clock->Monotonic();
  log::Info("topic created", {{"topic", topic.name}});
  return absl::OkStatus();
}

absl::Status KafkaTopics::Create(const InternalTopicOptions& topic, int replication_factor) {
  kafka::TopicAdmin admin(&writer_.producer->client(), nullptr);
  admin.StartCreate({{.name = topic.name,
                      .partitions = topic.partitions,
                      .replication_factor = replication_factor,
                      .configs = {{"cleanup.policy", "compact"}}}},
                    kRequestTimeout);
  const auto answers = admin.Poll(kRequestTimeout + absl::Seconds(1));
  return answers.empty() ? absl::UnavailableError("Kafka does not answer") : answers.front().status;
}

// As Connect checks them: with another policy the broker removes old configurations one day.
absl::Status KafkaTopics::CheckCompacted(const std::vector<std::string>& topics) {
  const auto policies = kafka::ReadTopicProperties(writer_.producer->client(), topics,
                                                   "cleanup.policy", kRequestTimeout);
  for (size_t i = 0; i < topics.size(); ++i) {
    if (!policies[i] || *policies[i] == "compact") continue;
    return Error(
        absl::StatusCode::kFailedPrecondition, "internal_topic_not_compacted",
        absl::StrCat("the topic ", topics[i], " has cleanup.policy=", *policies[i],
                     ": the broker would remove connectors and positions when they get old"),
        absl::StrCat("kafka-configs.sh --bootstrap-server ",
                     writer_.producer->client().bootstrap_servers(),
                     " --alter --entity-type topics --entity-name ", topics[i],
                     " --add-config cleanup.policy=compact"));
  }
  return absl::OkStatus();
}

absl::Status KafkaTopics::Send(const kafka::Topic& topic, const TopicEntry& entry) {
  std::optional<absl::string_view> value;
  if (entry.value) value = *entry.value;
  return writer_.producer->Produce({.topic = &topic, .key = entry.key, .value = value, .token = 1});
}

absl::Status KafkaTopics::AwaitAcknowledgement() {
  constexpr absl::Duration kStep = absl::Milliseconds(500);
  const absl::Duration deadline = environment_.clock->Monotonic() + kTimeout;
  while (true) {
    absl::Status flushed = writer_.producer->Flush(*this, kStep);
    if (!absl::IsDeadlineExceeded(flushed)) return kafka::OfInternalTopic(flushed, kOwnLost);
    if (environment_.clock->Monotonic() >= deadline || (is_away_ && is_away_())) return flushed;
  }
}

absl::Status KafkaTopics::Write(InternalTopic topic, const std::vector<TopicEntry>& entries) {
  const MutexLock lock(mutex_);
  RETURN_IF_ERROR(Open());
  absl::Status written;
  for (const TopicEntry& entry : entries) {
    written.Update(Send(writer_.topics[static_cast<size_t>(topic)], entry));
    if (!written.ok()) break;
  }
  if (written.ok()) written = AwaitAcknowledgement();
  // What may still be under way must not come after what the next call writes.
  if (!written.ok()) Close();
  return WithContext(written, absl::StrCat("topic ", OptionsOf(topic).name));
}

bool KafkaTopics::AreNew() {
  const MutexLock lock(mutex_);
  return created_ && environment_.clock->Monotonic() - *created_ < kSpreads;
}

absl::Status KafkaTopics::OnceKnown(const std::function<absl::Status()>& read) {
  absl::Status done = read();
  while (ErrorReason(done) == "topic_missing" && AreNew() && !(is_away_ && is_away_())) {
    environment_.poller->WaitReadable({}, kLookAgain);
    done = read();
  }
  return done;
}

absl::Status KafkaTopics::Read(InternalTopic topic, const Handler& handler) {
  const kafka::KafkaOptions now = kafka::WithFreshSecrets(*options_.clients);
  const absl::Status read = OnceKnown([&] {
    return kafka::ReadTopic({.bootstrap_servers = now.bootstrap_servers,
                             .java = now.consumer,
                             .topic = OptionsOf(topic).name,
                             .timeout = kTimeout,
                             .until_silent = true,
                             .environment = environment_},
                            [&](const kafka::TopicRecord& record) {
                              if (record.key) handler(*record.key, record.value);
                            });
  });
  if (topic != InternalTopic::kOffsets || ErrorReason(read) != "topic_missing") return read;
  return Error(read.code(), "offset_topic_gone",
               absl::StrCat("the offset topic ", options_.offsets.name, " is gone: it was deleted"),
               "walduct status says of each connector what to type; until then do not stop this "
               "process: it alone may know their positions");
}

absl::Status KafkaTopics::Follow(const FollowHandler& handler) {
  const kafka::KafkaOptions now = kafka::WithFreshSecrets(*options_.clients);
  const MutexLock lock(following_);
  follower_.reset();
  std::unique_ptr<kafka::TopicFollower> made;
  const absl::Status begun = OnceKnown([&]() -> absl::Status {
    ASSIGN_OR_RETURN(
        made,
        kafka::TopicFollower::Begin(
            {.bootstrap_servers = now.bootstrap_servers,
             .java = now.consumer,
             .topics = {options_.configs.name, options_.status.name},
             .timeout = kRequestTimeout},
            [handler, configs = options_.configs.name](const kafka::TopicFollower::Told& told) {
              Followed followed{
                  .topic = told.topic == configs ? InternalTopic::kConfigs : InternalTopic::kStatus,
                  .key = {},
                  .value = {},
                  .caught_up = told.caught_up};
              if (told.record != nullptr && !told.record->key) return;
              if (told.record != nullptr) {
                followed.key = told.record->key;
                followed.value = told.record->value;
              }
              handler(followed);
            }));
    return absl::OkStatus();
  });
  follower_ = std::move(made);
  return begun;
}

void KafkaTopics::Unfollow() {
  const MutexLock lock(following_);
  follower_.reset();
}

}  // namespace walduct::serve
