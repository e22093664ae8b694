// TLS of a connection to RabbitMQ: librabbitmq's socket over OpenSSL, with the certificates of the
// options.
#pragma once

#include <amqp.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rabbitmq/options.h"

namespace walduct::rabbitmq {

// Of one connection's handshake: outlives it.
struct Handshake {
  long verified = 0;  // X509_V_OK, or what is wrong with the server's certificate
};

// Of the connection, which owns it. FailedPrecondition rabbitmq_tls_failed, kafka_store_….
absl::StatusOr<amqp_socket_t*> MakeTlsSocket(const RabbitTls& tls, const std::string& host,
                                             amqp_connection_state_t connection,
                                             Handshake* handshake);

// Of a handshake that failed. Unavailable: the server was away.
absl::Status HandshakeError(const Handshake& handshake, absl::string_view address, int status);

}  // namespace walduct::rabbitmq
