// ProtobufWriter: values as messages of proto3, appended to a buffer. The n-th field of a struct
// has the number n; a field that is NULL is left out, and so is one of zero, false or "" unless
// `optional` says that it is there.
//   tag      number << 3 | wire type, a varint
//   int      varint of two's complement     float, double  4, 8 bytes, little endian
//   message  length, fields                 bytes, string  length, bytes
//   array    of numbers: one field, length, numbers; else a field per item
//   map      a field per entry: a message of key (1) and value (2)
// Lengths are put in front once they are known, in the place of one byte that is kept for them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "base/out_buffer.h"
#include "encode/formats/value_writer.h"
#include "encode/options/protobuf_form.h"
#include "encode/values/base64.h"

namespace walduct::encode {

// A value that has no form in Protobuf, and where: the numbers of the fields that lead to it.
struct ProtobufProblem {
  enum class Kind : uint8_t {
    kNone,
    kNullItem,   // in an array
    kTimestamp,  // beyond the years 1 to 9999
  };
  Kind kind = Kind::kNone;
  std::vector<uint32_t> path;
};

class ProtobufWriter {
 public:
  // A field that is null is written as its default, as Struct.get() reads it.
  static constexpr bool kNullIsDefault = true;
  // A field begins with its number: it has to be announced where its value is written.
  static constexpr bool kTagged = true;

  // Borrows the buffer.
  explicit ProtobufWriter(OutBuffer* out, const ProtobufForm& options = {})
      : out_(out), options_(options) {}
  // One with the same options.
  ProtobufWriter On(OutBuffer* out) const { return ProtobufWriter(out, options_); }

  const ProtobufProblem& problem() const { return problem_; }

  size_t Mark() const { return out_->size(); }
  void Rewind(size_t mark) {
    out_->CutTo(mark);
    while (!open_.empty() && open_.back().start >= mark) Leave();
  }
  bool nested_arrays() const { return false; }

