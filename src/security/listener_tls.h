// ssl.* of a listener of Kafka Connect's REST interface → what room http needs. Names come without
// their prefix (listeners.https.).
#pragma once

#include "absl/status/statusor.h"
#include "http/server_tls.h"
#include "security/named_values.h"

namespace walduct::security {

// Reads the stores (PEM, PKCS12, JKS). InvalidArgument: kafka_property_invalid, kafka_store_*.
absl::StatusOr<http::ServerTls> ReadListenerTls(const NamedValues& java);

}  // namespace walduct::security
