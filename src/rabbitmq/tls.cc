#include "rabbitmq/tls.h"

#include <amqp_ssl_socket.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "rabbitmq/error.h"
#include "security/tls_context.h"

namespace walduct::rabbitmq {
namespace {

constexpr security::ClientStoreNames kNames = {
    .trust_store = "sink.rabbitmq.connection.ssl.trust.store",
    .key_store = "sink.rabbitmq.connection.ssl.key.store",
    .reason = "rabbitmq_tls_failed"};

int Verify(X509_STORE_CTX* context, void* handshake) {
  if (X509_verify_cert(context) == 1) return 1;
  static_cast<Handshake*>(handshake)->verified = X509_STORE_CTX_get_error(context);
  return 0;
}

}  // namespace

absl::StatusOr<amqp_socket_t*> MakeTlsSocket(const RabbitTls& tls, const std::string& host,
                                             amqp_connection_state_t connection,
                                             Handshake* handshake) {
  amqp_socket_t* const socket = amqp_ssl_socket_new(connection);
  if (socket == nullptr) return security::TlsFailure(kNames, "TLS cannot be set up");
  auto* const context = static_cast<SSL_CTX*>(amqp_ssl_socket_get_context(socket));
  // OpenSSL checks, and says why; librabbitmq's own check knows no addresses.
  amqp_ssl_socket_set_verify_peer(socket, 0);
  amqp_ssl_socket_set_verify_hostname(socket, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, tls.checks_certificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (tls.checks_certificate) SSL_CTX_set_cert_verify_callback(context, Verify, handshake);
  RETURN_IF_ERROR(security::UseStores(tls.stores, kNames, context));
  if (!tls.checks_name) return socket;
  X509_VERIFY_PARAM* const wanted = SSL_CTX_get0_param(context);
  if (security::IsAddress(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  }
  return socket;
}

absl::Status HandshakeError(const Handshake& handshake, absl::string_view address, int status) {
  const std::string where = absl::StrCat("TLS with RabbitMQ at ", address);
  if (handshake.verified != X509_V_OK) {
    ERR_clear_error();
    return Error(absl::StatusCode::kFailedPrecondition, kNames.reason,
                 absl::StrCat(where, ": ", X509_verify_cert_error_string(handshake.verified)),
                 absl::StrCat("name the server's authority in ", kNames.trust_store,
                              ", and its host as the certificate has it"));
  }
  const unsigned long code = ERR_peek_error();
  const bool went_away = code == 0 || ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  if (ERR_GET_LIB(code) == ERR_LIB_SSL && !went_away) return security::TlsFailure(kNames, where);
  ERR_clear_error();
  return Unreachable(address, amqp_error_string2(status));
}

}  // namespace walduct::rabbitmq
