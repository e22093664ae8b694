#include "kafka/client.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/log_tail.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "kafka/brokers.h"
#include "kafka/error.h"
#include "kafka/lines/line_groups.h"
#include "kafka/oauth.h"
#include "kafka/send_permit.h"

namespace walduct::kafka {
namespace {

struct ConfDeleter {
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
};
using ConfPtr = std::unique_ptr<rd_kafka_conf_t, ConfDeleter>;

// Broken connections arrive as error events too, and are reported there once per outage instead of
// once per attempt. Records that are still queued when a producer ends were never acknowledged:
// they are sent again. A producer id is asked for until there is one.
bool IsExpected(absl::string_view facility) {
  for (const absl::string_view expected : {"FAIL", "ERROR", "CONFWARN", "GETPID", "TERMINATE"}) {
    if (facility == expected) return true;
  }
  return false;
}

// Of all clients, as several have the same brokers.
class Warnings {
 public:
  void Write(const char* facility, const char* text, const log::Fields& fields) {
    const absl::Duration now = log::Now();
    const MutexLock lock(mutex_);
    for (const LineGroups::Withheld& one : groups_.Take(now))
      log::Warn(
          one.text,
          {{"client", "librdkafka"}, {"facility", one.facility}, {"more_like_it", one.count - 1}});
    if (groups_.Admit(now, facility, text))
      log::Warn(text, fields);
    else
      log::Debug(text, fields);
  }

 private:
  Mutex mutex_;
  LineGroups groups_ ABSL_GUARDED_BY(mutex_);
};

// librdkafka calls this from its own threads.
void OnLog(const rd_kafka_t*, int level, const char* facility, const char* text) {
  constexpr int kCritical = 2;
  constexpr int kWarning = 4;
  static Warnings* const warnings = new Warnings;
  const log::Fields fields = {{"client", "librdkafka"}, {"facility", facility}};
  if (level <= kCritical) {
    log::Error(text, fields);
  } else if (level <= kWarning && !IsExpected(facility)) {
    warnings->Write(facility, text, fields);
  } else {
    log::Debug(text, fields);
  }
}

// Its broker threads are the ones that write to sockets.
constexpr char kInterceptor[] = "walduct";

rd_kafka_resp_err_t OnThreadStart(rd_kafka_t*, rd_kafka_thread_type_t type, const char*,
                                  void* permit) {
  if (type == RD_KAFKA_THREAD_BROKER) GuardThread(static_cast<SendPermit*>(permit));
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t OnNew(rd_kafka_t* handle, const rd_kafka_conf_t*, void* permit, char*, size_t) {
  return rd_kafka_interceptor_add_on_thread_start(handle, kInterceptor, OnThreadStart, permit);
}

bool IsSecret(absl::string_view name) {
  for (const absl::string_view part : {"password", "secret", "key", "pem", "jaas", "oauthbearer"}) {
    if (absl::StrContains(name, part)) return true;
  }
  return false;
}

// unknown: the names that have no effect.
absl::Status SetAll(const Properties& properties, rd_kafka_conf_t* conf, std::string* unknown) {
  char text[512];
  for (const auto& [name, value] : properties) {
    switch (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text, sizeof(text))) {
      case RD_KAFKA_CONF_OK:
        break;
      case RD_KAFKA_CONF_UNKNOWN:
        absl::StrAppend(unknown, unknown->empty() ? "" : ", ", name);
        break;
      case RD_KAFKA_CONF_INVALID:
        return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid",
                     absl::StrCat("Kafka client property ", name, ": ",
                                  IsSecret(name) ? "invalid value" : text));
    }
  }
  return absl::OkStatus();
}

// Takes conf over.
absl::StatusOr<rd_kafka_t*> New(rd_kafka_type_t type, ConfPtr conf) {
  char text[512];
  rd_kafka_t* handle = rd_kafka_new(type, conf.get(), text, sizeof(text));
  if (handle == nullptr) {
    return Error(absl::StatusCode::kInvalidArgument, "kafka_property_invalid",
                 absl::StrCat("Kafka client: ", text),
                 "check the producer.*, consumer.*, admin.* and producer.override.* properties");
  }
  static_cast<void>(conf.release());  // taken over by the handle
  return handle;
}

}  // namespace

