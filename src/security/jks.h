// Java's own store format, as the JDK wrote it by default until Java 8: certificates in the clear,
// private keys under the cipher of the JDK's KeyProtector, all of it sealed with SHA-1 of the
// store's password. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::security {

inline constexpr absl::string_view kJksMagic("\xFE\xED\xFE\xED", 4);

struct JksKey {
  std::string protected_key;       // EncryptedPrivateKeyInfo, DER
  std::vector<std::string> chain;  // DER; the key's own certificate first
};

struct JksStore {
  std::vector<std::string> trusted;  // certificates, DER
  std::vector<JksKey> keys;
};

// An empty password leaves the seal unchecked, as in Java. InvalidArgument kafka_store_unreadable:
// not such a store, damaged, or another password.
absl::StatusOr<JksStore> ParseJks(absl::string_view bytes, absl::string_view password);

// The private key as PKCS 8, DER; nullopt: the password is not that of the key.
std::optional<std::string> UnprotectJksKey(absl::string_view protected_key,
                                           absl::string_view password);

}  // namespace walduct::security