  void Null() {
    if (!open_.empty() && open_.back().array) Fail(ProtobufProblem::Kind::kNullItem);
  }
  void Boolean(bool value) {
    Number(kVarint, !value, [=](char* to) {
      *to++ = value ? 1 : 0;
      return to;
    });
  }
  void Integer(int64_t value) {
    Number(kVarint, value == 0,
           [=](char* to) { return PutVarint(static_cast<uint64_t>(value), to); });
  }
  void IntegerText(absl::string_view, int64_t value) { Integer(value); }
  void Float(float value) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
    Fixed(kFourBytes, std::bit_cast<uint32_t>(value));
  }
  void Float(const FloatText<float>& value) { Float(value.value()); }
  void Double(double value) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    Fixed(kEightBytes, std::bit_cast<uint64_t>(value));
  }
  void Double(const FloatText<double>& value) { Double(value.value()); }
  void String(absl::string_view text) { Bytes(text); }
  template <typename Fill>
  bool Ascii(size_t size, Fill fill) {
    char* const begin = out_->Room(kMostOfHead + size);
    char head[kMostOfHead];
    const size_t reserved = PutHead(size, head);
    char* const text = begin + reserved;
    const char* const end = fill(text);
    if (end == nullptr) return false;
    const auto filled = static_cast<size_t>(end - text);
    const size_t needed = PutHead(filled, head);
    if (needed != reserved && needed != 0) std::memmove(begin + needed, text, filled);
    std::memcpy(begin, head, needed);
    out_->EndAt(begin + needed + filled);
    return true;
  }
  void Bytes(absl::string_view bytes) {
    char* to = out_->Room(kMostOfHead + bytes.size());
    to += PutHead(bytes.size(), to);
    out_->EndAt(PutBytes(bytes, to));
  }
  bool HexBytes(absl::string_view hex) {
    return Ascii(hex.size() / 2, [=](char* to) { return PutBytesOfHex(hex, to); });
  }
  void Decimal(const DecimalText& decimal, int32_t scale, Scratch* scratch);
  void ConnectDate(int64_t days);
  void ConnectTime(int64_t millis);
  void ConnectTimestamp(int64_t millis);

  void BeginArray() { open_.push_back({out_->size(), kUnknown, place_, true}); }
  void Item(size_t, Need need) {
    const bool wrapped = options_.wrapper_for_nullables && need != Need::kRequired;
    place_ = {open_.back().outer.number, wrapped ? Presence::kWrapped : Presence::kItem};
  }
  void EndArray() {
    if (open_.back().length != kUnknown) PutLength(open_.back().length);
    Leave();
  }
  void BeginMap(MapKeys) {}
  void Key(size_t, MapKeys) {
    BeginStruct();
    place_ = {1, Presence::kImplicit};
  }
  void MapValue(MapKeys, Need need) {
    const bool wrapped = options_.wrapper_for_nullables && need != Need::kRequired;
    place_ = {2, wrapped ? Presence::kWrapped : Presence::kImplicit};
  }
  void EndEntry(MapKeys) { EndStruct(); }
  void EndMap(MapKeys) {}
  void BeginStruct() {
    const size_t start = out_->size();
    out_->EndAt(PutTag(kBytes, out_->Room(kMostOfTag)));
    open_.push_back({start, out_->size(), place_, false});
    out_->push_back(0);
  }
  void Field(size_t index, absl::string_view, Need need) { BeginField(index, need); }
  void NullField(size_t, absl::string_view, Need) {}
  void EndStruct() {
    PutLength(open_.back().length);
    Leave();
  }

  // Rows (table/write_row.h), in a struct that has begun.
  void BeginRow() {}
  void BeginField(size_t index, Need need) {
    place_ = {static_cast<uint32_t>(index + 1),
              need == Need::kRequired           ? Presence::kImplicit
              : options_.wrapper_for_nullables  ? Presence::kWrapped
              : options_.optional_for_nullables ? Presence::kExplicit
                                                : Presence::kImplicit};
  }
  void EndField(bool) {}
  void EndRow() {}

 private:
  static constexpr uint8_t kVarint = 0, kEightBytes = 1, kBytes = 2, kFourBytes = 5;
  static constexpr size_t kMostOfTag = 5, kMostOfVarint = 10;
  // Tag and length; of a wrapper, too.
  static constexpr size_t kMostOfHead = kMostOfTag + 1 + 2 * kMostOfVarint;
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  enum class Presence : uint8_t {
    kImplicit,  // zero is left out
    kExplicit,
    kWrapped,  // a message with the value as its field 1, which zero is left out of
    kItem,     // of an array
  };
  struct Place {
    uint32_t number = 1;
    Presence presence = Presence::kImplicit;
  };
  // A message that is being written, or an array.
  struct Frame {
    size_t start = 0;   // what stands before it ends here
    size_t length = 0;  // where its length is to stand; of an array: of its packed items, if any
    Place outer = {};
    bool array = false;
  };

  // Answer the end.
  static char* PutVarint(uint64_t value, char* to) {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
    *to++ = static_cast<char>(value);
    return to;
  }
  char* PutTag(uint8_t wire, char* to) const {
    return PutVarint(static_cast<uint64_t>(place_.number) << 3 | wire, to);
  }
  // Of the only field of a wrapper.
  static constexpr char TagOfWrapped(uint8_t wire) { return static_cast<char>(1 << 3 | wire); }

  // What stands before so many bytes; nothing where they are left out. Answers its size.
  size_t PutHead(size_t size, char* head) const {
    if (size == 0 && place_.presence == Presence::kImplicit) return 0;
    char* to = PutTag(kBytes, head);
    if (place_.presence == Presence::kWrapped) {
      char inner[1 + kMostOfVarint];
      inner[0] = TagOfWrapped(kBytes);
      const auto behind = static_cast<size_t>(PutVarint(size, inner + 1) - inner);
      if (size == 0) {
        *to++ = 0;
      } else {
        to = PutVarint(behind + size, to);
        std::memcpy(to, inner, behind);
        to += behind;
      }
    } else {
      to = PutVarint(size, to);
    }
    return static_cast<size_t>(to - head);
  }

  // put(char* to) writes at most 10 bytes and answers their end.
  template <typename Put>
  void Number(uint8_t wire, bool zero, Put put) {
    if (place_.presence == Presence::kItem) BeginPacked();
    char* to = out_->Room(kMostOfTag + 2 + kMostOfVarint);
    if (place_.presence == Presence::kItem) {
      to = put(to);
    } else if (place_.presence == Presence::kWrapped) {
      char* const length = PutTag(kBytes, to);
      to = length + 1;
      if (!zero) {
        *to++ = TagOfWrapped(wire);
        to = put(to);
      }
      *length = static_cast<char>(to - length - 1);
    } else {
      if (zero && place_.presence == Presence::kImplicit) return;
      to = put(PutTag(wire, to));
    }
    out_->EndAt(to);
  }
  // −0 is not zero.
  template <typename Bits>
  void Fixed(uint8_t wire, Bits bits) {
    Number(wire, bits == 0, [=](char* to) {
      Bits rest = bits;
      for (size_t i = 0; i < sizeof(Bits); ++i) {
        *to++ = static_cast<char>(rest);
        rest = static_cast<Bits>(rest >> 8);
      }
      return to;
    });
  }
  // Before an item that is a number.
  void BeginPacked() {
    Frame& array = open_.back();
    if (array.length != kUnknown) return;
    out_->EndAt(PutTag(kBytes, out_->Room(kMostOfTag)));
    array.length = out_->size();
    out_->push_back(0);
  }
  // Of what stands behind `at`, into the byte there.
  void PutLength(size_t at) {
    const size_t size = out_->size() - at - 1;
    if (size < 0x80) {
      (*out_)[at] = static_cast<char>(size);
      return;
    }
    char length[kMostOfVarint];
    out_->replace(at, 1, {length, static_cast<size_t>(PutVarint(size, length) - length)});
  }
  void Leave() {
    place_ = open_.back().outer;
    open_.pop_back();
  }
  // Of a message of Protobuf's own that is being written.
  void Part(uint32_t number, int64_t value) {
    place_ = {number, Presence::kImplicit};
    Integer(value);
  }
  void Fail(ProtobufProblem::Kind kind);

  OutBuffer* const out_;
  const ProtobufForm options_;
  Place place_;
  absl::InlinedVector<Frame, 8> open_;
  ProtobufProblem problem_;
};

}  // namespace walduct::encode
