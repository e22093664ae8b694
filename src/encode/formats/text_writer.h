// TextWriter: what the writers of text have in common: the string they append to, and values that
// all of them spell alike. A base to inherit from, without a virtual call. Borrows the target.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "encode/formats/text_target.h"

namespace walduct::encode {

class TextWriter {
 public:
  std::string* text() { return out_; }
  size_t Mark() const { return out_->size(); }
  void Rewind(size_t mark) { out_->resize(mark); }
  bool nested_arrays() const { return target_->nested_arrays; }

  void Null() { out_->append("null"); }
  void Boolean(bool value) { out_->append(value ? "true" : "false"); }
  void Integer(int64_t value) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    out_->append(digits, static_cast<size_t>(end - digits));
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

  void Append(absl::string_view text) { out_->append(text.data(), text.size()); }

  std::string* const out_;
  const TextTarget* const target_;
};

}  // namespace walduct::encode
