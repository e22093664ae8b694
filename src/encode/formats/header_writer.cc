#include "encode/formats/header_writer.h"

#include "java/text/number_text.h"
#include "java/time/connect_time.h"

namespace walduct::encode {

void HeaderWriter::Float(float value) { java::AppendFloat(value, out_); }
void HeaderWriter::Double(double value) { java::AppendDouble(value, out_); }

void HeaderWriter::String(absl::string_view text) {
  out_->push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out_->push_back('\\');
    out_->push_back(c);
  }
  out_->push_back('"');
}

void HeaderWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  AppendJavaDecimal(decimal, scale, scratch, out_);
}

void HeaderWriter::ConnectDate(int64_t days) {
  java::AppendConnectTime(java::kConnectDate, days, out_);
}

void HeaderWriter::ConnectTimestamp(int64_t millis) {
  java::AppendConnectTime(java::kConnectTimestamp, millis, out_);
}

}  // namespace walduct::encode
