#include "redis/tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "security/tls_context.h"

namespace walduct::redis {
namespace {

constexpr security::ClientStoreNames kNames = {.trust_store = "ssl.truststore.path",
                                               .key_store = "ssl.keystore.path",
                                               .reason = "redis_tls_failed"};

}  // namespace

absl::StatusOr<TlsContext> MakeTlsContext(const RedisTls& tls) {
  if (!tls.enabled) return TlsContext();
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return security::TlsFailure(kNames, "TLS cannot be set up");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  RETURN_IF_ERROR(security::UseStores({.trust_store = tls.trust_store,
                                       .trust_store_password = tls.trust_store_password,
                                       .key_store = tls.key_store,
                                       .key_store_password = tls.key_store_password},
                                      kNames, context.get()));
  return context;
}

TlsSession MakeTlsSession(const RedisOptions& options, SSL_CTX* context, int fd) {
  TlsSession session(SSL_new(context));
  if (session == nullptr) return nullptr;
  SSL_set_fd(session.get(), fd);
  SSL_set_connect_state(session.get());
  const bool number = security::IsAddress(options.host);
  if (!number) SSL_set_tlsext_host_name(session.get(), options.host.c_str());
  if (options.tls.checks_name && number) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session.get()), options.host.c_str());
  } else if (options.tls.checks_name) {
    SSL_set1_host(session.get(), options.host.c_str());
  }
  return session;
}

absl::Status TlsError(const RedisOptions& options, const SSL* session) {
  const long verified = SSL_get_verify_result(session);
  const std::string where = absl::StrCat("TLS with Redis at ", AddressOf(options));
  if (verified != X509_V_OK) {
    ERR_clear_error();
    return Error(absl::StatusCode::kFailedPrecondition, "redis_tls_failed",
                 absl::StrCat(where, ": ", X509_verify_cert_error_string(verified)),
                 "name the server's authority in ssl.truststore.path");
  }
  return security::TlsFailure(kNames, where);
}

}  // namespace walduct::redis
