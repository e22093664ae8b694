// ssl.* of a listener of Kafka Connect's REST interface → what room http needs. Names come without
// their prefix (listeners.https.).
#pragma once

#include "absl/status/statusor.h"
#include "http/server_tls.h"
#include "kafka/properties.h"

namespace walduct::kafka {

// Reads the stores (PEM, PKCS12, JKS). InvalidArgument: kafka_property_invalid, kafka_store_*.
absl::StatusOr<http::ServerTls> ReadListenerTls(const Properties& java);

}  // namespace walduct::kafka
