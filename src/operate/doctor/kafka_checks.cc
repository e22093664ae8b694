// Brokers, topics, rights on them, the offset store, registries. Declared in checks.h.
#include <memory>
#include <set>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "kafka/look/topic_description.h"
#include "kafka/look/topic_policy.h"
#include "kafka/options.h"
#include "kafka/producer.h"
#include "kafka/topic_admin.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "offset/topic/compaction.h"
#include "operate/doctor/checks.h"
#include "registry/http_client.h"
#include "registry/options.h"
#include "replication/slot.h"
#include "security/jaas.h"
#include "sink/options.h"
#include "slot/start/preparation.h"
#include "spill/options.h"
#include "spill/spill.h"
#include "spill/unnamed_files.h"

namespace walduct::operate {
namespace {

// Asked for one by one.
constexpr size_t kMostTopics = 50;
// Named one by one.
constexpr size_t kMostBadNames = 5, kMostLean = 3;
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

  void LookAt(const std::vector<std::string>& topics, const sink::Destination& sink) {
    const std::optional<std::string> makes =
        kafka::ReadBrokerProperty(client_, "auto.create.topics.enable", kPatience);
    broker_limit_ = LimitOf(kafka::ReadBrokerProperty(client_, "message.max.bytes", kPatience));
    std::vector<std::string> asked = WithoutBadNames(topics);
    if (asked.size() > kMostTopics) asked.resize(kMostTopics);
    LookAtTopics(asked, makes, sink);
    CheckBrokerLimit(asked.empty(), sink);
  }

 private:
  void LookAtTopics(const std::vector<std::string>& asked, const std::optional<std::string>& makes,
                    const sink::Destination& sink) {
    if (asked.empty()) return;
    const auto looks = kafka::DescribeTopics(client_, asked, kPatience);
    std::vector<kafka::NewTopic> created;  // by the connector
    for (const kafka::TopicDescription& look : looks) {
      const bool missing = ErrorReason(look.status) == "topic_missing";
      if (missing && sink.creates_topics()) {
        created.push_back(sink.PlanTopic(look.name));
        by_broker_ = by_broker_ || !TakesAll(created.back());
      } else if (missing && makes != "false") {
        by_broker_ = true;
      } else if (missing) {
        Missing(look.name);
      } else if (!look.status.ok()) {
        findings_.Add(look.status);
      } else {
        Existing(look);
      }
    }
    AskWhetherCreated(created);
  }

  bool TakesAll(const kafka::NewTopic& topic) const {
    const auto limit = topic.configs.find("max.message.bytes");
    return limit != topic.configs.end() && LimitOf(limit->second).value_or(0) >= RequestBytes();
  }

  // Where each topic has a limit of its own, new ones alone have the broker's.
  void CheckBrokerLimit(bool unknown, const sink::Destination& sink) {
    const std::string value = absl::StrCat("max.message.bytes=", RequestBytes() + 512);
    std::string hint = absl::StrCat(
        "kafka-configs.sh --bootstrap-server ", client_.bootstrap_servers(),
        " --alter --entity-type brokers --entity-default --add-config message.max.bytes=",
        RequestBytes() + 512);
    for (size_t i = 0; i < lean_.size() && i < kMostLean; ++i)
      absl::StrAppend(&hint, i == 0 ? "; or for topics that are there alone: " : ", ",
                      Alter(lean_[i], absl::StrCat("--add-config ", value)));
    if (lean_.size() > kMostLean)
      absl::StrAppend(&hint, ", and of ", lean_.size() - kMostLean, " more");
    if (sink.creates_topics() && (unknown || by_broker_))
      absl::StrAppend(&hint, "; or for new topics alone topic.creation.default.", value);
    CheckLimit("the broker's message.max.bytes", broker_limit_, hint,
               unknown || by_broker_ || !lean_.empty() ? Severity::kWarning : Severity::kNotice);
  }

  // A start stops at the first of them, or the first record does.
  std::vector<std::string> WithoutBadNames(const std::vector<std::string>& topics) {
    std::vector<std::string> good;
    size_t bad = 0;
    for (const std::string& topic : topics) {
      const absl::Status named = kafka::CheckTopicName(topic);
      if (named.ok())
        good.push_back(topic);
      else if (++bad <= kMostBadNames)
        findings_.Add(named);
    }
    return good;
  }

