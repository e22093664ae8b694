#include "encode/formats/scalar_writer.h"

#include <charconv>

#include "java/text/number_text.h"

namespace walduct::encode {

// The double nearest to the number as Java prints it: 3.3, not 3.299999952316284.
void ScalarWriter::Float(const FloatText<float>& value) {
  double real = value.value();
  if (value.finite()) {
    char text[java::kMostOfNumber];
    std::from_chars(text, value.PutJava(text), real);
  }
  Double(real);
}

void ScalarWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  tree_.Begin(event::Scalar::Kind::kDecimal);
  AppendPlainDecimal(decimal, scale, scratch, buffer_);
  tree_.End();
}

}  // namespace walduct::encode
