#include "sink/kafka_sink.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/options.h"
#include "sink/size_error.h"
#include "sink/topic_creation.h"
#include "sink/vanished_topic.h"

namespace walduct::sink {
namespace {

// A broker that is away is asked again, so the sooner a request ends the sooner the next finds it.
constexpr absl::Duration kRequestTimeout = absl::Seconds(10);
// Without an acknowledgement although the partitions are well.
constexpr absl::Duration kStuck = absl::Seconds(60);
// What brokers said of the partitions since then is still true; longer than a stall's line repeats.
constexpr absl::Duration kRecent = absl::Seconds(60);
// Topics in one request.
constexpr size_t kRequestTopics = 500;

}  // namespace

class KafkaSink::Forward final : public kafka::DeliveryHandler {
 public:
  Forward(AckHandler* acks, LoneRecord* lone) : acks_(acks), lone_(lone) {}
  void OnDelivered(uint64_t token, uint32_t count) override { acks_->OnAcknowledged(token, count); }
  void OnAlone(const absl::Status& fate) override { lone_->OnFate(fate); }

 private:
  AckHandler* acks_;
  LoneRecord* lone_;
};

class KafkaSink::IntoTransaction final : public AckHandler {
 public:
  explicit IntoTransaction(KafkaTransactions* transactions) : transactions_(transactions) {}
  void OnAcknowledged(Ticket ticket, uint32_t count) override {
    transactions_->OnDelivered(ticket, count);
  }

 private:
  KafkaTransactions* transactions_;
};

absl::StatusOr<std::unique_ptr<Sink>> KafkaSink::Create(const KafkaSinkOptions& options,
                                                        const kafka::KafkaOptions& kafka,
                                                        const Environment& environment,
                                                        Refusals* refusals) {
  const bool creates = !options.topic_creation.empty();
  const kafka::KafkaOptions now = kafka::WithFreshSecrets(kafka);
  ASSIGN_OR_RETURN(std::unique_ptr<kafka::Producer> producer,
                   kafka::Producer::Create(
                       {.bootstrap_servers = kafka.bootstrap_servers,
                        .java = now.producer,
                        .rules = {.buffer_bytes = options.buffer_bytes,
                                  .auto_create_topics = !creates,
                                  .batch_bytes = refusals == nullptr ? 0 : refusals->batch_bytes(),
                                  .transactional_id = options.transactional_id},
                        .environment = environment,
                        .acked = refusals == nullptr ? nullptr : refusals->acked(),
                        .secrets_changed = [kafka, used = now.producer] {
                          return kafka::WithFreshSecrets(kafka).producer != used;
                        }}));
  std::unique_ptr<KafkaSink> sink(
      new KafkaSink(std::move(producer), options, environment, refusals));
  if (!options.transactional_id.empty()) sink->UseTransactions(environment);
  return std::unique_ptr<Sink>(std::move(sink));
}

KafkaSink::KafkaSink(std::unique_ptr<kafka::Producer> producer, const KafkaSinkOptions& options,
                     const Environment& environment, Refusals* refusals)
    : clock_(*environment.clock),
      poller_(*environment.poller),
      producer_(std::move(producer)),
      groups_(options.topic_creation),
      dead_letters_{.name = options.dead_letter_topic,
                    .partitions = 1,
                    .replication_factor = options.dead_letter_replication_factor,
                    .configs = {}},
      awaited_(producer_.get()),
      admin_(&producer_->client(), &producer_->wakeup()),
      health_(&producer_->client(), &producer_->wakeup()),
      most_forgotten_(options.most_forgotten),
      used_time_(options.used_time),
      age_began_(environment.clock->Monotonic()),
      tolerate_{.missing = options.tolerates_missing, .denied = options.tolerates_denied},
      topics_(options.topics),
      refusals_(refusals) {}

void KafkaSink::UseTransactions(const Environment& environment) {
  const auto write = [this](const event::Record& record, Ticket ticket) {
    if (!admin_.idle()) RETURN_IF_ERROR(TakeAnswers(absl::ZeroDuration()));
    return WriteRecord(record, ticket);
  };
  const auto learn = [this](const absl::Status& broken) {
    const kafka::FailedBatch& batch = producer_->failed_batch();
    const absl::Status error = OfTopic(broken, batch);
    if (refusals_ == nullptr || spoilt_) return error;
    if (!batch.topic.empty()) return refusals_->Learn(error, batch, tolerate_, clock_.Monotonic());
    std::vector<absl::string_view> topics;
    for (const auto& [name, target] : targets_) topics.push_back(name);
    return refusals_->LearnUnreported(error, producer_->in_flight_bytes(), topics);
  };
  transactions_ = std::make_unique<KafkaTransactions>(
      KafkaTransactions::Parts{
          .producer = producer_.get(), .lone = &lone_, .write = write, .learn = learn},
      environment);
}

bool KafkaSink::HasCapacity() {
  return producer_->HasCapacity() && (transactions_ == nullptr || transactions_->open());
}

kafka::NewTopic KafkaSink::PlanOf(const Target& target) const {
  return target.name == dead_letters_.name ? dead_letters_ : PlanTopic(target.name, groups_);
}

// What would be created is forgotten again.
absl::Status KafkaSink::CheckTopics(absl::Span<const std::string> topics, Stopping stopping) {
  creation_ = kafka::TopicAdmin::Creation::kAskedFor;
  absl::Status checked = PrepareTopics(topics, stopping);
  creation_ = kafka::TopicAdmin::Creation::kMeant;
  absl::erase_if(targets_, [](const Targets::value_type& of) { return !of.second->topic; });
  return checked;
}

absl::Status KafkaSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  const absl::Duration deadline = clock_.Monotonic() + kPrepareTimeout;
  RETURN_IF_ERROR(producer_->CheckConnected(kRequestTimeout, stopping));
  absl::Status refused;  // one name stops no other
  std::vector<std::string> unknown, wanted;
  if (!groups_.empty()) wanted.assign(topics.begin(), topics.end());
  if (!dead_letters_.name.empty()) wanted.push_back(dead_letters_.name);
  for (const std::string& topic : wanted) {
    if (targets_.contains(topic)) continue;
    const absl::StatusOr<Target*> target = AddTarget(topic);
    refused.Update(target.status());
    if (target.ok() && !(*target)->topic) unknown.push_back(topic);
  }
  for (size_t first = 0; first < unknown.size(); first += kRequestTopics) {
    admin_.StartExists(absl::MakeSpan(unknown).subspan(first, kRequestTopics), kRequestTimeout);
  }
  while (!admin_.idle() && clock_.Monotonic() < deadline) {
    if (stopping()) return Interrupted();
    RETURN_IF_ERROR(TakeAnswers(std::min(deadline - clock_.Monotonic(), kStoppingLook)));
  }
  refused.Update(FirstRefused());
  if (admin_.idle()) return refused;
  return Error(absl::StatusCode::kUnavailable, "broker_unavailable",
               absl::StrCat("Kafka at ", producer_->client().bootstrap_servers(),
                            " does not answer requests about topics"));
}