absl::StatusOr<Client> Client::Create(Role role, std::string bootstrap_servers,
                                      const Properties& properties, SendPermit* permit) {
  ConfPtr conf(rd_kafka_conf_new());
  Properties all{{"client.id", "walduct"},
                 {"socket.keepalive.enable", "true"},
                 {"reconnect.backoff.max.ms", "1000"},  // as Java's clients; librdkafka's is 10 s
                 {"enable.metrics.push", "false"},
                 {"log.connection.close", "false"}};
  for (const auto& [name, value] : properties) all[name] = value;
  if (!bootstrap_servers.empty()) all["bootstrap.servers"] = bootstrap_servers;
  if (const auto brokers = all.find("bootstrap.servers"); brokers != all.end())
    brokers->second = BrokersForLibrdkafka(brokers->second);
  std::shared_ptr<const OAuthOptions> oauth;
  if (std::optional<OAuthOptions> taken = TakeOAuth(&all)) {
    oauth = std::make_shared<const OAuthOptions>(*std::move(taken));
    UseOAuth(*oauth, conf.get());
  }
  std::string unknown;
  RETURN_IF_ERROR(SetAll(all, conf.get(), &unknown));
  if (!unknown.empty()) log::Warn("Kafka client properties without effect", {{"names", unknown}});
  rd_kafka_conf_set_log_cb(conf.get(), OnLog);
  if (permit != nullptr) {
    rd_kafka_conf_interceptor_add_on_new(conf.get(), kInterceptor, OnNew, permit);
  }
  if (role == Role::kProducer) {
    rd_kafka_conf_set_events(conf.get(), RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
  }
  ASSIGN_OR_RETURN(
      rd_kafka_t* const handle,
      New(role == Role::kProducer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, std::move(conf)));
  Client client(std::move(bootstrap_servers), oauth, handle);
  if (oauth != nullptr) RETURN_IF_ERROR(StartOAuth(handle));
  return client;
}

absl::Status CheckUsable(Properties properties) {
  properties.erase("bootstrap.servers");
  properties.erase("metadata.broker.list");
  ConfPtr conf(rd_kafka_conf_new());
  // Nobody serves its queue: no token is asked for.
  const std::optional<OAuthOptions> oauth = TakeOAuth(&properties);
  if (oauth) UseOAuth(*oauth, conf.get());
  std::string unknown;
  RETURN_IF_ERROR(SetAll(properties, conf.get(), &unknown));
  rd_kafka_conf_set_log_cb(conf.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  ASSIGN_OR_RETURN(rd_kafka_t* const handle, New(RD_KAFKA_PRODUCER, std::move(conf)));
  rd_kafka_destroy(handle);
  return absl::OkStatus();
}

Client::Client(Client&& other) noexcept
    : bootstrap_servers_(std::move(other.bootstrap_servers_)),
      oauth_(std::move(other.oauth_)),
      handle_(std::exchange(other.handle_, nullptr)) {}

Client::~Client() {
  // Not closed first, as a consumer would be: that waits for its commits, however long a broker is
  // away. Whoever is a member of a group leaves it before.
  if (handle_ != nullptr) rd_kafka_destroy_flags(handle_, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

absl::Status Client::CheckConnected(absl::Duration timeout) {
  const rd_kafka_metadata_t* metadata = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(handle_, 0, nullptr, &metadata, ToMilliseconds(timeout));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return KafkaError(error, absl::StrCat("no answer from Kafka at ", bootstrap_servers_));
  }
  rd_kafka_metadata_destroy(metadata);
  return absl::OkStatus();
}

std::string Client::ClusterId(absl::Duration timeout) const {
  char* found = rd_kafka_clusterid(handle_, ToMilliseconds(timeout));
  std::string id = found == nullptr ? "" : found;
  if (found != nullptr) rd_kafka_mem_free(handle_, found);
  return id;
}

void SignalWhenFilled(rd_kafka_queue_s* queue, const Wake& wake) {
  constexpr uint64_t kOne = 1;  // an eventfd takes eight bytes
  rd_kafka_queue_io_event_enable(queue, wake.fd(), &kOne, sizeof(kOne));
}

int ToMilliseconds(absl::Duration duration) {
  const int64_t ms = absl::ToInt64Milliseconds(duration);
  return static_cast<int>(std::clamp<int64_t>(ms, 0, 1 << 30));
}

}  // namespace walduct::kafka
