// What Debezium and Kafka Connect say of the value of one setting. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/plugins/definitions.h"
#include "serve/topics/config_map.h"

namespace walduct::serve {

// "The 'KEY' value is invalid: REASON", in the order of the checks.
std::vector<std::string> DebeziumErrors(const Definition& definition, const ConfigMap& config);

// What is wrong with a setting of Connect or of one of its plug-ins, and its value as Connect
// prints it; none where it has none, or not of its type.
struct KafkaVerdict {
  std::optional<std::string> value;
  std::vector<std::string> errors;
};
// What the texts call the setting: where its type is wrong, and where a check finds something.
struct KafkaNames {
  std::string typed_as, checked_as;
};
KafkaVerdict JudgeKafka(const Definition& definition, const KafkaNames& names,
                        const ConfigMap& config);

// Items of a list as Kafka reads it: trimmed, empty ones kept; none of an empty text.
std::vector<std::string> KafkaList(absl::string_view value);

// Why a pattern is none: Java's words for what people get wrong most, else `ours`.
std::string JavaPatternError(absl::string_view pattern, absl::string_view ours);

}  // namespace walduct::serve
