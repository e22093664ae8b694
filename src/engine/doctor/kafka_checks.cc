// Brokers, topics, rights on them, the offset store, registries. Declared in checks.h.
#include <memory>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "engine/doctor/checks.h"
#include "kafka/look/topic_look.h"
#include "kafka/options.h"
#include "kafka/producer.h"
#include "kafka/sasl/jaas.h"
#include "kafka/topic_policy.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "registry/http_client.h"
#include "registry/options.h"
#include "sink/options.h"

namespace walduct::engine {
namespace {

// Asked for one by one.
constexpr size_t kMostTopics = 50;
constexpr int64_t kShortRetentionMs = 3'600'000;
constexpr int64_t kDefaultRequestBytes = 1 << 20;  // max.request.size of Java's producer

std::string Get(const std::map<std::string, std::string>& properties, const std::string& name) {
  const auto found = properties.find(name);
  return found == properties.end() ? "" : found->second;
}

class KafkaDoctor {
 public:
  KafkaDoctor(const kafka::KafkaOptions& options, kafka::Client& client, Findings* findings)
      : options_(options), client_(client), findings_(*findings) {}

  // creates: the connector creates what is missing.
  void LookAt(const std::vector<std::string>& topics, bool creates) {
    const std::optional<std::string> makes =
        kafka::ReadBrokerProperty(client_, "auto.create.topics.enable", kPatience);
    broker_limit_ = LimitOf(kafka::ReadBrokerProperty(client_, "message.max.bytes", kPatience));
    CheckLimit("the broker's message.max.bytes", broker_limit_,
               "raise message.max.bytes of the brokers, or topic.creation.default."
               "max.message.bytes of new topics");
    std::vector<std::string> asked = topics;
    if (asked.size() > kMostTopics) asked.resize(kMostTopics);
    if (asked.empty()) return;
    const auto looks = kafka::LookAtTopics(client_, asked, kPatience);
    for (const kafka::TopicLook& look : looks) {
      const bool missing = ErrorReason(look.status) == "topic_missing";
      if (missing && (creates || makes != "false")) continue;
      if (missing) {
        Missing(look.name);
      } else if (!look.status.ok()) {
        findings_.Add(look.status);
      } else {
        Existing(look);
      }
    }
  }

 private:
  static std::optional<int64_t> LimitOf(const std::optional<std::string>& text) {
    int64_t bytes = 0;
    if (!text || !absl::SimpleAtoi(*text, &bytes)) return std::nullopt;
    return bytes;
  }

  void Missing(const std::string& topic) {
    findings_.Add({.severity = Severity::kError,
                   .reason = "topic_missing",
                   .message = absl::StrCat("topic ", topic,
                                           " does not exist, and the brokers create none "
                                           "(auto.create.topics.enable=false)"),
                   .hint = absl::StrCat("kafka-topics.sh --bootstrap-server ",
                                        client_.bootstrap_servers(), " --create --topic ", topic,
                                        "; or set topic.creation.default.partitions and "
                                        "topic.creation.default.replication.factor")});
  }

  void Existing(const kafka::TopicLook& look) {
    if (look.may_write == false) {
      findings_.Add(
          {.severity = Severity::kError,
           .reason = "topic_authorization_failed",
           .message = absl::StrCat("this user may not write to topic ", look.name),
           .hint = absl::StrCat("kafka-acls.sh --bootstrap-server ", client_.bootstrap_servers(),
                                " --add --allow-principal ", Principal(),
                                " --operation WRITE --operation DESCRIBE --topic ", look.name)});
    }
    CheckTopic(look);
    const auto limit =
        LimitOf(kafka::ReadTopicProperty(client_, look.name, "max.message.bytes", kPatience));
    if (limit == broker_limit_) return;  // said before
    CheckLimit(absl::StrCat("max.message.bytes of topic ", look.name), limit,
               absl::StrCat("kafka-configs.sh --bootstrap-server ", client_.bootstrap_servers(),
                            " --alter --entity-type topics --entity-name ", look.name,
                            " --add-config max.message.bytes=", RequestBytes() + 512));
  }

