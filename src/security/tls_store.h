// Java's key and trust stores, told apart by their content rather than by ssl.*.type: the JVM reads
// PKCS12 under the name of JKS too.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::security {

enum class StoreFormat { kPem, kPkcs12, kJks };

// What follows fails with InvalidArgument kafka_store_unreadable, which names property and path:
// no such file, none of these formats, a wrong password, an old cipher.

// kafka_store_jceks for the format of secret keys, which nothing but a JVM reads.
absl::StatusOr<StoreFormat> DetectStore(absl::string_view property, const std::string& path);

// All certificates of ssl.truststore.location as PEM.
absl::StatusOr<std::string> Pkcs12Certificates(const std::string& path,
                                               const std::string& password);
absl::StatusOr<std::string> JksCertificates(const std::string& path, const std::string& password);

struct KeyAndChain {
  std::string chain_pem;  // the key's own certificate first
  std::string key_pem;    // secret: not encrypted any more
};
// The private key of ssl.keystore.location. key_password: empty when it is that of the store.
absl::StatusOr<KeyAndChain> JksOwnKey(const std::string& path, const std::string& password,
                                      const std::string& key_password);

// The whole file.
absl::StatusOr<std::string> ReadStore(absl::string_view property, const std::string& path);
absl::StatusOr<KeyAndChain> Pkcs12OwnKey(const std::string& path, const std::string& password);

}  // namespace walduct::security
