// TextWriter: what the writers of text have in common: the buffer they append to, and values that
// all of them spell alike. A base to inherit from, without a virtual call. Borrows the target.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/out_buffer.h"
#include "encode/formats/text_target.h"
#include "encode/values/decimal_text.h"
#include "encode/values/digits.h"
#include "encode/values/float_text.h"
#include "java/text/number_text.h"

namespace walduct::encode {

class TextWriter {
 public:
  OutBuffer* text() { return out_; }
  size_t Mark() const { return out_->size(); }
  void Rewind(size_t mark) { out_->CutTo(mark); }
  bool nested_arrays() const { return target_->nested_arrays; }

  void Null() { out_->append("null"); }
  void Boolean(bool value) { out_->append(value ? "true" : "false"); }
  void Integer(int64_t value) {
    Put(kMostOfInteger, [=](char* to) { return PutInteger(value, to); });
  }
  void IntegerText(absl::string_view digits, int64_t) { Append(digits); }
  void ConnectDate(int64_t days) { Integer(days); }
  void ConnectTime(int64_t millis) { Integer(millis); }
  void ConnectTimestamp(int64_t millis) { Integer(millis); }

  void BeginArray() { out_->push_back('['); }
  void EndArray() { out_->push_back(']'); }
  void Ready(absl::string_view value) { Append(value); }

 protected:
  explicit TextWriter(const TextTarget* target) : out_(target->out), target_(target) {}

  void Append(absl::string_view text) { out_->append(text); }
  // put(char* to) writes at most so many characters and answers their end.
  template <typename Function>
  void Put(size_t most, Function put) {
    out_->EndAt(put(out_->Room(most)));
  }
  // The same of a float as Java prints it.
  template <typename Float>
  void PutFloating(const Float& value) {
    Put(java::kMostOfNumber, [&](char* to) { return JavaNumber(value, to); });
  }
  static char* JavaNumber(float value, char* to) { return java::PutFloat(value, to); }
  static char* JavaNumber(double value, char* to) { return java::PutDouble(value, to); }
  template <typename Float>
  static char* JavaNumber(const FloatText<Float>& value, char* to) {
    return value.PutJava(to);
  }
  void PutJavaDecimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
    Put(MostOfJavaDecimal(decimal, scale),
        [&](char* to) { return encode::PutJavaDecimal(decimal, scale, scratch, to); });
  }

  OutBuffer* const out_;
  const TextTarget* const target_;
};

}  // namespace walduct::encode
