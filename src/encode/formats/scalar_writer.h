// ScalarWriter: one value as an event::Scalar, for functions of transforms. Texts are in *buffer.
// Arrays, maps and structs are their JSON, which is the form that Scalar has for them.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/formats/json_writer.h"
#include "encode/formats/value_writer.h"
#include "event/scalar.h"

namespace walduct::encode {

class ScalarWriter {
 public:
  // target->out: the buffer, empty. Both borrowed.
  ScalarWriter(const TextTarget* target, event::Scalar* value)
      : buffer_(target->out), value_(value), json_(target) {}

  size_t Mark() const { return buffer_->size(); }
  void Rewind(size_t mark) {
    buffer_->resize(mark);
    depth_ = 0;
  }
  bool nested_arrays() const { return json_.nested_arrays(); }

  void Null() { depth_ > 0 ? json_.Null() : Set(event::Scalar::Null()); }
  void Boolean(bool value) {
    depth_ > 0 ? json_.Boolean(value) : Set(event::Scalar::Boolean(value));
  }
  void Integer(int64_t value) {
    depth_ > 0 ? json_.Integer(value) : Set(event::Scalar::Integer(value));
  }
  void IntegerText(absl::string_view, int64_t value) { Integer(value); }
  void Float(const FloatText<float>& value);
  void Double(const FloatText<double>& value) {
    depth_ > 0 ? json_.Double(value) : Set(event::Scalar::Real(value.value()));
  }
  void Float(float value) { depth_ > 0 ? json_.Float(value) : Set(event::Scalar::Real(value)); }
  void Double(double value) { depth_ > 0 ? json_.Double(value) : Set(event::Scalar::Real(value)); }
  void String(absl::string_view text) {
    if (depth_ > 0) return json_.String(text);
    buffer_->assign(text.data(), text.size());
    Set(event::Scalar::Text(*buffer_));
  }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    if (depth_ > 0) return json_.Ascii(size, fill);
    if (!Fills(size, fill)) return false;
    Set(event::Scalar::Text(*buffer_));
    return true;
  }
  void Bytes(absl::string_view bytes) {
    if (depth_ > 0) return json_.Bytes(bytes);
    buffer_->assign(bytes.data(), bytes.size());
    Set(event::Scalar::Bytes(*buffer_));
  }
  bool HexBytes(absl::string_view hex) {
    if (depth_ > 0) return json_.HexBytes(hex);
    if (!Fills(hex.size() / 2, [=](char* to) { return PutBytesOfHex(hex, to); })) return false;
    Set(event::Scalar::Bytes(*buffer_));
    return true;
  }
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch);
  void ConnectDate(int64_t days) { Integer(days); }
  void ConnectTime(int64_t millis) { Integer(millis); }
  void ConnectTimestamp(int64_t millis) { Integer(millis); }

  void BeginArray() {
    ++depth_;
    json_.BeginArray();
  }
  void Item(size_t index, bool optional) { json_.Item(index, optional); }
  void EndArray() {
    json_.EndArray();
    End();
  }
  void BeginMap(MapKeys keys) {
    ++depth_;
    json_.BeginMap(keys);
  }
  void Key(size_t index, MapKeys keys) { json_.Key(index, keys); }
  void MapValue(MapKeys keys, bool optional) { json_.MapValue(keys, optional); }
  void EndEntry(MapKeys keys) { json_.EndEntry(keys); }
  void EndMap(MapKeys keys) {
    json_.EndMap(keys);
    End();
  }
  void BeginStruct() {
    ++depth_;
    json_.BeginStruct();
  }
  void Field(size_t index, absl::string_view name, bool optional) {
    json_.Field(index, name, optional);
  }
  void NullField(size_t index, absl::string_view name) { json_.NullField(index, name); }
  void EndStruct() {
    json_.EndStruct();
    End();
  }

 private:
  void Set(const event::Scalar& value) { *value_ = value; }
  void End() {
    if (--depth_ == 0) Set(event::Scalar::Json(*buffer_));
  }
  template <typename Fill>
  bool Fills(size_t size, Fill fill) {
    buffer_->resize(size);
    const char* end = fill(buffer_->data());
    if (end == nullptr) return false;
    buffer_->resize(static_cast<size_t>(end - buffer_->data()));
    return true;
  }

  std::string* const buffer_;
  event::Scalar* const value_;
  JsonWriter json_;
  int depth_ = 0;  // of arrays, maps and structs that are open
};

}  // namespace walduct::encode
