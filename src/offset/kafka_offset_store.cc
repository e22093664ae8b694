#include "offset/kafka_offset_store.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/acked/acked_topic.h"
#include "kafka/look/topic_description.h"
#include "kafka/look/topic_policy.h"
#include "kafka/topic_admin.h"
#include "offset/topic/compaction.h"
#include "offset/topic/topic_gone.h"

namespace walduct::offset {
namespace {

constexpr absl::Duration kMinTimeout = absl::Seconds(30);
// A handful of saves: more than one waits only while a broker is away.
constexpr size_t kBufferBytes = 1u << 20;
// The position of an incremental snapshot names the tables that it has yet to read, some 190 bytes
// each. Brokers limit what has been compressed, a tenth of it.
constexpr size_t kLargestPosition = 64u << 20;
// Only closed segments are compacted, and each start reads what is not.
constexpr char kSegmentBytes[] = "16777216";
// Less is not what takes the time.
constexpr absl::Duration kLongRead = absl::Seconds(5);
constexpr size_t kManyRecords = 100'000;
constexpr absl::string_view kPositionsLost =
    "it holds positions alone; this connector's is known here and stored again, records of tables "
    "are not lost by it";

// Those of one connector differ in how its key is spelt, and in the partition.
using Latest = OffsetTopics::Latest;
using Place = OffsetTopics::Place;
using Places = OffsetTopics::Places;
using Creation = kafka::TopicAdmin::Creation;

uint64_t LsnOf(const Latest& latest) {
  const absl::StatusOr<StoredOffset> offset =
      latest.value ? DecodeOffset(*latest.value) : absl::NotFoundError("erased");
  return offset.ok() ? offset->position.commit_end.value() : 0;
}

// The newest of all places; within one place the topic's order has decided. A key is in several
// partitions when the topic has been given more, or by another writer's partitioner.
const Latest* Newest(const Places& places, const std::string& topic) {
  const Latest* newest = nullptr;
  const Place* where = nullptr;
  for (const auto& [place, latest] : places) {
    const bool newer =
        newest == nullptr || latest.timestamp_ms > newest->timestamp_ms ||
        (latest.timestamp_ms == newest->timestamp_ms && LsnOf(latest) >= LsnOf(*newest));
    if (!newer) continue;
    newest = &latest;
    where = &place;
  }
  if (places.size() > 1) {
    log::Warn("the offset topic holds this connector's position more than once; the newest is used",
              {{"topic", topic},
               {"places", places.size()},
               {"partition", where->second},
               {"lsn", Lsn(LsnOf(*newest)).ToString()}});
  }
  return newest;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OffsetStore>> KafkaOffsetStore::Create(
    const OffsetOptions& options, const kafka::KafkaOptions& kafka, OffsetIdentity identity,
    const Environment& environment, std::shared_ptr<OffsetTopics> topics) {
  auto store = std::unique_ptr<KafkaOffsetStore>(
      new KafkaOffsetStore(options, kafka, std::move(identity), environment, std::move(topics)));
  RETURN_IF_ERROR(store->OpenProducer());
  return store;
}

KafkaOffsetStore::KafkaOffsetStore(OffsetOptions options, kafka::KafkaOptions kafka,
                                   OffsetIdentity identity, const Environment& environment,
                                   std::shared_ptr<OffsetTopics> topics)
    : options_(std::move(options)),
      kafka_(std::move(kafka)),
      identity_(std::move(identity)),
      environment_(environment),
      topics_(topics != nullptr ? std::move(topics) : std::make_shared<OffsetTopics>()),
      timeout_(std::max(options_.flush_timeout, kMinTimeout)) {}

absl::Status KafkaOffsetStore::OpenProducer() {
  if (producer_ != nullptr) return absl::OkStatus();
  kafka_ = kafka::WithFreshSecrets(kafka_);
  ASSIGN_OR_RETURN(producer_,
                   kafka::Producer::Create({.bootstrap_servers = kafka_.bootstrap_servers,
                                            .java = kafka_.producer,
                                            .rules = {.buffer_bytes = kBufferBytes,
                                                      .auto_create_topics = false,
                                                      .linger_ms = 0,
                                                      .message_bytes = kLargestPosition,
                                                      .compression = "lz4"},
                                            .environment = environment_,
                                            .secrets_changed = [kafka = kafka_] {
                                              return kafka::WithFreshSecrets(kafka).producer !=
                                                     kafka.producer;
                                            }}));
  ASSIGN_OR_RETURN(kafka::Topic topic, producer_->OpenTopic(options_.topic));
  topic_.emplace(std::move(topic));
  return absl::OkStatus();
}

// What the client says of a topic that was deleted is about partitions, or asks for any topic.
absl::Status KafkaOffsetStore::Explain(const absl::Status& status) const {
  const std::string reason = ErrorReason(status);
  if (reason != "topic_missing" && reason != "partition_missing")
    return WithContext(kafka::OfInternalTopic(status, kPositionsLost), "offset store");
  return Error(
      status.code(), "offset_topic_gone",
      absl::StrCat("the offset topic ", options_.topic,
                   " is gone, or has fewer partitions than before: ", status.message()),
      absl::StrCat(
          "create it again: kafka-topics.sh --bootstrap-server ", kafka_.bootstrap_servers,
          " --create --topic ", options_.topic, " --partitions ", options_.topic_partitions,
          " --config cleanup.policy=compact; the position is stored there at once. Until "
          "then do not stop this process: it alone knows the position (a restart of the connector "
          "keeps it)"));
}

void KafkaOffsetStore::CloseProducer() {
  doubt_.reset();
  topic_.reset();
  producer_.reset();
}

absl::Status KafkaOffsetStore::Gone(absl::string_view why) const {
  return OffsetTopicGone(absl::StatusCode::kUnavailable, options_.topic, why);
}

absl::Status KafkaOffsetStore::Doubt() {
  constexpr absl::Duration kTimeout = absl::Seconds(5);
  if (doubt_ == nullptr) {
    if (!OpenProducer().ok()) return absl::OkStatus();
    doubt_ = std::make_unique<kafka::TopicAdmin>(producer_->ClientForQuestions(), nullptr);
    doubt_->StartExists({options_.topic}, kTimeout);
  }
  const std::vector<kafka::TopicAnswer> answers = doubt_->Poll(absl::ZeroDuration());
  if (answers.empty()) return absl::OkStatus();
  doubt_.reset();
  if (ErrorReason(answers.front().status) != "topic_missing") return absl::OkStatus();
  return commits_ ? Gone("a transaction with it does not end") : Explain(answers.front().status);
}

// A transaction that a topic is missing for does not say which.
absl::Status KafkaOffsetStore::ExplainEnd(const absl::Status& status) {
  constexpr absl::Duration kTimeout = absl::Seconds(5);
  const std::string reason = ErrorReason(status);
  const bool missing =
      reason == "topic_missing" || reason == "topic_gone" || reason == "partition_missing";
  if (!missing || !OpenProducer().ok()) return status;
  const auto looks =
      kafka::DescribeTopics(*producer_->ClientForQuestions(), {options_.topic}, kTimeout);
  const bool gone = !looks.empty() && ErrorReason(looks.front().status) == "topic_missing";
  return gone ? Gone(status.message()) : status;
}

absl::StatusOr<std::optional<StoredOffset>> KafkaOffsetStore::Read(bool awaits_transactions) {
  erased_ = missing_ = false;
  Found found;
  const absl::Status read = ReadLatest(awaits_transactions, &found);
  if (ErrorReason(read) == "topic_missing") {
    // The controller knows: a broker that has just started does not know all topics yet. A start
    // that is refused later leaves no topic behind.
    ASSIGN_OR_RETURN(missing_, CreateTopic(Creation::kAskedFor));
    if (missing_) return std::optional<StoredOffset>();
    return Error(absl::StatusCode::kUnavailable, "offset_topic_unknown",
                 absl::StrCat("the offset topic ", options_.topic,
                              " exists, but the broker does not know it yet"),
                 "nothing to do: it is asked again");
  }
  RETURN_IF_ERROR(WithContext(read, "offset store"));
  RETURN_IF_ERROR(found.fit);
  const Latest* latest = Newest(found.places, options_.topic);
  erased_ = latest != nullptr && !latest->value;
  if (latest == nullptr || !latest->value) return std::optional<StoredOffset>();
  absl::StatusOr<StoredOffset> offset = DecodeOffset(*latest->value);
  if (!offset.ok()) {
    return WithContext(offset.status(), absl::StrCat("topic ", options_.topic));
  }
  return std::optional<StoredOffset>(*std::move(offset));
}

absl::Status KafkaOffsetStore::CheckTopic() {
  constexpr absl::Duration kTimeout = absl::Seconds(5);
  RETURN_IF_ERROR(CheckCompacted(producer_->client(), kafka_.bootstrap_servers, options_.topic));
  const std::optional<kafka::Replication> replication =
      kafka::ReadReplication(producer_->client(), options_.topic, kTimeout);
  constexpr int kUsual = 3;
  if (replication && replication->fewest_replicas < std::min(kUsual, replication->brokers)) {
    log::Warn("the offset topic has few replicas: the stored position can be lost with a broker",
              {{"topic", options_.topic},
               {"replicas", replication->fewest_replicas},
               {"brokers", replication->brokers},
               {"hint", "give it more with kafka-reassign-partitions.sh"}});
  }
  return absl::OkStatus();
}

// A wrong password or a broker that is away shows at once in the producer; the reader alone would
// only run out of time.
absl::Status KafkaOffsetStore::ReadLatest(bool awaits_transactions, Found* found) {
  RETURN_IF_ERROR(OpenProducer());
  if (absl::Status connected = producer_->CheckConnected(options_.flush_timeout); !connected.ok()) {
    CloseProducer();
    return connected;
  }
  const absl::Duration begin = environment_.clock->Monotonic();
  ASSIGN_OR_RETURN(
      const OffsetTopics::Reading reading,
      topics_->Read({.bootstrap_servers = kafka_.bootstrap_servers,
                     .java = kafka_.consumer,
                     .topic = options_.topic,
                     .timeout = timeout_,
                     .awaits_transactions = awaits_transactions,
                     .until_silent = true,
                     .environment = environment_},
                    {.id = [this] { return TopicId(); }, .fit = [this] { return CheckTopic(); }}));
  found->fit = reading.fit;
  for (const auto& [place, latest] : *reading.places)
    if (KeyBelongsTo(place.first, identity_)) found->places.emplace(place, latest);
  read_at_ = environment_.clock->Monotonic();
  TellIfLong(*read_at_ - begin, reading.records);
  return absl::OkStatus();
}

std::string KafkaOffsetStore::TopicId() {
  constexpr absl::Duration kTimeout = absl::Seconds(5);
  kafka::TopicAdmin admin(&producer_->client(), nullptr);
  admin.StartExists({options_.topic}, kTimeout);
  const std::vector<kafka::TopicAnswer> answers = admin.Poll(kTimeout);
  return answers.size() == 1 && answers.front().status.ok() ? answers.front().id : "";
}

void KafkaOffsetStore::TellIfLong(absl::Duration took, size_t records) const {
  if (took < kLongRead || records < kManyRecords) return;
  log::Warn(
      "reading the offset topic takes long: each start does it",
      {{"topic", options_.topic},
       {"records", records},
       {"took", absl::FormatDuration(absl::Trunc(took, absl::Milliseconds(100)))},
       {"hint", absl::StrCat("let it be compacted sooner: kafka-configs.sh --bootstrap-server ",
                             kafka_.bootstrap_servers,
                             " --alter --entity-type "
                             "topics --entity-name ",
                             options_.topic, " --add-config segment.bytes=", kSegmentBytes)}});
}

absl::Status KafkaOffsetStore::Prepare() {
  if (!missing_) return absl::OkStatus();
  RETURN_IF_ERROR(OpenProducer());
  ASSIGN_OR_RETURN(const bool created, CreateTopic(Creation::kMeant));
  if (created) log::Info("offset topic created", {{"topic", options_.topic}});
  missing_ = false;
  // One that knew the topic as missing gives up what is sent to it.
  CloseProducer();
  return OpenProducer();
}

absl::StatusOr<bool> KafkaOffsetStore::CreateTopic(Creation creation) {
  bool existed = false;
  absl::Status status = TryCreateTopic(options_.topic_replication_factor, creation, &existed);
  // The default of a cluster with fewer brokers than it asks for.
  const bool too_few = ErrorReason(status) == "topic_settings_invalid";
  if (too_few && options_.topic_replication_factor == -1)
    status = TryCreateTopic(1, creation, &existed);
  if (!status.ok()) {
    return Error(status.code(), ErrorReason(status),
                 absl::StrCat("cannot create the offset topic: ", status.message()),
                 absl::StrCat("kafka-topics.sh --bootstrap-server ", kafka_.bootstrap_servers,
                              " --create --topic ", options_.topic, " --partitions ",
                              options_.topic_partitions, " --config cleanup.policy=compact"));
  }
  return !existed;
}

absl::Status KafkaOffsetStore::TryCreateTopic(int replication_factor, Creation creation,
                                              bool* existed) {
  kafka::TopicAdmin admin(&producer_->client(), nullptr);
  admin.StartCreate(
      {{.name = options_.topic,
        .partitions = options_.topic_partitions,
        .replication_factor = replication_factor,
        .configs = {{"cleanup.policy", "compact"}, {"segment.bytes", kSegmentBytes}}}},
      timeout_, creation);
  const auto answers = admin.Poll(timeout_ + absl::Seconds(1));
  if (answers.empty()) {
    return Error(absl::StatusCode::kUnavailable, "broker_unavailable",
                 absl::StrCat("Kafka at ", kafka_.bootstrap_servers, " does not answer"));
  }
  *existed = answers.front().existed;
  return answers.front().status;
}

absl::Status KafkaOffsetStore::StartSave(const StoredOffset& offset) {
  RETURN_IF_ERROR(Prepare());
  const absl::Duration now = environment_.clock->Monotonic();
  if (read_at_ && now - *read_at_ >= OffsetTopics::kFresh) {
    topics_->Sweep(now);
    read_at_.reset();
  }
  const std::string key = OffsetKey(identity_);
  return Send(key, EncodeOffset(offset));
}

std::optional<event::Record> KafkaOffsetStore::RecordOf(const StoredOffset& offset) {
  commits_ = true;
  key_ = OffsetKey(identity_);
  value_ = EncodeOffset(offset);
  return event::Record{
      .topic = options_.topic, .partition = {}, .key = key_, .value = value_, .headers = {}};
}

absl::Status KafkaOffsetStore::Send(absl::string_view key, std::optional<absl::string_view> value) {
  RETURN_IF_ERROR(OpenProducer());
  const absl::Status status =
      producer_->Produce({.topic = &*topic_, .key = key, .value = value, .token = sent_ + 1});
  if (absl::IsResourceExhausted(status)) {
    return Error(
        absl::StatusCode::kUnavailable, "broker_unavailable",
        absl::StrCat("storing offsets is waiting for Kafka at ", kafka_.bootstrap_servers));
  }
  RETURN_IF_ERROR(Explain(status));
  ++sent_;
  return absl::OkStatus();
}

std::optional<absl::Status> KafkaOffsetStore::PollSave() {
  if (producer_ == nullptr) return std::nullopt;
  if (const absl::Status status = producer_->Poll(*this); !status.ok()) {
    // The next save begins with a new producer.
    CloseProducer();
    return Explain(status);
  }
  if (delivered_ < sent_) return std::nullopt;
  return absl::OkStatus();
}

void KafkaOffsetStore::OnDelivered(uint64_t token, uint32_t /*count*/) { delivered_ = token; }

absl::Status KafkaOffsetStore::Erase() {
  Found found;
  const absl::Status read = ReadLatest(true, &found);
  // Without a tombstone a process that knows the position would take it for one that was lost.
  missing_ = ErrorReason(read) == "topic_missing";
  if (missing_) {
    RETURN_IF_ERROR(Prepare());
  } else {
    RETURN_IF_ERROR(WithContext(read, "offset store"));
  }
  // The canonical spelling too: a tombstone for what is not there does no harm.
  std::set<std::string> keys{OffsetKey(identity_)};
  for (const auto& [place, latest] : found.places) keys.insert(place.first);
  for (const std::string& key : keys) RETURN_IF_ERROR(Send(key, std::nullopt));
  return producer_->Flush(*this, timeout_);
}

}  // namespace walduct::offset
