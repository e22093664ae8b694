// What CloudEventsConverter makes of a value before it becomes bytes.
#pragma once

#include <string>

#include "names/name_adjustment.h"

namespace walduct::encode {

struct CloudEventsOptions {
  bool avro = false;       // the event itself; else JSON
  bool extensions = true;  // iodebezium…: operation, source and transaction
  // Where metadata stands: in headers of the record, or in the value (made of it: id and type).
  bool source_in_header = false;
  bool id_in_header = false;
  bool type_in_header = false;
  bool data_name_in_header = false;
  names::NameAdjustment schema_names = names::NameAdjustment::kAvro;
  std::string schema_name;      // of the event; empty: <prefix>.<database>.CloudEvents.Envelope
  std::string registry;         // in front of `/schemas/ids/`
  bool header_schemas = false;  // headers are JSON with schemas, which is how they are read back
};

}  // namespace walduct::encode
