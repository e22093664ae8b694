// Connection: one connection to RabbitMQ, with a channel in confirm mode for messages and another
// one for declarations, so that what is refused there does not cost the first. Over librabbitmq,
// which waits: for a thread of its own.
#pragma once

#include <amqp.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "rabbitmq/options.h"
#include "rabbitmq/tls.h"

namespace walduct::rabbitmq {

struct Event {
  enum class Kind : uint8_t { kNothing, kConfirmed, kRefused, kReturned, kBlocked, kUnblocked };
  Kind kind = Kind::kNothing;
  uint64_t tag = 0;  // kConfirmed, kRefused
  bool multiple = false;
  // kReturned: of the message; kBlocked: text is why.
  std::string exchange{}, routing_key{}, body{}, text{};
};

struct QueueSpec {
  std::string name;
  bool durable = true;
  std::string type{};  // empty: the virtual host's default
};

class Connection {
 public:
  // Tries the addresses, one after the other. CloseError, or Unavailable.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const RabbitOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The socket takes more: Publish does not wait, but for a message that is larger than its buffer.
  // A server that has stood still, or that an alarm keeps from reading, takes none.
  bool HasRoom() const;
  // What is published is numbered from 1 on. An error, here and below, ends the connection.
  absl::Status Publish(absl::string_view exchange, absl::string_view routing_key, bool mandatory,
                       const amqp_basic_properties_t& properties, absl::string_view body);
  // The next that RabbitMQ says, without waiting. Sends heartbeats.
  absl::StatusOr<Event> Next();

  // These wait. NotFound becomes rabbitmq_no_exchange. They leave the connection as it is.
  absl::Status CheckExchange(const std::string& name);
  absl::Status DeclareQueue(const QueueSpec& queue);
  absl::Status Bind(const std::string& queue, const std::string& exchange,
                    const std::string& routing_key);

  int fd() const { return amqp_get_sockfd(state_); }
  const std::string& address() const { return address_; }

 private:
  explicit Connection(std::string address);
  absl::Status Connect(const RabbitOptions& options, const Address& address);
  absl::Status LogIn(const RabbitOptions& options);
  absl::Status Answered(const amqp_rpc_reply_t& reply);
  absl::Status OpenDeclarations();
  absl::Status Failed(int status) const;
  absl::StatusOr<Event> OnMethod(const amqp_frame_t& frame);

  const std::string address_;
  Handshake handshake_;
  const amqp_connection_state_t state_;
  bool declares_ = false;  // its channel is open
};

}  // namespace walduct::rabbitmq
