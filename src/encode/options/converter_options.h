// How a key, a value or a header becomes bytes: what Connect calls a converter.
#pragma once

#include <memory>

#include "encode/options/converter_kinds.h"
#include "encode/options/protobuf_form.h"
#include "event/connect_schema.h"

namespace walduct::encode {

struct AvroOptions {
  bool connect_meta_data = true;  // connect.*: what Avro cannot express
  bool scrub_invalid_names = false;
  bool optional_map_keys = false;  // a map may be Avro's though its keys are optional
};

struct CloudEventsOptions;

struct ConverterOptions {
  ConverterKind kind = ConverterKind::kJson;
  bool schemas_enable = true;
  bool decimal_numeric = false;  // decimal.format=NUMERIC
  bool replace_null_with_default = true;
  bool schema_id = false;  // kJson: {"schemaId":…,"payload":…}, with the schema in a registry
  // kJson, without schemas_enable: in a registry's frame, described by a JSON Schema.
  bool json_schema = false;
  bool additional_properties = true;  // json_schema: structures may have more fields
  event::ConnectType number = event::ConnectType::kInt32;  // kNumber: the only type it converts
  bool raw_bytes = false;  // BinaryDataConverter: bytes as they are, the rest as said above
  // CloudEventsConverter, with what is said above for its data; null: another.
  std::shared_ptr<const CloudEventsOptions> cloud_events = nullptr;
  AvroOptions avro = {};
  ProtobufForm protobuf = {};
  RegistryKind registry = RegistryKind::kConfluent;
  SubjectStrategy subject = SubjectStrategy::kTopic;
  IdPlace id_place = IdPlace::kFourBytes;
  bool content_id = false;  // kHeader: it is that of the content; else of the version

  // The schema can be seen in what is written, and so can a change of it.
  bool shows_schema() const {
    return kind == ConverterKind::kAvro || kind == ConverterKind::kProtobuf ||
           (kind == ConverterKind::kJson && (schemas_enable || json_schema));
  }
};

}  // namespace walduct::encode
