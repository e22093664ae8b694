// Where a RabbitMQ is, of the properties of the sink rabbitmq.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/properties/property_set.h"
#include "rabbitmq/options.h"

namespace walduct::sink {

// host:port, or host, of a list with commas.
std::vector<std::string> AddressesIn(absl::string_view value);

// A value that is refused counts as one that is not set.
rabbitmq::RabbitOptions BuildRabbitMqServer(const config::PropertySet& properties);

}  // namespace walduct::sink
