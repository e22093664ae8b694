// What kinds of converters there are, and of registries that they leave their schemas to.
#pragma once

#include <cstdint>

namespace walduct::encode {

enum class ConverterKind { kJson, kString, kByteArray, kNumber, kAvro, kProtobuf };

// Under which name a registry keeps the schemas of a topic's keys or values: `<topic>-value`, the
// name of the record, both, the topic alone.
enum class SubjectStrategy : uint8_t { kTopic, kRecord, kTopicRecord, kTopicAlone };

// Whose converter it is: Confluent's or Apicurio's, each with an interface of its own.
enum class RegistryKind : uint8_t { kConfluent, kApicurio };

// Where the id of a schema stands: behind a zero byte before the value, in so many bytes, or in a
// header of the record.
enum class IdPlace : uint8_t { kFourBytes, kEightBytes, kHeader };

}  // namespace walduct::encode
