#include "kafka/durability.h"

#include <librdkafka/rdkafka.h>

#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "kafka/oauth.h"

namespace walduct::kafka {
namespace {

// The default is nothing: an unset string.
std::string Get(const rd_kafka_conf_t* conf, absl::string_view name) {
  char value[256] = "";
  size_t size = sizeof(value);
  const std::string copy(name);
  if (rd_kafka_conf_get(conf, copy.c_str(), value, &size) != RD_KAFKA_CONF_OK) return "";
  return value;
}

// Settings that have one good value.
struct Fixed {
  std::vector<absl::string_view> names;
  absl::string_view value;
  absl::string_view what;
};

const std::vector<Fixed>& FixedSettings() {
  static const auto* const settings = new std::vector<Fixed>{
      {{"request.required.acks", "acks"},
       "-1",
       "must be all: otherwise records that were confirmed to PostgreSQL can be lost"},
      {{"queuing.strategy"}, "fifo", "must be fifo: otherwise records change their order"},
      {{"delivery.report.only.error"},
       "false",
       "must be false: nothing would say that a record has been delivered"},
      {{"test.mock.num.brokers"},
       "0",
       "must be 0: records would go to a mock broker inside the process"},
  };
  return *settings;
}

std::optional<Violation> FindOrderViolation(const rd_kafka_conf_t* conf) {
  const bool idempotent = Get(conf, "enable.idempotence") == "true";
  const int most = idempotent ? 5 : 1;
  const std::string in_flight = Get(conf, "max.in.flight.requests.per.connection");
  int number = 0;
  if (absl::SimpleAtoi(in_flight, &number) && (number < 1 || number > most)) {
    return Violation{{"max.in.flight.requests.per.connection", "max.in.flight"},
                     in_flight,
                     absl::StrCat("must be from 1 to ", most,
                                  " with enable.idempotence=", idempotent ? "true" : "false",
                                  ", or records could be reordered")};
  }
  const std::string retries = Get(conf, "message.send.max.retries");
  if (idempotent && absl::SimpleAtoi(retries, &number) && number < 1) {
    return Violation{{"message.send.max.retries", "retries"},
                     retries,
                     "contradicts enable.idempotence=true: a record that has to be sent again "
                     "would end the producer"};
  }
  return std::nullopt;
}

std::optional<Violation> Judge(const rd_kafka_conf_t* conf, absl::string_view transactional_id) {
  for (const Fixed& setting : FixedSettings()) {
    const std::string value = Get(conf, setting.names.front());
    if (value == setting.value) continue;
    return Violation{setting.names, value, std::string(setting.what)};
  }
  const std::string id = Get(conf, "transactional.id");
  if (id != transactional_id) {
    return Violation{
        {"transactional.id"}, id, "cannot be chosen: exactly.once.support=required names it"};
  }
  return FindOrderViolation(conf);
}

}  // namespace

absl::StatusOr<std::optional<Violation>> FindViolation(const Properties& native,
                                                       absl::string_view transactional_id) {
  Properties properties = native;
  TakeOAuth(&properties);
  const std::unique_ptr<rd_kafka_conf_t, FreedBy<rd_kafka_conf_destroy>> conf(rd_kafka_conf_new());
  char text[512];
  for (const auto& [name, value] : properties) {
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), text, sizeof(text)) ==
        RD_KAFKA_CONF_INVALID) {
      // librdkafka's words quote the value, which may be a secret.
      return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid",
                   absl::StrCat(name, ": is not a value that the Kafka client takes"),
                   "correct or remove it");
    }
  }
  return Judge(conf.get(), transactional_id);
}

absl::Status CheckDurable(const Properties& native, absl::string_view transactional_id) {
  ASSIGN_OR_RETURN(const std::optional<Violation> violation,
                   FindViolation(native, transactional_id));
  if (!violation) return absl::OkStatus();
  return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid",
               absl::StrCat(violation->names.front(), "=", violation->value, " ", violation->what),
               "remove it from producer.* and producer.override.*");
}

}  // namespace walduct::kafka
