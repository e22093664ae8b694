// Lists of brokers, "host:port,…", as people write them. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::kafka {

// Validator of bootstrap.servers.
std::string CheckBrokers(absl::string_view list);
// As librdkafka reads them: Java's clients take "::1:9092" for the port 9092 of ::1, librdkafka for
// an address without a port.
std::string BrokersForLibrdkafka(absl::string_view list);

}  // namespace walduct::kafka
