// ScalarWriter: one value as an event::Scalar, for functions of transforms, defaults and constants.
// Its text is in *buffer.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/formats/value_writer.h"
#include "encode/values/base64.h"
#include "event/scalar.h"
#include "event/tree.h"

namespace walduct::encode {

class ScalarWriter {
 public:
  // buffer: empty. nested_arrays: see ValueWriter.
  explicit ScalarWriter(std::string* buffer, bool nested_arrays = false)
      : buffer_(buffer), tree_(buffer), nested_arrays_(nested_arrays) {}

  // What has been written; borrows from the buffer.
  event::Scalar value() const { return tree_.value(); }

  size_t Mark() const { return buffer_->size(); }
  // To the beginning.
  void Rewind(size_t) { tree_.Clear(); }
  bool nested_arrays() const { return nested_arrays_; }

  void Null() { tree_.AddNull(); }
  void Boolean(bool value) { tree_.AddInteger(event::Scalar::Kind::kBoolean, value ? 1 : 0); }
  void Integer(int64_t value) { tree_.AddInteger(event::Scalar::Kind::kInteger, value); }
  void IntegerText(absl::string_view, int64_t value) { Integer(value); }
  void Float(const FloatText<float>& value);
  void Double(const FloatText<double>& value) { Double(value.value()); }
  void Float(float value) { Double(static_cast<double>(value)); }
  void Double(double value) { tree_.AddReal(value); }
  void String(absl::string_view text) { tree_.AddText(event::Scalar::Kind::kText, text); }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    return Fills(event::Scalar::Kind::kText, size, fill);
  }
  void Bytes(absl::string_view bytes) { tree_.AddText(event::Scalar::Kind::kBytes, bytes); }
  bool HexBytes(absl::string_view hex) {
    return Fills(event::Scalar::Kind::kBytes, hex.size() / 2,
                 [=](char* to) { return PutBytesOfHex(hex, to); });
  }
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch);
  void ConnectDate(int64_t days) { Integer(days); }
  void ConnectTime(int64_t millis) { Integer(millis); }
  void ConnectTimestamp(int64_t millis) { Integer(millis); }

  void BeginArray() { tree_.Begin(event::Scalar::Kind::kArray); }
  void Item(size_t, Need) {}
  void EndArray() { tree_.End(); }
  void BeginMap(MapKeys) { tree_.Begin(event::Scalar::Kind::kMap); }
  void Key(size_t, MapKeys) {}
  void MapValue(MapKeys, Need) {}
  void EndEntry(MapKeys) {}
  void EndMap(MapKeys) { tree_.End(); }
  void BeginStruct() { tree_.Begin(event::Scalar::Kind::kStruct); }
  void Field(size_t, absl::string_view name, Need) { tree_.Name(name); }
  void NullField(size_t, absl::string_view name, Need) {
    tree_.Name(name);
    Null();
  }
  void EndStruct() { tree_.End(); }

 private:
  template <typename Fill>
  bool Fills(event::Scalar::Kind kind, size_t size, Fill fill) {
    tree_.Begin(kind);
    const size_t begin = buffer_->size();
    buffer_->resize(begin + size);
    const char* end = fill(buffer_->data() + begin);
    if (end == nullptr) return false;
    buffer_->resize(static_cast<size_t>(end - buffer_->data()));
    tree_.End();
    return true;
  }

  std::string* const buffer_;
  event::TreeBuilder tree_;
  const bool nested_arrays_;
};

}  // namespace walduct::encode
