// How a key, a value or a header becomes bytes: what Connect calls a converter.
#pragma once

#include <cstdint>

namespace walduct::encode {

enum class ConverterKind { kJson, kString, kByteArray, kAvro };

// Under which name a registry keeps the schemas of a topic's keys or values: `<topic>-value`, the
// name of the record, both, the topic alone.
enum class SubjectStrategy : uint8_t { kTopic, kRecord, kTopicRecord, kTopicAlone };

// Whose converter it is: Confluent's or Apicurio's, each with an interface of its own.
enum class RegistryKind : uint8_t { kConfluent, kApicurio };

// Where the id of a schema stands: behind a zero byte before the value, in so many bytes, or in a
// header of the record.
enum class IdPlace : uint8_t { kFourBytes, kEightBytes, kHeader };

struct AvroOptions {
  bool connect_meta_data = true;  // connect.*: what Avro has no words for
  bool scrub_invalid_names = false;
  bool optional_map_keys = false;  // a map may be Avro's though its keys are optional
};

struct ConverterOptions {
  ConverterKind kind = ConverterKind::kJson;
  bool schemas_enable = true;
  bool decimal_numeric = false;  // decimal.format=NUMERIC
  bool replace_null_with_default = true;
  bool raw_bytes = false;  // BinaryDataConverter: bytes as they are, the rest as said above
  AvroOptions avro = {};
  RegistryKind registry = RegistryKind::kConfluent;
  SubjectStrategy subject = SubjectStrategy::kTopic;
  IdPlace id_place = IdPlace::kFourBytes;
  bool content_id = false;  // kHeader: it is that of the content; else of the version

  // What is written shows the schema, and so does a change of it.
  bool shows_schema() const {
    return kind == ConverterKind::kAvro || (kind == ConverterKind::kJson && schemas_enable);
  }
};

}  // namespace walduct::encode