absl::Status KafkaSink::FirstRefused() const {
  for (const auto& [name, target] : targets_) RETURN_IF_ERROR(target->refused);
  return absl::OkStatus();
}

absl::Status KafkaSink::Write(const event::Record& record, Ticket ticket) {
  if (transactions_ == nullptr) return WriteRecord(record, ticket);
  RETURN_IF_ERROR(transactions_->CheckOpen());
  RETURN_IF_ERROR(WriteRecord(record, ticket));
  transactions_->OnWritten();
  return absl::OkStatus();
}

absl::Status KafkaSink::WriteRecord(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  ASSIGN_OR_RETURN(Target * target, FindTarget(record.topic));
  if (target->caution != nullptr) RETURN_IF_ERROR(Consider(target));
  if (!target->topic && target->missing) RETURN_IF_ERROR(OpenMissing(target));
  if (!target->topic) {
    return target->refused.ok() ? absl::ResourceExhaustedError("the topic is being looked up")
                                : target->refused;
  }
  target->placed = target->placed || record.partition;
  const size_t bytes = record.key.value_or("").size() + record.value.value_or("").size();
  const absl::Status sent =
      Send(*target,
           {.topic = &*target->topic,
            .partition = record.partition,
            .key = record.key,
            .value = record.value,
            .timestamp_ms = record.timestamp_ms ? record.timestamp_ms : record.made_ms,
            .headers = headers_.Of(record.headers),
            .token = ticket},
           bytes, ticket);
  if (target->written != nullptr && sent.ok()) target->written->Set();
  return sent;
}

