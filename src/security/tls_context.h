// The stores of a client's connections (PEM, PKCS12, JKS), as OpenSSL has them.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::security {

struct ClientStores {
  std::string trust_store, trust_store_password;  // empty: the system's authorities
  std::string key_store, key_store_password;      // empty: no certificate of ours
};

// For whoever reads an error: names of properties, and the client's own reason.
struct ClientStoreNames {
  absl::string_view trust_store, key_store, reason;
};

// Reads the stores. InvalidArgument kafka_store_…; FailedPrecondition with names.reason: a store
// cannot be used.
absl::Status UseStores(const ClientStores& stores, const ClientStoreNames& names, SSL_CTX* context);

// FailedPrecondition, with OpenSSL's last error, which is forgotten then.
absl::Status TlsFailure(const ClientStoreNames& names, absl::string_view what);

// A number is no name that a client announces, and is compared with other fields of a certificate.
bool IsAddress(const std::string& host);

}  // namespace walduct::security
