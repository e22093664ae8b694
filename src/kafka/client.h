// Client: one librdkafka instance, a producer or a consumer, with its threads. Its log lines go to
// walduct::log.
//
// Thread-safe once made. Destroying it waits for librdkafka's threads; what is still queued is
// dropped.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/wake.h"
#include "kafka/properties.h"

struct rd_kafka_queue_s;
struct rd_kafka_s;

namespace walduct::kafka {

class SendPermit;
struct OAuthOptions;

class Client {
 public:
  enum class Role { kProducer, kConsumer };

  // properties: librdkafka's names. Names that it does not know are warned about, once per client.
  // InvalidArgument kafka_property_invalid names a property with a bad value.
  // permit: asked before every write to a broker, must outlive the client; null: nobody is asked.
  static absl::StatusOr<Client> Create(Role role, std::string bootstrap_servers,
                                       const Properties& properties, SendPermit* permit = nullptr);

  Client(Client&& other) noexcept;
  Client& operator=(Client&&) = delete;
  ~Client();

  // OK when a broker answers within the timeout. Unavailable broker_unavailable.
  absl::Status CheckConnected(absl::Duration timeout);

  // Of the cluster that it is connected to; "" when no broker says it within the timeout.
  std::string ClusterId(absl::Duration timeout) const;

  const std::string& bootstrap_servers() const { return bootstrap_servers_; }
  rd_kafka_s* handle() const { return handle_; }

 private:
  Client(std::string bootstrap_servers, std::shared_ptr<const OAuthOptions> oauth,
         rd_kafka_s* handle)
      : bootstrap_servers_(std::move(bootstrap_servers)),
        oauth_(std::move(oauth)),
        handle_(handle) {}

  std::string bootstrap_servers_;
  std::shared_ptr<const OAuthOptions> oauth_;  // null: another mechanism; used by handle_
  rd_kafka_s* handle_;                         // owned
};

// OK when a client with these properties (librdkafka's names) could be made: certificates, keys and
// mechanisms are looked at. Reaches no broker. InvalidArgument kafka_property_invalid.
absl::Status CheckUsable(Properties properties);

// From now on the queue signals whenever it stops being empty, from librdkafka's threads. The queue
// must not outlive wake.
void SignalWhenFilled(rd_kafka_queue_s* queue, const Wake& wake);

// Milliseconds for librdkafka, at least 0, never its "for ever".
int ToMilliseconds(absl::Duration duration);

}  // namespace walduct::kafka
