// The connection's options of a set of properties, by the names of Debezium's.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "redis/options.h"

namespace walduct::redis {

// "" when value is host:port.
std::string CheckAddress(absl::string_view value);

// prefix: "sink.redis.". What is not set with it is taken with the other, whose rows have defaults.
RedisOptions BuildRedis(const config::PropertySet& properties, absl::string_view prefix,
                        absl::string_view other);

}  // namespace walduct::redis
