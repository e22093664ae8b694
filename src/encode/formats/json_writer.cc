#include "encode/formats/json_writer.h"

#include "java/text/number_text.h"

namespace walduct::encode {

void JsonWriter::Float(float value) {
  const bool quoted = !std::isfinite(value);
  if (quoted) out_->push_back('"');
  java::AppendFloat(value, out_);
  if (quoted) out_->push_back('"');
}

void JsonWriter::Double(double value) {
  const bool quoted = !std::isfinite(value);
  if (quoted) out_->push_back('"');
  java::AppendDouble(value, out_);
  if (quoted) out_->push_back('"');
}

void JsonWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  if (target_->decimal_numeric) {
    AppendJavaDecimal(decimal, scale, scratch, out_);
  } else {
    Bytes(UnscaledBytes(decimal, scale, scratch));
  }
}

}  // namespace walduct::encode
