// ssl.* of Java clients → librdkafka's.
#pragma once

#include "absl/status/status.h"
#include "security/named_values.h"

namespace walduct::security {

// Adds to out what the stores, PEM texts, cipher suites and protocols of java come to; certificates
// and keys of stores are read here. InvalidArgument: kafka_property_invalid, kafka_store_*.
absl::Status TranslateTls(const NamedValues& java, NamedValues* out);

}  // namespace walduct::security
