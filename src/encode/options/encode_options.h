// Everything that decides how the records of one connector look. Immutable once built.
#pragma once

#include <optional>
#include <string>

#include "encode/options/column_options.h"
#include "encode/options/converter_options.h"
#include "encode/options/value_options.h"
#include "names/name_adjustment.h"

namespace walduct::encode {

struct EncodeOptions {
  ConverterOptions key, value;
  std::optional<ConverterOptions> header;  // absent: SimpleHeaderConverter
  ValueOptions values;
  ColumnOptions columns;
  names::NameAdjustment schema_names = names::NameAdjustment::kNone;
  names::NameAdjustment field_names = names::NameAdjustment::kNone;
  std::string topic_prefix;
  std::string database;          // source.db
  bool slot_xmin = false;        // source.xmin; false: always null
  bool extended_headers = true;  // __debezium.context.*
  std::string unavailable_placeholder = "__debezium_unavailable_value";
};

}  // namespace walduct::encode
