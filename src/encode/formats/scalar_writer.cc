#include "encode/formats/scalar_writer.h"

#include <charconv>

namespace walduct::encode {

// The double nearest to the number as Java prints it: 3.3, not 3.299999952316284.
void ScalarWriter::Float(const FloatText<float>& value) {
  if (depth_ > 0) return json_.Float(value);
  value.AppendJava(buffer_);
  double real = value.value();
  if (value.finite()) std::from_chars(buffer_->data(), buffer_->data() + buffer_->size(), real);
  Set(event::Scalar::Real(real));
}

void ScalarWriter::Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
  if (depth_ > 0) return json_.Decimal(decimal, scale, scratch);
  AppendJavaDecimal(decimal, scale, scratch, buffer_);
  Set(event::Scalar::Decimal(*buffer_));
}

}  // namespace walduct::encode