absl::Status KafkaSink::Consider(Target* target) {
  Refusals::Topic& known = *target->caution;
  if (known.refused.ok()) return absl::OkStatus();
  if (clock_.Monotonic() < known.refused_until) return known.refused;
  known.refused = absl::OkStatus();
  known.alone_left = std::max<uint64_t>(known.alone_left, 1);
  if (!target->topic) admin_.StartExists({target->name}, kRequestTimeout);
  return absl::OkStatus();
}

absl::Status KafkaSink::Send(const Target& target, const kafka::Message& message, size_t bytes,
                             Ticket ticket) {
  const Refusals::Topic* known = target.caution;
  const bool alone = known != nullptr && (known->alone_left > 0 || bytes >= known->alone_from);
  const absl::Status sent =
      alone ? lone_.Write(*producer_, message, ticket) : producer_->Produce(message);
  if (sent.ok() && !alone) return sent;
  if (absl::IsResourceExhausted(sent)) return sent;
  const RefusedRecord record{.topic = target.name,
                             .servers = producer_->client().bootstrap_servers(),
                             .bytes = bytes,
                             .by_client = !alone};
  if (alone) {
    const absl::Status fate =
        WithSize(refusals_->Judge(sent, target.name, tolerate_, clock_.Monotonic()), record);
    return transactions_ == nullptr ? fate : CountInTransaction(fate);
  }
  if (absl::IsInvalidArgument(sent)) return WithSize(sent, record);
  return Break(
      sent, {.topic = target.name, .status = sent, .records = 1, .bytes = bytes, .largest = bytes});
}

// What became of a record that was sent alone.
absl::Status KafkaSink::CountInTransaction(const absl::Status& fate) {
  IntoTransaction into(transactions_.get());
  lone_.TakeAcknowledged(into);
  if (fate.ok()) return fate;
  spoilt_ = true;
  broken_ = transactions_->Break(fate);
  if (absl::IsInvalidArgument(broken_)) broken_ = fate;  // which says more of it
  return broken_;
}

absl::Status KafkaSink::Break(const absl::Status& error, const kafka::FailedBatch& batch) {
  if (!broken_.ok()) return broken_;
  if (transactions_ != nullptr) return broken_ = transactions_->Break(error);
  broken_ = OfTopic(error, batch);
  if (refusals_ == nullptr) return broken_;
  return broken_ = refusals_->Learn(broken_, batch, tolerate_, clock_.Monotonic());
}

absl::Status KafkaSink::OfTopic(const absl::Status& error, const kafka::FailedBatch& batch) {
  std::vector<TopicBefore> before;
  for (const auto& [name, of] : targets_) {
    if (batch.topic.empty() || batch.topic == name)
      before.push_back({name, of->id, producer_->HasTaken(name), of->placed});
  }
  const auto may_wait = [&] {
    return refusals_ != nullptr && !Creates(batch.topic) && producer_->lets_create() &&
           refusals_->MayAwait(batch.topic, clock_.Monotonic());
  };
  Unnamed told{.error = error, .deleted = {}};
  const Inquirer inquirer{.client = [this] { return producer_->ClientForQuestions(); },
                          .bootstrap_servers = producer_->client().bootstrap_servers(),
                          .poller = &poller_};
  if (batch.topic.empty())
    told = ExplainUnnamed(inquirer, before, error);
  else if (!before.empty())
    told.error = ExplainVanished(inquirer, before.front(), {error, batch.status, may_wait});
  if (told.deleted.empty()) told.deleted = {batch.topic};
  for (const std::string& topic : told.deleted)
    if (refusals_ != nullptr) refusals_->Note(told.error, topic);
  return told.error;
}

absl::Status KafkaSink::Poll(AckHandler& acks) {
  if (!broken_.ok()) return broken_;
  if (transactions_ != nullptr) {
    RETURN_IF_ERROR(transactions_->Poll(acks));
  } else {
    lone_.TakeAcknowledged(acks);
    Forward forward(&acks, &lone_);
    if (absl::Status polled = producer_->Poll(forward); !polled.ok())
      return Break(polled, producer_->failed_batch());
  }
  if (!admin_.idle()) RETURN_IF_ERROR(TakeAnswers(absl::ZeroDuration()));
  health_.Poll(clock_.Monotonic());
  if (forgotten_.size() >= most_forgotten_) BreakIfForgetful();
  return broken_;
}

