// AvroWriter: values as Avro's binary encoding has them, appended to a buffer: nothing but values,
// in the order of the schema.
//   int, long      zigzag varint            float, double  4, 8 bytes, little endian
//   bytes, string  length, bytes            boolean        one byte
//   union          index of the branch, value: null is the first, and the second where there is a
//                  default
//   array, map     count, items, 0; empty: 0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "base/out_buffer.h"
#include "encode/formats/value_writer.h"
#include "encode/values/base64.h"

namespace walduct::encode {

class AvroWriter {
 public:
  // A field that is null is written as its default, as Struct.get() reads it.
  static constexpr bool kNullIsDefault = true;

  // Borrows the buffer.
  explicit AvroWriter(OutBuffer* out) : out_(out) {}

  size_t Mark() const { return out_->size(); }
  void Rewind(size_t mark) {
    out_->CutTo(mark);
    while (!open_.empty() && open_.back().begin >= mark) open_.pop_back();
  }
  bool nested_arrays() const { return false; }

  // Of a value that may be missing and was announced as there.
  void Null() { out_->back() ^= kSecondBranch; }
  void Boolean(bool value) { out_->push_back(value ? 1 : 0); }
  void Integer(int64_t value) { out_->EndAt(PutInteger(value, out_->Room(kMostBytes))); }
  void IntegerText(absl::string_view, int64_t value) { Integer(value); }
  void Float(float value) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
    Fixed(std::bit_cast<uint32_t>(value));
  }
  void Float(const FloatText<float>& value) { Float(value.value()); }
  void Double(double value) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    Fixed(std::bit_cast<uint64_t>(value));
  }
  void Double(const FloatText<double>& value) { Double(value.value()); }
  void String(absl::string_view text) { Bytes(text); }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    char* const begin = out_->Room(kMostBytes + size);
    char* const text = PutInteger(static_cast<int64_t>(size), begin);
    const char* const end = fill(text);
    if (end == nullptr) return false;
    const auto filled = static_cast<size_t>(end - text);
    char length[kMostBytes];
    const auto width =
        static_cast<size_t>(PutInteger(static_cast<int64_t>(filled), length) - length);
    if (begin + width != text) std::memmove(begin + width, text, filled);
    std::memcpy(begin, length, width);
    out_->EndAt(begin + width + filled);
    return true;
  }
  void Bytes(absl::string_view bytes) {
    char* const to =
        PutInteger(static_cast<int64_t>(bytes.size()), out_->Room(kMostBytes + bytes.size()));
    out_->EndAt(PutBytes(bytes, to));
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

  void BeginArray() { Open(); }
  void Item(size_t index, Need need) {
    open_.back().items = index + 1;
    Announce(need);
  }
  void EndArray() { Close(); }
  void BeginMap(MapKeys) { Open(); }
  void Key(size_t index, MapKeys) { open_.back().items = index + 1; }
  void MapValue(MapKeys, Need need) { Announce(need); }
  void EndEntry(MapKeys) {}
  void EndMap(MapKeys) { Close(); }
  void BeginStruct() {}
  void Field(size_t, absl::string_view, Need need) { Announce(need); }
  void NullField(size_t, absl::string_view, Need need) {
    if (need != Need::kRequired)
      out_->push_back(need == Need::kOptionalWithDefault ? kSecondBranch : 0);
  }
  void EndStruct() {}

  // Rows (table/write_row.h).
  void BeginRow() {}
  void BeginField(size_t, Need need) { Announce(need); }
  void EndField(bool) {}
  void EndRow() {}

 private:
  static constexpr size_t kMostBytes = 10;
  static constexpr char kSecondBranch = 2;  // the number 1

  // An array or a map whose items are being written.
  struct Block {
    size_t begin = 0;  // where its count is to stand
    size_t items = 0;
  };

  // Answers the end.
  static char* PutInteger(int64_t value, char* to) {
    uint64_t rest = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
    for (; rest >= 0x80; rest >>= 7) *to++ = static_cast<char>(rest | 0x80);
    *to++ = static_cast<char>(rest);
    return to;
  }
  template <typename Bits>
  void Fixed(Bits bits) {
    char bytes[sizeof(bits)];
    for (char& byte : bytes) {
      byte = static_cast<char>(bits);
      bits = static_cast<Bits>(bits >> 8);
    }
    out_->append({bytes, sizeof(bytes)});
  }
  // The branch of the union, where the value may be missing.
  void Announce(Need need) {
    if (need != Need::kRequired) out_->push_back(need == Need::kOptional ? kSecondBranch : 0);
  }
  void Open() {
    open_.push_back({out_->size(), 0});
    out_->push_back(0);
  }
  void Close() {
    const Block block = open_.back();
    open_.pop_back();
    if (block.items == 0) return;
    char count[kMostBytes];
    const auto width =
        static_cast<size_t>(PutInteger(static_cast<int64_t>(block.items), count) - count);
    out_->replace(block.begin, 1, {count, width});
    out_->push_back(0);
  }

  OutBuffer* const out_;
  absl::InlinedVector<Block, 8> open_;
};

}  // namespace walduct::encode
