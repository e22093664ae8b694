// JsonWriter: values as Kafka Connect's JsonConverter writes them, appended to a string.
#pragma once

#include <charconv>
#include <cmath>
#include <string>

#include "absl/strings/string_view.h"
#include "base/json_text.h"
#include "encode/formats/text_target.h"
#include "encode/formats/value_writer.h"
#include "encode/values/base64.h"

namespace walduct::encode {

class JsonWriter {
 public:
  static constexpr TextFormat kFormat = TextFormat::kJson;

  // Borrows the target.
  explicit JsonWriter(const TextTarget* target) : out_(target->out), target_(target) {}

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
  void Float(const FloatText<float>& value) { AppendFloating(value); }
  void Double(const FloatText<double>& value) { AppendFloating(value); }
  void Float(float value);
  void Double(double value);
  void String(absl::string_view text) { AppendJsonString(text, out_); }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    return Quoted(size, fill);
  }
  void Bytes(absl::string_view bytes) {
    Quoted(Base64Size(bytes.size()),
           [=](char* to) { return PutBase64(bytes, Base64Alphabet::kStandard, to); });
  }
  bool HexBytes(absl::string_view hex) {
    return Quoted(Base64Size(hex.size() / 2),
                  [=](char* to) { return PutBase64OfHex(hex, Base64Alphabet::kStandard, to); });
  }
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch);
  void ConnectDate(int64_t days) { Integer(days); }
  void ConnectTime(int64_t millis) { Integer(millis); }
  void ConnectTimestamp(int64_t millis) { Integer(millis); }

  void BeginArray() { out_->push_back('['); }
  void Item(size_t index, bool) { Separate(index); }
  void EndArray() { out_->push_back(']'); }
  // A map whose keys are no strings is an array of pairs.
  void BeginMap(MapKeys keys) { out_->push_back(keys == MapKeys::kStrings ? '{' : '['); }
  void Key(size_t index, MapKeys keys) {
    Separate(index);
    if (keys != MapKeys::kStrings) out_->push_back('[');
  }
  void MapValue(MapKeys keys, bool) { out_->push_back(keys == MapKeys::kStrings ? ':' : ','); }
  void EndEntry(MapKeys keys) {
    if (keys != MapKeys::kStrings) out_->push_back(']');
  }
  void EndMap(MapKeys keys) { out_->push_back(keys == MapKeys::kStrings ? '}' : ']'); }
  void BeginStruct() { out_->push_back('{'); }
  // Names of our own structs need no escape.
  void Field(size_t index, absl::string_view name, bool) {
    Separate(index);
    out_->push_back('"');
    Append(name);
    out_->append("\":");
  }
  void NullField(size_t index, absl::string_view name) {
    Field(index, name, true);
    Null();
  }
  void EndStruct() { out_->push_back('}'); }

  // A row's fields, whose names and commas are ready.
  void BeginRow() {}
  void BeginField(absl::string_view prefix) { Append(prefix); }
  void EndField(bool) {}
  void EndRow(absl::string_view tail, bool empty) {
    if (empty) out_->push_back('{');
    if (!tail.empty()) {
      if (!empty) out_->push_back(',');
      Append(tail);
    }
    out_->push_back('}');
  }
  void Ready(absl::string_view value) { Append(value); }

 protected:
  void Append(absl::string_view text) { out_->append(text.data(), text.size()); }
  void Separate(size_t index) {
    if (index > 0) out_->push_back(',');
  }
  // At most `size` characters between quotes.
  template <typename Fill>
  bool Quoted(size_t size, Fill fill) {
    const size_t begin = out_->size();
    out_->resize(begin + size + 2);
    char* const open = out_->data() + begin;
    *open = '"';
    char* const close = fill(open + 1);
    if (close == nullptr) return false;
    *close = '"';
    out_->resize(begin + static_cast<size_t>(close + 1 - open));
    return true;
  }

  std::string* const out_;
  const TextTarget* const target_;

 private:
  template <typename Float>
  void AppendFloating(const FloatText<Float>& value) {
    if (value.finite()) return value.AppendJava(out_);
    out_->push_back('"');
    value.AppendJava(out_);
    out_->push_back('"');
  }
};

}  // namespace walduct::encode
