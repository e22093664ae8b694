#include "encode/formats/java_writer.h"

#include "java/text/number_text.h"

namespace walduct::encode {

void JavaWriter::Float(float value) { java::AppendFloat(value, out_); }
void JavaWriter::Double(double value) { java::AppendDouble(value, out_); }

void JavaWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  AppendJavaDecimal(decimal, scale, scratch, out_);
}

}  // namespace walduct::encode
