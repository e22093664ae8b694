// HeaderWriter: values inside a struct or list that SimpleHeaderConverter prints (Connect's
// Values.convertToString): like JSON, but numbers are never quoted, decimals are digits, and
// Connect's own times are texts.
#pragma once

#include "base/json.h"
#include "encode/formats/json_writer.h"

namespace walduct::encode {

class HeaderWriter : public JsonWriter {
 public:
  static constexpr TextFormat kFormat = TextFormat::kHeader;

  using JsonWriter::JsonWriter;

  void Float(const FloatText<float>& value) { PutFloating(value); }
  void Double(const FloatText<double>& value) { PutFloating(value); }
  void Float(float value) { PutFloating(value); }
  void Double(double value) { PutFloating(value); }
  // Escapes the quote and the backslash, nothing else.
  void String(absl::string_view text);
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
    PutJavaDecimal(decimal, scale, scratch);
  }
  void ConnectDate(int64_t days);
  void ConnectTime(int64_t millis) { ConnectTimestamp(millis); }
  void ConnectTimestamp(int64_t millis);

 private:
  void PutTime(absl::string_view schema_name, int64_t value);
};

}  // namespace walduct::encode
