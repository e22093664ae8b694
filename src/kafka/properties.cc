#include "kafka/properties.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "kafka/oauth.h"
#include "kafka/version.h"
#include "security/jaas.h"
#include "security/tls_properties.h"

namespace walduct::kafka {
namespace {

constexpr absl::string_view kNativePrefix = "rdkafka.";

absl::Status Invalid(absl::string_view property, absl::string_view what,
                     absl::string_view hint = "") {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid",
               absl::StrCat(property, ": ", what), hint);
}

std::string Get(const Properties& properties, const std::string& name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

// Another name. Empty: accepted without effect, a matter of the JVM or of Connect.
struct Renamed {
  absl::string_view java;
  absl::string_view native;
};
constexpr Renamed kRenamed[] = {
    {"buffer.memory", ""},  // KafkaSinkOptions::buffer_bytes
    {"compression.gzip.level", ""},
    {"compression.lz4.level", ""},
    {"compression.zstd.level", ""},
    {"auto.include.jmx.reporter", ""},
    {"interceptor.classes", ""},
    {"key.deserializer", ""},
    {"key.serializer", ""},
    {"max.block.ms", ""},
    {"metric.reporters", ""},
    {"metrics.num.samples", ""},
    {"metrics.recording.level", ""},
    {"metrics.sample.window.ms", ""},
    {"partitioner.adaptive.partitioning.enable", ""},
    {"partitioner.availability.timeout.ms", ""},
    {"partitioner.class", ""},
    {"partitioner.ignore.keys", ""},
    {"metadata.max.idle.ms", ""},
    {"sasl.client.callback.handler.class", ""},
    {"sasl.jaas.config", ""},
    {"sasl.kerberos.min.time.before.relogin", ""},
    {"sasl.kerberos.ticket.renew.jitter", ""},
    {"sasl.kerberos.ticket.renew.window.factor", ""},
    {"security.providers", ""},
    {"ssl.enabled.protocols", ""},
    {"ssl.engine.factory.class", ""},
    {"ssl.keymanager.algorithm", ""},
    {"ssl.keystore.certificate.chain", ""},
    {"ssl.keystore.key", ""},
    {"ssl.keystore.location", ""},
    {"ssl.keystore.password", ""},
    {"ssl.keystore.type", ""},
    {"ssl.protocol", ""},
    {"ssl.provider", ""},
    {"ssl.secure.random.implementation", ""},
    {"ssl.trustmanager.algorithm", ""},
    {"ssl.truststore.certificates", ""},
    {"ssl.truststore.location", ""},
    {"ssl.truststore.password", ""},
    {"ssl.truststore.type", ""},
    {"value.deserializer", ""},
    {"value.serializer", ""},
};

// Numbers whose range is narrower than Java's: the nearest value that librdkafka takes.
struct Ranged {
  absl::string_view java;
  absl::string_view native;
  int64_t lowest;
  int64_t highest;
};
constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
constexpr Ranged kRanged[] = {
    {"batch.size", "batch.size", 1, kMaxInt},
    {"connections.max.idle.ms", "connections.max.idle.ms", 0, kMaxInt},
    {"delivery.timeout.ms", "message.timeout.ms", 0, kMaxInt},
    {"linger.ms", "linger.ms", 0, 900000},
    {"max.request.size", "message.max.bytes", 1000, 1000000000},
    {"metadata.max.age.ms", "metadata.max.age.ms", 1, 86400000},
    {"receive.buffer.bytes", "socket.receive.buffer.bytes", 0, 100000000},
    {"reconnect.backoff.max.ms", "reconnect.backoff.max.ms", 0, 3600000},
    {"reconnect.backoff.ms", "reconnect.backoff.ms", 0, 3600000},
    {"request.timeout.ms", "request.timeout.ms", 1, 900000},
    {"retry.backoff.max.ms", "retry.backoff.max.ms", 1, 300000},
    {"retry.backoff.ms", "retry.backoff.ms", 1, 300000},
    {"send.buffer.bytes", "socket.send.buffer.bytes", 0, 100000000},
    {"socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.ms", 1000, kMaxInt},
    {"transaction.timeout.ms", "transaction.timeout.ms", 1000, kMaxInt},
};

absl::Status TranslateOne(const std::string& name, const std::string& value, Properties* out) {
  // A matter of the JVM, and TranslateOAuth's.
  for (const char* prefix : {"sasl.login.", "sasl.oauthbearer."}) {
    if (absl::StartsWith(name, prefix)) return absl::OkStatus();
  }
  for (const Renamed& row : kRenamed) {
    if (row.java != name) continue;
    if (!row.native.empty()) (*out)[std::string(row.native)] = value;
    return absl::OkStatus();
  }
  for (const Ranged& row : kRanged) {
    if (row.java != name) continue;
    int64_t number = 0;
    if (!absl::SimpleAtoi(value, &number)) return Invalid(name, "not an integer");
    (*out)[std::string(row.native)] = absl::StrCat(std::clamp(number, row.lowest, row.highest));
    return absl::OkStatus();
  }
  (*out)[name] = value;
  return absl::OkStatus();
}

absl::Status TranslateJaas(const std::string& text, Properties* out) {
  ASSIGN_OR_RETURN(const security::JaasEntry entry, security::ParseJaas(text));
  if (entry.module == "PlainLoginModule" || entry.module == "ScramLoginModule") {
    (*out)["sasl.username"] = Get(entry.options, "username");
    (*out)["sasl.password"] = Get(entry.options, "password");
    return absl::OkStatus();
  }
  if (entry.module == "OAuthBearerLoginModule") return absl::OkStatus();  // TranslateSasl
  if (entry.module == "Krb5LoginModule") {
    for (const auto& [java, native] : {Renamed{"keyTab", "sasl.kerberos.keytab"},
                                       Renamed{"principal", "sasl.kerberos.principal"},
                                       Renamed{"serviceName", "sasl.kerberos.service.name"}}) {
      const auto found = entry.options.find(std::string(java));
      if (found != entry.options.end()) (*out)[std::string(native)] = found->second;
    }
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kInvalidArgument, "kafka_sasl_unsupported",
               absl::StrCat("sasl.jaas.config: login module ", entry.module, " is not supported"),
               "use PlainLoginModule, ScramLoginModule or OAuthBearerLoginModule, or TLS client "
               "certificates");
}

absl::Status SaslUnsupported(absl::string_view what, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "kafka_sasl_unsupported", what, hint);
}

// Java's default mechanism is GSSAPI, too.
absl::Status CheckMechanism(const Properties& java) {
  const std::string mechanism = absl::AsciiStrToUpper(Get(java, "sasl.mechanism"));
  const bool sasl = absl::StartsWithIgnoreCase(Get(java, "security.protocol"), "SASL");
  const bool native =
      java.contains("rdkafka.sasl.mechanism") || java.contains("rdkafka.sasl.mechanisms");
  const bool kerberos = mechanism == "GSSAPI" || (mechanism.empty() && sasl && !native);
  if (!kerberos || HasFeature("sasl_gssapi")) return absl::OkStatus();
  return SaslUnsupported(
      mechanism.empty() ? "sasl.mechanism: not set, and its default, GSSAPI (Kerberos), is not "
                          "supported"
                        : "sasl.mechanism: GSSAPI (Kerberos) is not supported",
      "set sasl.mechanism to PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER, or use "
      "security.protocol=SSL with a client certificate");
}

absl::Status TranslateSasl(const Properties& java, Properties* out) {
  RETURN_IF_ERROR(CheckMechanism(java));
  const std::string jaas = Get(java, "sasl.jaas.config");
  if (!jaas.empty()) RETURN_IF_ERROR(TranslateJaas(jaas, out));
  if (!absl::EqualsIgnoreCase(Get(java, "sasl.mechanism"), "OAUTHBEARER")) return absl::OkStatus();
  security::JaasEntry entry;
  if (!jaas.empty()) {
    ASSIGN_OR_RETURN(entry, security::ParseJaas(jaas));
  }
  return TranslateOAuth(java, entry.options, out);
}

// Java has one level per codec, librdkafka one.
void TranslateCompressionLevel(const Properties& java, Properties* out) {
  const std::string codec = absl::AsciiStrToLower(Get(java, "compression.type"));
  const std::string level = Get(java, absl::StrCat("compression.", codec, ".level"));
  if (!codec.empty() && !level.empty()) (*out)["compression.level"] = level;
}

// murmur2_random is what Java's default does: equal keys keep their partition when walduct takes a
// connector over.
absl::Status TranslatePartitioner(const Properties& java, Properties* out) {
  const std::string name = Get(java, "partitioner.class");
  if (!name.empty() && !absl::EndsWith(name, ".DefaultPartitioner")) {
    return Invalid("partitioner.class", "only the default partitioner is supported",
                   "remove it: records with equal keys could be reordered");
  }
  const bool ignore_keys = absl::EqualsIgnoreCase(Get(java, "partitioner.ignore.keys"), "true");
  (*out)["partitioner"] = ignore_keys ? "random" : "murmur2_random";
  return absl::OkStatus();
}

// With acks other than all a record that was acknowledged can be lost, and the slot would have been
// moved past it.
absl::Status CheckDurability(const Properties& java, Properties* out) {
  const std::string acks = absl::AsciiStrToLower(Get(java, "acks"));
  if (!acks.empty() && acks != "all" && acks != "-1") {
    return Invalid("acks",
                   "must be all: otherwise records that were confirmed to PostgreSQL can be lost",
                   "remove it");
  }
  if (!Get(java, "transactional.id").empty()) {
    return Invalid("transactional.id", "cannot be chosen",
                   "remove it; exactly.once.support=required makes transactions, and names them");
  }
  (*out)["acks"] = "all";
  const std::string idempotence = absl::AsciiStrToLower(Get(java, "enable.idempotence"));
  const bool idempotent = idempotence != "false";
  if (!idempotence.empty() && idempotent && idempotence != "true") {
    return Invalid("enable.idempotence", "must be true or false");
  }
  (*out)["enable.idempotence"] = idempotent ? "true" : "false";
  // Without sequence numbers a retry overtakes what is in flight.
  const int most = idempotent ? 5 : 1;
  const std::string in_flight = Get(java, "max.in.flight.requests.per.connection");
  int wanted = most;
  if (!in_flight.empty() &&
      (!absl::SimpleAtoi(in_flight, &wanted) || wanted < 1 || wanted > most)) {
    return Invalid("max.in.flight.requests.per.connection",
                   absl::StrCat("must be from 1 to ", most, " with enable.idempotence=",
                                idempotent ? "true" : "false", ", or records could be reordered"),
                   "remove it");
  }
  (*out)["max.in.flight.requests.per.connection"] = absl::StrCat(wanted);
  if (idempotent && Get(java, "retries") == "0") {
    return Invalid("retries", "must not be 0 with enable.idempotence=true", "remove it");
  }
  return absl::OkStatus();
}

void ApplyNative(const Properties& java, Properties* out) {
  for (const auto& [name, value] : java) {
    if (absl::StartsWith(name, kNativePrefix)) (*out)[name.substr(kNativePrefix.size())] = value;
  }
}

// librdkafka refuses a record larger than its whole queue.
void SizeQueue(const ProducerRules& rules, Properties* out) {
  int64_t largest = 0;
  if (!absl::SimpleAtoi(Get(*out, "message.max.bytes"), &largest)) largest = 0;
  const int64_t bytes = std::max(static_cast<int64_t>(rules.buffer_bytes), largest);
  (*out)["queue.buffering.max.kbytes"] = absl::StrCat(std::min(bytes / 1024 + 1024, kMaxInt));
  (*out)["queue.buffering.max.messages"] = "0";  // the caller bounds bytes, overhead included
}

void LimitBatch(const ProducerRules& rules, Properties* out) {
  if (rules.batch_bytes == 0) return;
  size_t bytes = 0;
  if (!absl::SimpleAtoi(Get(*out, "batch.size"), &bytes)) bytes = rules.batch_bytes;
  (*out)["batch.size"] = absl::StrCat(std::min(bytes, rules.batch_bytes));
}

// A record that waits for longer than its transaction lasts waits in vain. The position is one of
// the records: its key decides where it is found again.
absl::Status UseTransactions(const ProducerRules& rules, Properties* out) {
  if (rules.transactional_id.empty()) return absl::OkStatus();
  constexpr absl::string_view kFix = "remove it, or set exactly.once.support=requested";
  if (Get(*out, "enable.idempotence") != "true")
    return Invalid("enable.idempotence", "must be true with exactly.once.support=required", kFix);
  if (Get(*out, "partitioner") != "murmur2_random") {
    return Invalid("partitioner.ignore.keys", "must not be true with exactly.once.support=required",
                   kFix);
  }
  (*out)["transactional.id"] = rules.transactional_id;
  out->emplace("transaction.timeout.ms",
               absl::StrCat(absl::ToInt64Milliseconds(kTransactionTimeout)));
  (*out)["message.timeout.ms"] = out->at("transaction.timeout.ms");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Properties> TranslateProperties(const Properties& java) {
  Properties out;
  for (const auto& [name, value] : java) {
    if (!absl::StartsWith(name, kNativePrefix)) RETURN_IF_ERROR(TranslateOne(name, value, &out));
  }
  RETURN_IF_ERROR(TranslateSasl(java, &out));
  RETURN_IF_ERROR(security::TranslateTls(java, &out));
  TranslateCompressionLevel(java, &out);
  ApplyNative(java, &out);
  return out;
}

absl::StatusOr<Properties> ProducerProperties(const Properties& java, const ProducerRules& rules) {
  Properties out{
      {"linger.ms", absl::StrCat(rules.linger_ms)},
      {"message.max.bytes", absl::StrCat(rules.message_bytes)},
      {"message.timeout.ms", "0"},  // a broker that is away is waited for
      // How long a topic may stay unknown before its records fail: long enough for a broker to
      // create it.
      {"topic.metadata.propagation.max.ms", "10000"},
  };
  if (!rules.compression.empty()) out["compression.type"] = rules.compression;
  ASSIGN_OR_RETURN(const Properties translated, TranslateProperties(java));
  for (const auto& [name, value] : translated) out[name] = value;
  RETURN_IF_ERROR(CheckDurability(java, &out));
  RETURN_IF_ERROR(TranslatePartitioner(java, &out));
  out["allow.auto.create.topics"] = rules.auto_create_topics ? "true" : "false";
  SizeQueue(rules, &out);
  ApplyNative(java, &out);
  LimitBatch(rules, &out);
  RETURN_IF_ERROR(UseTransactions(rules, &out));
  return out;
}

}  // namespace walduct::kafka
