// Cipher suites and protocol versions by the names that Java knows.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::security {

// ssl.cipher.suites as OpenSSL's list; OpenSSL's own names stay. Those of TLS 1.3 are left out:
// OpenSSL always offers all of them. Empty: nothing is left, OpenSSL's default. InvalidArgument
// kafka_property_invalid for a suite that OpenSSL lacks.
absl::StatusOr<std::string> OpenSslCiphers(absl::string_view java);

// What cannot be kept of ssl.enabled.protocols: "" when all of it can. The client offers TLS 1.2
// and 1.3, and cannot be told to offer one alone. InvalidArgument kafka_property_invalid when
// neither is among them.
absl::StatusOr<std::string> CheckProtocols(absl::string_view java);

}  // namespace walduct::security