void KafkaSink::BreakIfForgetful() {
  const bool idle = producer_->in_flight_records() == 0 && admin_.idle();
  if (!idle && forgotten_.size() < 2 * most_forgotten_) return;
  broken_ = Error(absl::StatusCode::kUnavailable, "producer_renewed",
                  absl::StrCat(forgotten_.size(),
                               " topics are not used any more: the producer is made anew, to give "
                               "back what it keeps of them"));
}

// librdkafka can lose sight of a partition that had no leader for a moment, and never sends to it
// again: a new producer does.
void KafkaSink::BreakIfStuck(const std::string& where) {
  const absl::Duration since = producer_->waiting_since();
  const absl::Duration stood = clock_.Monotonic() - since;
  if (producer_->in_flight_records() == 0 || stood < kStuck ||
      !health_.answered_since(since + kStuck / 2))
    return;
  broken_ = Error(absl::StatusCode::kUnavailable, "producer_stuck",
                  absl::StrCat(where, " has acknowledged nothing for ",
                               absl::FormatDuration(absl::Trunc(stood, absl::Seconds(1))),
                               " though all partitions have leaders: the producer is made anew"));
}

std::string KafkaSink::WaitingHint() const {
  if (!health_.finding().empty())
    return "it goes on by itself once the partitions that are named have leaders and replicas "
           "enough in sync: start the brokers that hold them, or lower min.insync.replicas";
  if (producer_->connection_error().ok())
    return "it goes on by itself once Kafka acknowledges: look at the brokers, their load and the "
           "network before them";
  return "it goes on by itself once a broker answers: start those that are down, or look at "
         "bootstrap servers, network and firewalls";
}

std::string KafkaSink::WaitingFor() {
  constexpr size_t kMaxAsked = 100;
  std::vector<std::string> topics;
  for (const auto& [name, target] : targets_) {
    if (topics.size() < kMaxAsked && target->topic) topics.push_back(name);
  }
  health_.Ask(topics, kRequestTimeout);
  const std::string where = absl::StrCat("Kafka at ", producer_->client().bootstrap_servers());
  const absl::Status& error = producer_->connection_error();
  // One broker that is away may be why, or not: what the others say of the partitions goes first.
  const std::string finding = health_.finding();
  const bool is_new = health_.answered_since(clock_.Monotonic() - kRecent);
  const Target* asked = AskedFor();
  if (!error.ok()) {
    return absl::StrCat(
        where, asked ? absl::StrCat(" to answer whether topic ", asked->name, " exists") : "", ": ",
        is_new ? finding : "", is_new && !finding.empty() ? "; " : "", error.message());
  }
  if (asked != nullptr)
    return absl::StrCat(where, " to answer whether topic ", asked->name, " exists");
  if (last_ != nullptr && last_->missing && !last_->topic)
    return absl::StrCat(where, " to create ", AwaitedTopics::kMost, " topics before ", last_->name);
  if (finding.empty()) BreakIfStuck(where);
  return finding.empty() ? absl::StrCat(where, " to acknowledge")
                         : absl::StrCat(where, ": ", finding);
}

const KafkaSink::Target* KafkaSink::AskedFor() const {
  if (last_ == nullptr || last_->topic || !last_->refused.ok() || admin_.idle()) return nullptr;
  return last_;
}

absl::Status KafkaSink::Flush(AckHandler& acks, absl::Duration timeout) {
  if (!broken_.ok()) return broken_;
  if (transactions_ != nullptr) return transactions_->Flush(acks, timeout);
  lone_.TakeAcknowledged(acks);
  Forward forward(&acks, &lone_);
  absl::Status flushed = producer_->Flush(forward, timeout);
  const bool is_broken = !flushed.ok() && ErrorReason(flushed) != "flush_timeout";
  return is_broken ? Break(flushed, producer_->failed_batch()) : flushed;
}

absl::StatusOr<KafkaSink::Target*> KafkaSink::FindTarget(absl::string_view topic) {
  if (last_ != nullptr && last_->name == topic) return last_;
  if (last_ != nullptr) last_->used = age_;
  if (const auto found = targets_.find(topic); found != targets_.end())
    return last_ = found->second.get();
  ASSIGN_OR_RETURN(last_, AddTarget(topic));
  if (!last_->topic) admin_.StartExists({last_->name}, kRequestTimeout);
  return last_;
}