  std::string Alter(const std::string& topic, absl::string_view change) const {
    return absl::StrCat("kafka-configs.sh --bootstrap-server ", client_.bootstrap_servers(),
                        " --alter --entity-type topics --entity-name ", topic, " ", change);
  }

  void CheckTopic(const kafka::TopicLook& look) {
    const auto read = [&](const char* name) {
      return kafka::ReadTopicProperty(client_, look.name, name, kPatience);
    };
    const int64_t least = LimitOf(read("min.insync.replicas")).value_or(0);
    if (look.replicas > 0 && least > static_cast<int64_t>(look.replicas)) {
      findings_.Add({.severity = Severity::kError,
                     .reason = "min_insync_unreachable",
                     .message = absl::StrCat("topic ", look.name, " has ", look.replicas,
                                             " replicas and min.insync.replicas=", least,
                                             ": every record is refused"),
                     .hint = Alter(look.name, absl::StrCat("--add-config min.insync.replicas=",
                                                           look.replicas))});
    }
    const std::string policy = read("cleanup.policy").value_or("");
    if (absl::StrContains(policy, "compact")) {
      findings_.Add({.severity = Severity::kNotice,
                     .reason = "topic_compacted",
                     .message = absl::StrCat("topic ", look.name, " is compacted: it keeps the ",
                                             "last record of a key, and refuses rows without one"),
                     .hint = absl::StrCat("if consumers need all changes: ",
                                          Alter(look.name, "--add-config cleanup.policy=delete"))});
    }
    const int64_t keeps = LimitOf(read("retention.ms")).value_or(-1);
    if (absl::StrContains(policy, "delete") && keeps >= 0 && keeps < kShortRetentionMs) {
      findings_.Add({.severity = Severity::kWarning,
                     .reason = "topic_retention_short",
                     .message = absl::StrCat("topic ", look.name, " keeps records for ", keeps,
                                             " ms: a consumer that stands still for longer "
                                             "misses changes"),
                     .hint = Alter(look.name, "--add-config retention.ms=604800000")});
    }
    const std::string compression = read("compression.type").value_or("producer");
    if (compression != "producer" && compression != Get(options_.producer, "compression.type")) {
      findings_.Add(
          {.severity = Severity::kNotice,
           .reason = "topic_recompresses",
           .message = absl::StrCat("topic ", look.name, " has compression.type=", compression,
                                   ": the broker compresses each batch anew"),
           .hint = absl::StrCat("set producer.override.compression.type=", compression,
                                " in the connector, or ",
                                Alter(look.name, "--delete-config compression.type"))});
    }
  }

  void CheckLimit(const std::string& what, const std::optional<int64_t>& limit,
                  const std::string& hint) {
    // A broker counts the batch's head, too, which its own default allows for.
    if (!limit || *limit >= RequestBytes()) return;
    findings_.Add(
        {.severity = Severity::kWarning,
         .reason = "message_limit_small",
         .message = absl::StrCat(what, " is ", *limit, ", and records may have max.request.size=",
                                 RequestBytes(), " bytes: larger ones are refused"),
         .hint = hint});
  }

  int64_t RequestBytes() const {
    int64_t bytes = 0;
    return absl::SimpleAtoi(Get(options_.producer, "max.request.size"), &bytes)
               ? bytes
               : kDefaultRequestBytes;
  }

  std::string Principal() const {
    const auto entry = kafka::ParseJaas(Get(options_.producer, "sasl.jaas.config"));
    const bool named = entry.ok() && entry->options.contains("username");
    return absl::StrCat("User:", named ? entry->options.at("username") : "ANONYMOUS");
  }

