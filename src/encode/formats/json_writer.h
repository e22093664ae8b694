// JsonWriter: values as Kafka Connect's JsonConverter writes them, appended to a buffer.
#pragma once

#include <cmath>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/json_text.h"
#include "encode/formats/half_pair.h"
#include "encode/formats/text_writer.h"
#include "encode/formats/value_writer.h"
#include "encode/values/base64.h"

namespace walduct::encode {

class JsonWriter : public TextWriter {
 public:
  static constexpr TextFormat kFormat = TextFormat::kJson;

  // Borrows the target.
  explicit JsonWriter(const TextTarget* target) : TextWriter(target) {}

  void Float(const FloatText<float>& value) { Floating(value.finite(), value); }
  void Double(const FloatText<double>& value) { Floating(value.finite(), value); }
  void Float(float value) { Floating(std::isfinite(value), value); }
  void Double(double value) { Floating(std::isfinite(value), value); }
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
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
    if (target_->decimal_numeric) {
      PutJavaDecimal(decimal, scale, scratch);
    } else {
      Bytes(UnscaledBytes(decimal, scale, scratch));
    }
  }

  void Item(size_t index, Need) { Separate(index); }
  // A map whose keys are not strings is an array of pairs, or of objects.
  void BeginMap(MapKeys keys) { out_->push_back(keys == MapKeys::kStrings ? '{' : '['); }
  void Key(size_t index, MapKeys keys) {
    Separate(index);
    if (keys != MapKeys::kStrings) out_->append(target_->map_entries ? "{\"key\":" : "[");
  }
  void MapValue(MapKeys keys, Need) {
    if (keys == MapKeys::kStrings) {
      out_->push_back(':');
    } else {
      out_->append(target_->map_entries ? ",\"value\":" : ",");
    }
  }
  void EndEntry(MapKeys keys) {
    if (keys != MapKeys::kStrings) out_->push_back(target_->map_entries ? '}' : ']');
  }
  void EndMap(MapKeys keys) { out_->push_back(keys == MapKeys::kStrings ? '}' : ']'); }
  void BeginStruct() { out_->push_back('{'); }
  void Field(size_t index, absl::string_view name, Need) {
    Separate(index);
    if (MayHaveHalfPair(name)) {
      AppendJsonWithHalfPairs(name, out_);
    } else {
      AppendJsonString(name, out_);
    }
    out_->push_back(':');
  }
  void NullField(size_t index, absl::string_view name, Need need) {
    Field(index, name, need);
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

 protected:
  void Separate(size_t index) {
    if (index > 0) out_->push_back(',');
  }
  // At most `size` characters between quotes.
  template <typename Fill>
  bool Quoted(size_t size, Fill fill) {
    char* const open = out_->Room(size + 2);
    *open = '"';
    char* const close = fill(open + 1);
    if (close == nullptr) return false;
    *close = '"';
    out_->EndAt(close + 1);
    return true;
  }

 private:
  template <typename Float>
  void Floating(bool finite, const Float& value) {
    if (finite) return PutFloating(value);
    Quoted(java::kMostOfNumber, [&](char* to) { return JavaNumber(value, to); });
  }
};

}  // namespace walduct::encode
