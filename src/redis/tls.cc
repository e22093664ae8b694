#include "redis/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "config/properties/address.h"
#include "security/tls_store.h"

namespace walduct::redis {
namespace {

constexpr absl::string_view kHint =
    "check ssl.truststore.path, ssl.keystore.path and that the port speaks TLS";

using Bio = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;

absl::Status Failed(absl::string_view what) {
  const unsigned long code = ERR_get_error();
  const char* const why = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return Error(absl::StatusCode::kFailedPrecondition, "redis_tls_failed",
               absl::StrCat(what, why == nullptr ? "" : ": ", why == nullptr ? "" : why), kHint);
}

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

absl::Status Trust(const RedisTls& tls, SSL_CTX* context) {
  if (tls.trust_store.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return absl::OkStatus();
  }
  constexpr absl::string_view kProperty = "ssl.truststore.path";
  ASSIGN_OR_RETURN(const security::StoreFormat format,
                   security::DetectStore(kProperty, tls.trust_store));
  absl::StatusOr<std::string> pem =
      format == security::StoreFormat::kPem ? security::ReadStore(kProperty, tls.trust_store)
      : format == security::StoreFormat::kJks
          ? security::JksCertificates(tls.trust_store, tls.trust_store_password)
          : security::Pkcs12Certificates(tls.trust_store, tls.trust_store_password);
  RETURN_IF_ERROR(pem.status());
  const Bio bio = Reader(*pem);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int found = 0;
  while (const Certificate one{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)})
    found += X509_STORE_add_cert(store, one.get());
  ERR_clear_error();
  return found > 0 ? absl::OkStatus()
                   : Failed(absl::StrCat(kProperty, ": no certificate in ", tls.trust_store));
}

absl::StatusOr<security::KeyAndChain> OwnKey(const RedisTls& tls) {
  constexpr absl::string_view kProperty = "ssl.keystore.path";
  ASSIGN_OR_RETURN(const security::StoreFormat format,
                   security::DetectStore(kProperty, tls.key_store));
  switch (format) {
    case security::StoreFormat::kJks:
      return security::JksOwnKey(tls.key_store, tls.key_store_password, "");
    case security::StoreFormat::kPkcs12:
      return security::Pkcs12OwnKey(tls.key_store, tls.key_store_password);
    case security::StoreFormat::kPem:
      break;
  }
  ASSIGN_OR_RETURN(const std::string text, security::ReadStore(kProperty, tls.key_store));
  return security::KeyAndChain{.chain_pem = text, .key_pem = text};
}

absl::Status ShowCertificate(const RedisTls& tls, SSL_CTX* context) {
  if (tls.key_store.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const security::KeyAndChain own, OwnKey(tls));
  const Bio chain = Reader(own.chain_pem);
  const Certificate first{PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)};
  if (first == nullptr || SSL_CTX_use_certificate(context, first.get()) != 1)
    return Failed(absl::StrCat("ssl.keystore.path: no certificate in ", tls.key_store));
  while (X509* const more = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr))
    SSL_CTX_add_extra_chain_cert(context, more);  // owns it
  ERR_clear_error();
  const Bio text = Reader(own.key_pem);
  std::string password = tls.key_store_password;
  const Key key{PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, password.data())};
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return Failed(absl::StrCat("ssl.keystore.path: no usable key in ", tls.key_store));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsContext> MakeTlsContext(const RedisTls& tls) {
  if (!tls.enabled) return TlsContext();
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return Failed("TLS cannot be set up");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  RETURN_IF_ERROR(Trust(tls, context.get()));
  RETURN_IF_ERROR(ShowCertificate(tls, context.get()));
  return context;
}

TlsSession MakeTlsSession(const RedisOptions& options, SSL_CTX* context, int fd) {
  TlsSession session(SSL_new(context));
  if (session == nullptr) return nullptr;
  SSL_set_fd(session.get(), fd);
  SSL_set_connect_state(session.get());
  const bool number = config::IsAddress6(options.host) ||
                      options.host.find_first_not_of("0123456789.") == std::string::npos;
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
  return Failed(where);
}

}  // namespace walduct::redis
