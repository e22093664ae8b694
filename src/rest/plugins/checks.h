// What Debezium and Kafka Connect say of the value of one setting. Pure.
#pragma once

#include <string>
#include <vector>

#include "rest/configuration/config_map.h"
#include "rest/plugins/definitions.h"

namespace walduct::rest {

// "The 'KEY' value is invalid: REASON", in the order of the checks.
std::vector<std::string> DebeziumErrors(const Definition& definition, const ConfigMap& config);

// "Invalid value V for configuration KEY: REASON". value: given, or null; checked_as: the name that
// the checks know, without a prefix. *valid: whether the value has its type.
std::vector<std::string> KafkaErrors(const Definition& definition, const std::string* value,
                                     const std::string& checked_as, bool* valid);

}  // namespace walduct::rest