  const kafka::KafkaOptions& options_;
  kafka::Client& client_;
  Findings& findings_;
  std::optional<int64_t> broker_limit_;
};

absl::StatusOr<std::unique_ptr<kafka::Producer>> Connect(const kafka::KafkaOptions& options,
                                                         const Environment& environment) {
  const kafka::KafkaOptions now = kafka::WithFreshSecrets(options);
  ASSIGN_OR_RETURN(auto producer,
                   kafka::Producer::Create({.bootstrap_servers = now.bootstrap_servers,
                                            .java = now.producer,
                                            .rules = {.auto_create_topics = false},
                                            .environment = environment}));
  RETURN_IF_ERROR(producer->CheckConnected(kPatience));
  return producer;
}

// A topic that is missing would be created by reading it.
absl::StatusOr<bool> IsThere(const Subject& subject, const Environment& environment,
                             Findings* findings) {
  if (subject.offset.kind != offset::OffsetStoreKind::kKafkaTopic) return true;
  const std::string& topic = subject.offset.topic;
  const kafka::KafkaOptions& clients =
      subject.offset.clients == nullptr ? subject.kafka : *subject.offset.clients;
  ASSIGN_OR_RETURN(const auto producer, Connect(clients, environment));
  const auto looks = kafka::LookAtTopics(producer->client(), {topic}, kPatience);
  if (looks.empty()) {
    return Error(absl::StatusCode::kUnavailable, "topic_read_timeout",
                 absl::StrCat("the brokers say nothing of the offset topic ", topic));
  }
  const bool missing = ErrorReason(looks.front().status) == "topic_missing";
  if (missing) {
    findings->Add({.severity = Severity::kNotice,
                   .reason = "offset_topic_missing",
                   .message = absl::StrCat("the offset topic ", topic,
                                           " does not exist: nothing is stored yet, and the start "
                                           "creates it"),
                   .hint = "if the connector has run before, check offset.storage.topic"});
    return false;
  }
  RETURN_IF_ERROR(looks.front().status);
  return true;
}

absl::StatusOr<KnownPosition> ReadPosition(const Subject& subject, const Environment& environment,
                                           Findings* findings) {
  ASSIGN_OR_RETURN(const bool there, IsThere(subject, environment, findings));
  if (!there) return KnownPosition{.known = true};
  ASSIGN_OR_RETURN(const auto store, offset::CreateOffsetStore(subject.offset, subject.kafka,
                                                               subject.identity, environment));
  ASSIGN_OR_RETURN(auto stored, store->Peek());
  // What was reset on purpose is not missing.
  return KnownPosition{.known = stored || !store->erased(), .stored = std::move(stored)};
}

}  // namespace

KnownPosition CheckKafka(const Subject& subject, const Environment& environment,
                         const std::vector<std::string>& topics, Findings* findings) {
  if (const sink::Destination& sink = *subject.sink.target; sink.type().traits.kafka) {
    const auto producer = Connect(subject.kafka, environment);
    findings->Add(producer.status());
    // One finding is enough for a cluster that is away.
    if (!producer.ok()) return {};
    findings->asked.push_back(absl::StrCat("Kafka at ", subject.kafka.bootstrap_servers));
    KafkaDoctor(subject.kafka, (*producer)->client(), findings)
        .LookAt(topics, sink.creates_topics());
  }
  auto position = ReadPosition(subject, environment, findings);
  findings->Add(position.status());
  if (!position.ok()) return {};
  findings->asked.emplace_back("the stored position");
  return *std::move(position);
}

void CheckRegistries(const Subject& subject, Findings* findings) {
  for (const registry::RegistryOptions* one :
       {&subject.registries.key, &subject.registries.value}) {
    if (one->urls.empty()) continue;
    registry::HttpOptions http = one->http;
    http.connect_timeout = std::min(http.connect_timeout, kPatience);
    http.read_timeout = std::min(http.read_timeout, kPatience);
    const auto client = registry::HttpClient::Create(http);
    findings->Add(client.status());
    if (!client.ok()) continue;
    const auto answer = (*client)->Send({.url = one->urls.front() + "/subjects", .body = ""});
    if (!answer.ok()) {
      findings->Add(
          WithContext(answer.status(), absl::StrCat(one->property, ": ", one->urls.front())));
    } else if (answer->status == 401 || answer->status == 403) {
      findings->Add({.severity = Severity::kError,
                     .reason = "registry_unauthenticated",
                     .message = absl::StrCat(one->property, ": ", one->urls.front(), " answers ",
                                             answer->status),
                     .hint = absl::StrCat("check ", one->property, ".basic.auth.user.info")});
    } else {
      findings->asked.push_back(absl::StrCat("the registry at ", one->urls.front()));
    }
  }
}

}  // namespace walduct::engine
