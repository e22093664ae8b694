#include "kafka/error.h"

#include <librdkafka/rdkafka.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"

namespace walduct::kafka {
namespace {

using Code = absl::StatusCode;

// What several codes have in common.
struct Meaning {
  Code code;
  absl::string_view reason;
  absl::string_view hint;
};

constexpr Meaning kUnreachable{
    Code::kUnavailable, "broker_unavailable",
    "check bootstrap.servers, the listener's port and security.protocol, and that the broker runs"};
constexpr Meaning kReplicas{
    Code::kUnavailable, "not_enough_replicas",
    "restart the missing brokers, or lower min.insync.replicas of the topic"};
constexpr Meaning kIdentity{Code::kUnauthenticated, "kafka_authentication_failed",
                            "check sasl.mechanism and sasl.jaas.config"};
constexpr Meaning kTls{
    Code::kFailedPrecondition, "kafka_tls_failed",
    "check ssl.truststore.location, ssl.keystore.location and that the listener speaks TLS"};
constexpr Meaning kTopicAcl{
    Code::kPermissionDenied, "topic_authorization_failed",
    "grant the user DESCRIBE, WRITE and (to create it) CREATE on the topic"};
constexpr Meaning kClusterAcl{
    Code::kPermissionDenied, "cluster_authorization_failed",
    "grant the user IDEMPOTENT_WRITE and (to create topics) CREATE on the "
    "cluster"};
constexpr Meaning kTransactionAcl{
    Code::kPermissionDenied, "transactional_id_authorization_failed",
    "grant the user WRITE and DESCRIBE on the transactional id, or set "
    "exactly.once.support=requested"};
constexpr Meaning kTransactionTooLong{
    Code::kFailedPrecondition, "transaction_timeout_refused",
    "set producer.override.transaction.timeout.ms=60000, or more, up to the brokers' "
    "transaction.max.timeout.ms; or raise that"};
constexpr Meaning kTopicMissing{
    Code::kFailedPrecondition, "topic_missing",
    "create the topic; or let walduct create it: topic.creation.default.partitions=1 and "
    "topic.creation.default.replication.factor=-1, with topic.creation.enable not false; or turn "
    "the broker's auto.create.topics.enable on"};
constexpr Meaning kPartitionMissing{
    Code::kFailedPrecondition, "partition_missing",
    "give the topic the partition that the record asks for: kafka-topics.sh --alter --partitions"};
constexpr Meaning kTooLarge{Code::kInvalidArgument, "record_too_large",
                            "raise producer.override.max.request.size, and message.max.bytes of "
                            "the broker or max.message.bytes of the topic"};
constexpr Meaning kRefused{Code::kInvalidArgument, "record_refused",
                           "a topic with cleanup.policy=compact does not accept records without a "
                           "key; see the broker's log"};
constexpr Meaning kTimestamp{Code::kInvalidArgument, "record_timestamp_refused",
                             "its timestamp is too far from the broker's clock: see "
                             "message.timestamp.before.max.ms and .after.max.ms of the topic"};
constexpr Meaning kTopicName{Code::kInvalidArgument, "topic_name_invalid",
                             "topic names have at most 249 of a-z A-Z 0-9 . _ -"};
constexpr Meaning kTopicSettings{Code::kFailedPrecondition, "topic_settings_invalid",
                                 "correct topic.creation.*"};
constexpr Meaning kTopicPolicy{Code::kPermissionDenied, "topic_policy_violation",
                               "correct topic.creation.* for the broker's create.topic.policy"};
constexpr Meaning kTopicExists{Code::kAlreadyExists, "topic_exists", ""};
constexpr Meaning kQueueFull{Code::kResourceExhausted, "producer_queue_full", ""};
constexpr Meaning kFatal{Code::kUnavailable, "producer_fatal", ""};
constexpr Meaning kTooOld{Code::kFailedPrecondition, "broker_too_old",
                          "walduct needs Apache Kafka 0.11 or later"};
constexpr Meaning kUnknown{Code::kUnavailable, "kafka_error", ""};

struct Row {
  rd_kafka_resp_err_t kafka_code;
  const Meaning* meaning;
};

constexpr Row kRows[] = {
    {RD_KAFKA_RESP_ERR__TRANSPORT, &kUnreachable},
    {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, &kUnreachable},
    {RD_KAFKA_RESP_ERR__RESOLVE, &kUnreachable},
    {RD_KAFKA_RESP_ERR__TIMED_OUT, &kUnreachable},
    {RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, &kUnreachable},
    {RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, &kUnreachable},
    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, &kUnreachable},
    {RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION, &kUnreachable},
    {RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, &kUnreachable},
    {RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, &kUnreachable},
    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, &kReplicas},
    {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, &kReplicas},
    {RD_KAFKA_RESP_ERR__AUTHENTICATION, &kIdentity},
    {RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, &kIdentity},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, &kIdentity},
    {RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE, &kIdentity},
    {RD_KAFKA_RESP_ERR__SSL, &kTls},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, &kTopicAcl},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, &kClusterAcl},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, &kTransactionAcl},
    {RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, &kTransactionTooLong},
    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, &kTopicMissing},
    {RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, &kTopicMissing},
    {RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, &kPartitionMissing},
    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, &kTooLarge},
    {RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, &kTooLarge},
    {RD_KAFKA_RESP_ERR_INVALID_RECORD, &kRefused},
    {RD_KAFKA_RESP_ERR_INVALID_MSG, &kRefused},
    {RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, &kTimestamp},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, &kTopicName},
    {RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, &kTopicSettings},
    {RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, &kTopicSettings},
    {RD_KAFKA_RESP_ERR_INVALID_CONFIG, &kTopicSettings},
    {RD_KAFKA_RESP_ERR_POLICY_VIOLATION, &kTopicPolicy},
    {RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, &kTopicExists},
    {RD_KAFKA_RESP_ERR__QUEUE_FULL, &kQueueFull},
    {RD_KAFKA_RESP_ERR__FATAL, &kFatal},
    {RD_KAFKA_RESP_ERR__FENCED, &kFatal},
    {RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE, &kFatal},
    {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, &kFatal},
    {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, &kFatal},
    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, &kFatal},
    {RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, &kTooOld},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, &kTooOld},
    {RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT, &kTooOld},
};