absl::StatusOr<KafkaSink::Target*> KafkaSink::AddTarget(absl::string_view topic) {
  if (targets_.size() >= sweep_at_) ForgetUnused();
  if (targets_.size() >= kMaxTopics) {
    return Error(absl::StatusCode::kFailedPrecondition, "too_many_topics",
                 absl::StrCat("more than ", kMaxTopics, " topics"),
                 "route to fewer topics, or split the connector");
  }
  std::string name(topic);
  RETURN_IF_ERROR(kafka::CheckTopicName(name));
  auto target = std::make_unique<Target>();
  target->name = name;
  target->used = age_;
  forgotten_.erase(name);
  if (refusals_ != nullptr) target->caution = refusals_->Find(name);
  if (topics_ != nullptr) target->written = topics_->Of(name);
  return targets_.emplace(std::move(name), std::move(target)).first->second.get();
}

KafkaSink::~KafkaSink() {
  if (topics_ == nullptr) return;
  for (const auto& [name, target] : targets_) topics_->Forget(name);
}

// What had no record in the age that ends. librdkafka keeps what it holds of a topic until its
// records are delivered.
void KafkaSink::ForgetUnused() {
  const absl::Duration now = clock_.Monotonic();
  if (now - age_began_ < used_time_ && targets_.size() < kMaxTopics / 2) {
    sweep_at_ = targets_.size() + kKeptTopics;
    return;
  }
  age_began_ = now;
  absl::erase_if(targets_, [this](const Targets::value_type& of) {
    const Target& target = *of.second;
    const bool plain = target.topic && target.refused.ok() && target.caution == nullptr;
    const bool unused =
        plain && &target != last_ && target.name != dead_letters_.name && target.used != age_;
    if (unused) forgotten_.insert(target.name);
    if (unused && topics_ != nullptr) topics_->Forget(target.name);
    return unused;
  });
  ++age_;
  sweep_at_ = std::max(kKeptTopics, 2 * targets_.size());
}

absl::Status KafkaSink::TakeAnswers(absl::Duration wait) {
  for (const kafka::TopicAnswer& answer : admin_.Poll(wait)) {
    if (absl::Status status = OnAnswer(answer); !status.ok()) return broken_ = std::move(status);
  }
  return absl::OkStatus();
}

// Asked again after a time-out: each request waits for a broker by itself, so this does not spin.
absl::Status KafkaSink::OnAnswer(const kafka::TopicAnswer& answer) {
  const auto found = targets_.find(answer.topic);
  if (found == targets_.end()) return absl::OkStatus();
  Target& target = *found->second;
  const bool asks = creation_ == kafka::TopicAdmin::Creation::kAskedFor;
  if (answer.status.ok()) {
    if (asks && answer.question == kafka::TopicAnswer::Question::kCreate) return absl::OkStatus();
    if (answer.question == kafka::TopicAnswer::Question::kCreate)
      log::Info("topic created", {{"topic", target.name}});
    target.id = answer.id;
    return OpenTarget(&target);
  }
  if (absl::IsUnavailable(answer.status)) {
    admin_.StartExists({target.name}, kRequestTimeout);
    return absl::OkStatus();
  }
  if (ErrorReason(answer.status) == "topic_name_invalid") {
    target.refused = answer.status;
    return absl::OkStatus();
  }
  const bool missing = ErrorReason(answer.status) == "topic_missing";
  if (!missing || answer.question == kafka::TopicAnswer::Question::kCreate) {
    if (Tolerates(answer.status, &target)) return absl::OkStatus();
    return target.name == dead_letters_.name ? DeadLetterError(answer.status) : answer.status;
  }
  // The broker creates it, or its first record fails.
  if (!Creates(target.name)) return OpenMissing(&target);
  admin_.StartCreate({PlanOf(target)}, kRequestTimeout, creation_);
  return absl::OkStatus();
}

bool KafkaSink::Tolerates(const absl::Status& error, Target* target) {
  if (refusals_ == nullptr || target->name == dead_letters_.name) return false;
  const absl::Status judged = refusals_->Judge(error, target->name, tolerate_, clock_.Monotonic());
  target->caution = refusals_->Find(target->name);
  return absl::IsInvalidArgument(judged);
}

absl::Status KafkaSink::OpenMissing(Target* target) {
  target->missing = true;
  return awaited_.Add(target->name) ? OpenTarget(target) : absl::OkStatus();
}

absl::Status KafkaSink::OpenTarget(Target* target) {
  ASSIGN_OR_RETURN(kafka::Topic topic, producer_->OpenTopic(target->name));
  target->topic.emplace(std::move(topic));
  return absl::OkStatus();
}

}  // namespace walduct::sink
