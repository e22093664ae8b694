#include "security/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "security/tls_store.h"

namespace walduct::security {
namespace {

using Bio = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

absl::StatusOr<std::string> TrustedPem(const ClientStores& stores, absl::string_view property) {
  ASSIGN_OR_RETURN(const StoreFormat format, DetectStore(property, stores.trust_store));
  switch (format) {
    case StoreFormat::kJks:
      return JksCertificates(stores.trust_store, stores.trust_store_password);
    case StoreFormat::kPkcs12:
      return Pkcs12Certificates(stores.trust_store, stores.trust_store_password);
    case StoreFormat::kPem:
      break;
  }
  return ReadStore(property, stores.trust_store);
}

absl::Status Trust(const ClientStores& stores, const ClientStoreNames& names, SSL_CTX* context) {
  if (stores.trust_store.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string pem, TrustedPem(stores, names.trust_store));
  const Bio bio = Reader(pem);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int found = 0;
  while (const Certificate one{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)})
    found += X509_STORE_add_cert(store, one.get());
  ERR_clear_error();
  if (found > 0) return absl::OkStatus();
  return TlsFailure(names,
                    absl::StrCat(names.trust_store, ": no certificate in ", stores.trust_store));
}

absl::StatusOr<KeyAndChain> OwnKey(const ClientStores& stores, absl::string_view property) {
  ASSIGN_OR_RETURN(const StoreFormat format, DetectStore(property, stores.key_store));
  switch (format) {
    case StoreFormat::kJks:
      return JksOwnKey(stores.key_store, stores.key_store_password, "");
    case StoreFormat::kPkcs12:
      return Pkcs12OwnKey(stores.key_store, stores.key_store_password);
    case StoreFormat::kPem:
      break;
  }
  ASSIGN_OR_RETURN(const std::string text, ReadStore(property, stores.key_store));
  return KeyAndChain{.chain_pem = text, .key_pem = text};
}

absl::Status ShowCertificate(const ClientStores& stores, const ClientStoreNames& names,
                             SSL_CTX* context) {
  if (stores.key_store.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const KeyAndChain own, OwnKey(stores, names.key_store));
  const Bio chain = Reader(own.chain_pem);
  const Certificate first{PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)};
  if (first == nullptr || SSL_CTX_use_certificate(context, first.get()) != 1)
    return TlsFailure(names,
                      absl::StrCat(names.key_store, ": no certificate in ", stores.key_store));
  while (X509* const more = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr))
    SSL_CTX_add_extra_chain_cert(context, more);  // owns it
  ERR_clear_error();
  const Bio text = Reader(own.key_pem);
  std::string password = stores.key_store_password;
  const Key key{PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, password.data())};
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return TlsFailure(names,
                      absl::StrCat(names.key_store, ": no usable key in ", stores.key_store));
  return absl::OkStatus();
}

}  // namespace

absl::Status UseStores(const ClientStores& stores, const ClientStoreNames& names,
                       SSL_CTX* context) {
  RETURN_IF_ERROR(Trust(stores, names, context));
  return ShowCertificate(stores, names, context);
}

absl::Status TlsFailure(const ClientStoreNames& names, absl::string_view what) {
  const unsigned long code = ERR_get_error();
  const char* const why = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return Error(absl::StatusCode::kFailedPrecondition, names.reason,
               absl::StrCat(what, why == nullptr ? "" : ": ", why == nullptr ? "" : why),
               absl::StrCat("check ", names.trust_store, ", ", names.key_store,
                            " and that the port speaks TLS"));
}

bool IsAddress(const std::string& host) {
  return host.find(':') != std::string::npos ||
         host.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace walduct::security