  // The broker says whether it would, and creates none.
  void AskWhetherCreated(const std::vector<kafka::NewTopic>& topics) {
    if (topics.empty()) return;
    kafka::TopicAdmin admin(&client_, nullptr);
    admin.StartCreate(topics, kPatience, kafka::TopicAdmin::Creation::kAskedFor);
    std::set<std::string> said;  // one refusal of all topics is one finding
    for (const kafka::TopicAnswer& answer : admin.Poll(kPatience + absl::Seconds(1))) {
      if (!answer.status.ok() && said.insert(ErrorReason(answer.status)).second)
        findings_.Add(answer.status);
    }
  }

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
                                        "; or set topic.creation.default.partitions=1 and "
                                        "topic.creation.default.replication.factor=-1, with "
                                        "topic.creation.enable not false")});
  }

  void Existing(const kafka::TopicDescription& look) {
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
    if (limit == broker_limit_) {
      lean_.push_back(look.name);
      return;
    }
    CheckLimit(absl::StrCat("max.message.bytes of topic ", look.name), limit,
               absl::StrCat("kafka-configs.sh --bootstrap-server ", client_.bootstrap_servers(),
                            " --alter --entity-type topics --entity-name ", look.name,
                            " --add-config max.message.bytes=", RequestBytes() + 512));
  }

  std::string Alter(const std::string& topic, absl::string_view change) const {
    return absl::StrCat("kafka-configs.sh --bootstrap-server ", client_.bootstrap_servers(),
                        " --alter --entity-type topics --entity-name ", topic, " ", change);
  }

  void CheckTopic(const kafka::TopicDescription& look) {
    const auto read = [&](const char* name) {
      return kafka::ReadTopicProperty(client_, look.name, name, kPatience);
    };
    const int64_t least = LimitOf(read("min.insync.replicas")).value_or(0);
    if (look.replicas > 0 && least > static_cast<int64_t>(look.replicas)) {
      findings_.Add(
          {.severity = Severity::kWarning,
           .reason = "min_insync_unreachable",
           .message = absl::StrCat("topic ", look.name, " has ", look.replicas,
                                   " replicas and min.insync.replicas=", least,
                                   ": every record is refused by brokers before "
                                   "Apache Kafka 3.7, and later ones hold all replicas to "
                                   "be enough"),
           .hint =
               Alter(look.name, absl::StrCat("--add-config min.insync.replicas=", look.replicas))});
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
                  const std::string& hint, Severity severity = Severity::kWarning) {
    // A broker counts the batch's head, too, which its own default allows for.
    if (!limit || *limit >= RequestBytes()) return;
    findings_.Add(
        {.severity = severity,
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
    const auto entry = security::ParseJaas(Get(options_.producer, "sasl.jaas.config"));
    const bool named = entry.ok() && entry->options.contains("username");
    return absl::StrCat("User:", named ? entry->options.at("username") : "ANONYMOUS");
  }

  const kafka::KafkaOptions& options_;
  kafka::Client& client_;
  Findings& findings_;
  bool by_broker_ = false;         // a topic that is to come would have no limit of its own
  std::vector<std::string> lean_;  // those that are there and have none
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

// How the topic of its offsets is reached.
const kafka::KafkaOptions& ClientsOf(const Subject& subject) {
  return subject.offset.clients == nullptr ? subject.kafka : *subject.offset.clients;
}

// A topic that is missing would be created by reading it.
absl::StatusOr<bool> IsThere(const Subject& subject, const Environment& environment) {
  if (subject.offset.kind != offset::OffsetStoreKind::kKafkaTopic) return true;
  const std::string& topic = subject.offset.topic;
  ASSIGN_OR_RETURN(const auto producer, Connect(ClientsOf(subject), environment));
  const auto looks = kafka::DescribeTopics(producer->client(), {topic}, kPatience);
  if (looks.empty()) {
    return Error(absl::StatusCode::kUnavailable, "topic_read_timeout",
                 absl::StrCat("the brokers say nothing of the offset topic ", topic));
  }
  if (ErrorReason(looks.front().status) == "topic_missing") return false;
  RETURN_IF_ERROR(looks.front().status);
  return true;
}

// Before a first start all is well; under a connector that runs its position has gone.
Finding NoOffsetTopic(const Subject& subject, bool runs) {
  const offset::OffsetOptions& offset = subject.offset;
  if (!runs) {
    return {.severity = Severity::kNotice,
            .reason = "offset_topic_missing",
            .message = absl::StrCat("the offset topic ", offset.topic,
                                    " does not exist: nothing is stored yet, and the start "
                                    "creates it"),
            .hint = "if the connector has run before, check offset.storage.topic"};
  }
  const kafka::KafkaOptions& clients = ClientsOf(subject);
  return {.severity = Severity::kError,
          .reason = "offset_topic_gone",
          .message = absl::StrCat("the offset topic ", offset.topic,
                                  " does not exist, and the connector runs: it alone knows the "
                                  "position"),
          .hint = absl::StrCat("create it again: kafka-topics.sh --bootstrap-server ",
                               clients.bootstrap_servers, " --create --topic ", offset.topic,
                               " --partitions ", offset.topic_partitions,
                               " --config cleanup.policy=compact; the position is stored there at "
                               "once. Until then do not stop the connector")};
}

}  // namespace

OffsetTopic OffsetTopicOf(const Subject& subject, const Environment& environment) {
  const offset::OffsetOptions& offset = subject.offset;
  if (offset.kind != offset::OffsetStoreKind::kKafkaTopic) return {};
  const auto look = [subject, environment](const std::vector<std::string>& topics) {
    const kafka::KafkaOptions& clients = ClientsOf(subject);
    const auto producer = Connect(clients, environment);
    if (!producer.ok()) return std::vector<absl::Status>{producer.status()};
    return offset::CheckCompacted((*producer)->client(), clients.bootstrap_servers, topics);
  };
  return {.clients = {ClientsOf(subject).bootstrap_servers, ClientsOf(subject).producer},
          .topic = offset.topic,
          .look = look};
}

void AskSpill(Examination& examined) {
  const spill::SpillOptions& options = examined.subject.spill;
  if (!options.enabled) return;
  examined.findings.Add(spill::Spill::Open(std::make_unique<spill::UnnamedFiles>(options.directory),
                                           options.max_bytes)
                            .status());
}

void AskSink(Examination& examined) {
  const sink::Destination& sink = *examined.subject.sink.target;
  examined.findings.Add(sink.CheckOutput());
  if (!sink.type().traits.kafka) {
    std::string asked;
    examined.findings.Add(sink.AskServer(examined.environment, &asked));
    if (!asked.empty()) examined.findings.asked.push_back(std::move(asked));
    return;
  }
  auto producer = Connect(examined.subject.kafka, examined.environment);
  examined.findings.Add(producer.status());
  examined.kafka_away = !producer.ok();
  if (!producer.ok()) return;
  examined.producer = *std::move(producer);
  examined.findings.asked.push_back(
      absl::StrCat("Kafka at ", examined.subject.kafka.bootstrap_servers));
}

void AskOffsetStore(Examination& examined) {
  // One finding is enough for a cluster that is away.
  if (examined.kafka_away) return;
  const Subject& subject = examined.subject;
  const auto there = IsThere(subject, examined.environment);
  examined.findings.Add(there.status());
  if (!there.ok()) return;
  examined.no_offset_topic = !*there;
  if (!*there) return;
  auto store = offset::CreateOffsetStore(subject.offset, subject.kafka, subject.identity,
                                         examined.environment);
  examined.findings.Add(store.status());
  if (store.ok()) examined.store = *std::move(store);
}

// Of one that nobody can read, with the LSN to go on from.
absl::Status WhereTheSlotStands(const Examination& examined, const absl::Status& error) {
  if (ErrorReason(error) != "offset_malformed" || !examined.slot || !*examined.slot) return error;
  const replication::SlotState& slot = **examined.slot;
  if (!slot.used || !slot.confirmed_flush_lsn.valid()) return error;
  return Error(
      error.code(), ErrorReason(error), error.message(),
      absl::StrReplaceAll(
          ErrorHint(error),
          {{"offsets set NAME LSN,",
            absl::StrCat("offsets set NAME ", slot.confirmed_flush_lsn.ToString(), ",")}}));
}

void AskStoredPosition(Examination& examined) {
  if (examined.no_offset_topic) {
    examined.findings.Add(NoOffsetTopic(examined.subject, examined.runs()));
    examined.position.known = !examined.runs();
  } else if (examined.store != nullptr) {
    examined.findings.Add(WhereTheSlotStands(examined, ReadPosition(examined)));
  }
  if (examined.position.known) examined.findings.asked.emplace_back("the stored position");
}

absl::Status ReadPosition(Examination& examined) {
  ASSIGN_OR_RETURN(auto stored, examined.store->Peek());
  examined.position = {
      .known = true, .stored = std::move(stored), .erased = examined.store->erased()};
  // A connector that runs has gone on since the server was asked: it is to be found behind what is
  // stored, not before it. The slot was looked at first, which is never beyond what is stored then.
  if (!examined.server) return absl::OkStatus();
  ASSIGN_OR_RETURN(examined.server, postgres::CheckServer(*examined.sql));
  return absl::OkStatus();
}

// The id itself is not asked for: who has it would be shut out.
void AskEarlierWriters(Examination& examined) {
  if (!examined.subject.sink.target->in_transactions() || examined.producer == nullptr) return;
  constexpr absl::string_view kTimeout = "transaction.timeout.ms";
  int64_t wanted = 0, most = 0;
  const std::string text = Get(examined.subject.kafka.producer, std::string(kTimeout));
  const auto limit = kafka::ReadBrokerProperty(examined.producer->client(),
                                               "transaction.max.timeout.ms", kPatience);
  if (!absl::SimpleAtoi(text, &wanted) || !limit || !absl::SimpleAtoi(*limit, &most) ||
      wanted <= most)
    return;
  examined.findings.Add(
      {.severity = Severity::kError,
       .reason = "transaction_timeout_refused",
       .message = absl::StrCat("producer.override.", kTimeout, " is ", wanted,
                               ", and the broker's transaction.max.timeout.ms is ", most),
       .hint = absl::StrCat("set producer.override.", kTimeout, "=", most,
                            ", or raise the "
                            "broker's transaction.max.timeout.ms")});
}

void AskTopics(Examination& examined) {
  if (examined.producer == nullptr) return;
  std::vector<std::string> topics;
  if (examined.captured)
    topics = slot::KnownTopics(examined.subject.whole, *examined.captured, /*streams=*/true);
  KafkaDoctor(examined.subject.kafka, examined.producer->client(), &examined.findings)
      .LookAt(topics, *examined.subject.sink.target);
}

void AskRegistries(Examination& examined) {
  const Subject& subject = examined.subject;
  Findings* const findings = &examined.findings;
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

}  // namespace walduct::operate
