// How a key, a value or a header becomes bytes: what Connect calls a converter.
#pragma once

namespace walduct::encode {

enum class ConverterKind { kJson, kString, kByteArray };

struct ConverterOptions {
  ConverterKind kind = ConverterKind::kJson;
  bool schemas_enable = true;
  bool decimal_numeric = false;  // decimal.format=NUMERIC
  bool replace_null_with_default = true;
  bool raw_bytes = false;  // BinaryDataConverter: bytes as they are, the rest as said above
};

}  // namespace walduct::encode