const Meaning& MeaningOf(int code) {
  for (const Row& row : kRows) {
    if (row.kafka_code == code) return *row.meaning;
  }
  return kUnknown;
}

constexpr absl::string_view kConnectTo = "Connect to ipv";

// "10.0.0.5:9092" of "Connect to ipv4#10.0.0.5:9092 failed: …", cut off together with these words.
absl::string_view ConsumeConnectTo(absl::string_view* words) {
  absl::string_view rest = *words;
  if (!absl::ConsumePrefix(&rest, kConnectTo)) return "";
  const size_t begin = rest.find('#');
  const size_t end = rest.find(" failed: ");
  if (begin == absl::string_view::npos || end == absl::string_view::npos || end < begin) return "";
  *words = rest.substr(end + absl::string_view(" failed: ").size());
  return rest.substr(begin + 1, end - begin - 1);
}

// What the client says begins with the broker's address, as a rule the one of bootstrap.servers,
// and with that which its name has. Each address once: `what` names the first.
std::string WithoutKnownAddress(absl::string_view what, absl::string_view words) {
  const size_t slash = words.find('/');
  const size_t colon = words.find(": ");
  if (slash == absl::string_view::npos || colon == absl::string_view::npos || colon < slash)
    return std::string(words);
  absl::string_view broker = words.substr(0, slash);
  if (const size_t protocol = broker.find("://"); protocol != absl::string_view::npos)
    return std::string(words);
  const std::string named = absl::AsciiStrToLower(broker);
  absl::string_view rest = words.substr(colon + 2);
  const absl::string_view resolved = ConsumeConnectTo(&rest);
  const bool known = absl::EndsWith(absl::AsciiStrToLower(what), absl::StrCat(" ", named));
  const absl::string_view host = broker.substr(0, broker.rfind(':'));
  const bool local = host == "localhost" || resolved == broker || resolved.empty();
  const std::string begin = known ? "" : absl::StrCat(broker, ": ");
  if (rest.size() == words.size() - colon - 2) return absl::StrCat(begin, rest);
  if (local) return absl::StrCat(begin, "cannot connect: ", rest);
  return absl::StrCat(begin, "cannot connect (", resolved.substr(0, resolved.rfind(':')),
                      "): ", rest);
}

}  // namespace

absl::Status KafkaError(int code, absl::string_view what, absl::string_view detail) {
  const Meaning& meaning = MeaningOf(code);
  const auto kafka_code = static_cast<rd_kafka_resp_err_t>(code);
  // librdkafka's own counts the brokers that are down: those it has not tried yet are not.
  const std::string words = code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ? "no broker answers"
                            : detail.empty() ? rd_kafka_err2str(kafka_code)
                                             : WithoutKnownAddress(what, detail);
  return Error(meaning.code, meaning.reason,
               absl::StrCat(what, ": ", words, " (", rd_kafka_err2name(kafka_code), ")"),
               meaning.hint);
}

bool IsConnectionError(int code) { return MeaningOf(code).reason == kUnreachable.reason; }

bool IsIdentityError(int code) {
  const absl::string_view reason = MeaningOf(code).reason;
  return reason == kIdentity.reason || reason == kTls.reason;
}

}  // namespace walduct::kafka
