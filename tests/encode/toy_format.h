// A binary format for tests, in the manner of Avro: nothing but values, in the order of the schema.
// It proves the seam between types and formats: a writer, one instantiation of the readers, and no
// type knows of it.
//   number  zigzag varint     text, bytes  length, bytes     float, double  as in memory
//   optional  0 | 1 value     array  (1 value)* 0            map  (1 key value)* 0
//   optional, with a default  1 | 0 value
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "base/out_buffer.h"
#include "encode/formats/value_writer.h"
#include "encode/values/base64.h"

namespace walduct::encode {

class ToyWriter {
 public:
  explicit ToyWriter(OutBuffer* out) : out_(out) {}

  size_t Mark() const { return out_->size(); }
  void Rewind(size_t mark) { out_->CutTo(mark); }
  bool nested_arrays() const { return false; }

  // Of an optional value, which was announced as there.
  void Null() { out_->back() ^= 1; }
  void Boolean(bool value) { out_->push_back(value ? 1 : 0); }
  void Integer(int64_t value) {
    uint64_t rest = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
    for (; rest >= 0x80; rest >>= 7) out_->push_back(static_cast<char>(rest | 0x80));
    out_->push_back(static_cast<char>(rest));
  }
  void IntegerText(absl::string_view, int64_t value) { Integer(value); }
  void Float(float value) { Raw(&value, sizeof(value)); }
  void Float(const FloatText<float>& value) { Float(value.value()); }
  void Double(double value) { Raw(&value, sizeof(value)); }
  void Double(const FloatText<double>& value) { Double(value.value()); }
  void String(absl::string_view text) { Bytes(text); }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    std::string text(size, '\0');
    const char* end = fill(text.data());
    if (end == nullptr) return false;
    Bytes(absl::string_view(text.data(), static_cast<size_t>(end - text.data())));
    return true;
  }
  void Bytes(absl::string_view bytes) {
    Integer(static_cast<int64_t>(bytes.size()));
    out_->append(bytes);
  }
  bool HexBytes(absl::string_view hex) {
    return Ascii(hex.size() / 2, [=](char* to) { return PutBytesOfHex(hex, to); });
  }
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch) {
    Bytes(UnscaledBytes(decimal, scale, scratch));
  }
  void ConnectDate(int64_t days) { Integer(days); }
  void ConnectTime(int64_t millis) { Integer(millis); }
  void ConnectTimestamp(int64_t millis) { Integer(millis); }

  void BeginArray() {}
  void Item(size_t, Need need) {
    out_->push_back(1);
    Announce(need);
  }
  void EndArray() { out_->push_back(0); }
  void BeginMap(MapKeys) {}
  void Key(size_t, MapKeys) { out_->push_back(1); }
  void MapValue(MapKeys, Need need) { Announce(need); }
  void EndEntry(MapKeys) {}
  void EndMap(MapKeys) { out_->push_back(0); }
  void BeginStruct() {}
  void Field(size_t, absl::string_view, Need need) { Announce(need); }
  void NullField(size_t, absl::string_view, Need need) { out_->push_back(NullOf(need)); }
  void EndStruct() {}

  // Rows (table/write_row.h).
  void BeginRow() {}
  void BeginField(size_t, Need need) { Announce(need); }
  void EndField(bool) {}
  void EndRow() {}

 private:
  static char NullOf(Need need) { return need == Need::kOptionalWithDefault ? 1 : 0; }
  void Announce(Need need) {
    if (need != Need::kRequired) out_->push_back(static_cast<char>(1 - NullOf(need)));
  }
  void Raw(const void* value, size_t size) {
    out_->append({static_cast<const char*>(value), size});
  }

  OutBuffer* const out_;
};

}  // namespace walduct::encode
