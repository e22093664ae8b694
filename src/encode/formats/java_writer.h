// JavaWriter: values as Java prints them: Struct.toString() and what it calls, as StringConverter
// does. Strings are bare; a struct leaves out what is null.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/formats/text_writer.h"
#include "encode/formats/value_writer.h"
#include "encode/values/base64.h"

namespace walduct::encode {

class JavaWriter : public TextWriter {
 public:
  static constexpr TextFormat kFormat = TextFormat::kStruct;

  // Borrows the target.
  explicit JavaWriter(const TextTarget* target) : TextWriter(target) {}

  void Float(const FloatText<float>& value) { PutFloating(value); }
  void Double(const FloatText<double>& value) { PutFloating(value); }
  void Float(float value) { PutFloating(value); }
  void Double(double value) { PutFloating(value); }
  void String(absl::string_view text) { Append(text); }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    char* const end = fill(out_->Room(size));
    if (end == nullptr) return false;
    out_->EndAt(end);
    return true;
  }
  void Bytes(absl::string_view bytes) {
    Ascii(Base64Size(bytes.size()),
          [=](char* to) { return PutBase64(bytes, Base64Alphabet::kStandard, to); });
  }
  bool HexBytes(absl::string_view hex) {
    return Ascii(Base64Size(hex.size() / 2),
                 [=](char* to) { return PutBase64OfHex(hex, Base64Alphabet::kStandard, to); });
  }
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
    PutJavaDecimal(decimal, scale, scratch);
  }

  void Item(size_t index, Need) { Separate(index); }
  void BeginMap(MapKeys) { out_->push_back('{'); }
  void Key(size_t index, MapKeys) { Separate(index); }
  void MapValue(MapKeys, Need) { out_->push_back('='); }
  void EndEntry(MapKeys) {}
  void EndMap(MapKeys) { out_->push_back('}'); }
  void BeginStruct() {
    out_->append("Struct{");
    struct_ = out_->size();
  }
  void Field(size_t, absl::string_view name, Need) {
    if (out_->size() != struct_) out_->push_back(',');
    Append(name);
    out_->push_back('=');
  }
  void NullField(size_t, absl::string_view, Need) {}
  void EndStruct() { out_->push_back('}'); }

  // A row's fields: null ones are left out, so the comma depends on what has been written.
  void BeginRow() {
    out_->append("Struct{");
    first_ = true;
  }
  void BeginField(absl::string_view prefix) {
    field_ = out_->size();
    if (!first_) out_->push_back(',');
    Append(prefix);
  }
  void EndField(bool null) {
    if (null) {
      out_->CutTo(field_);
    } else {
      first_ = false;
    }
  }
  void EndRow(absl::string_view tail, bool) {
    if (!first_ && !tail.empty()) out_->push_back(',');
    Append(tail);
    out_->push_back('}');
  }

 private:
  void Separate(size_t index) {
    if (index > 0) out_->append(", ");
  }

  size_t struct_ = 0;  // where the fields of the struct begun last begin
  bool first_ = true;  // of a row: no field has been written
  size_t field_ = 0;   // of a row: where the last one began
};

}  // namespace walduct::encode
