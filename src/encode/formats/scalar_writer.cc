#include "encode/formats/scalar_writer.h"

#include <charconv>

namespace walduct::encode {

// The double nearest to the number as Java prints it: 3.3, not 3.299999952316284.
void ScalarWriter::Float(const FloatText<float>& value) {
  double real = value.value();
  if (value.finite()) {
    std::string text;  // so short that it is not allocated
    value.AppendJava(&text);
    std::from_chars(text.data(), text.data() + text.size(), real);
  }
  Double(real);
}

void ScalarWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  tree_.Begin(event::Scalar::Kind::kDecimal);
  AppendPlainDecimal(decimal, scale, scratch, buffer_);
  tree_.End();
}

}  // namespace walduct::encode
