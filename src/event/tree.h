// Arrays, maps and structs of Kafka Connect's model with all that is in them: a tree, flat in one
// string, so that it is kept, copied and compared as a text is and costs no allocation of its own.
// TreeBuilder makes one, TreeReader walks over it. Neither knows a schema or a format.
//   array    value*
//   map      (key value)*                 each a value
//   struct   (size name value)*           in the order of the schema
//   value    kind, and: nothing | 8 bytes | size, the text, or what is in the array, map or struct
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "event/scalar.h"

namespace walduct::event {

// Builds one value: Add alone; or Begin, what is in it, End. In a text, bytes or a decimal that has
// been begun its bytes are appended to the string itself; in a map keys and values take turns; in a
// struct each value follows its Name.
class TreeBuilder {
 public:
  // out: empty, borrowed; holds the text of value().
  explicit TreeBuilder(std::string* out) : out_(out) {}

  bool at_top() const { return open_.empty(); }
  void AddNull() { Put(Scalar::Kind::kNull); }
  // A boolean or an integer.
  void AddInteger(Scalar::Kind kind, int64_t integer) {
    Put(kind);
    if (at_top()) {
      integer_ = integer;
    } else {
      Raw(integer);
    }
  }
  void AddReal(double real) {
    Put(Scalar::Kind::kReal);
    if (at_top()) {
      real_ = real;
    } else {
      Raw(real);
    }
  }
  // Any that has a text.
  void AddText(Scalar::Kind kind, absl::string_view text) {
    Put(kind);
    if (!at_top()) Raw(static_cast<uint32_t>(text.size()));
    out_->append(text.data(), text.size());
  }
  void Add(const Scalar& value) {
    switch (value.kind) {
      case Scalar::Kind::kNull:
        return AddNull();
      case Scalar::Kind::kBoolean:
      case Scalar::Kind::kInteger:
        return AddInteger(value.kind, value.integer);
      case Scalar::Kind::kReal:
        return AddReal(value.real);
      default:
        return AddText(value.kind, value.text);
    }
  }
  void Name(absl::string_view name) {
    Raw(static_cast<uint32_t>(name.size()));
    out_->append(name.data(), name.size());
  }
  void Begin(Scalar::Kind kind) {
    Put(kind);
    if (!at_top()) Raw(uint32_t{0});
    open_.push_back(out_->size());
  }
  void End() {
    const size_t begin = open_.back();
    open_.pop_back();
    if (at_top()) return;
    const auto size = static_cast<uint32_t>(out_->size() - begin);
    std::memcpy(out_->data() + begin - sizeof(size), &size, sizeof(size));
  }

  // Borrows from the string.
  Scalar value() const { return {kind_, integer_, real_, *out_}; }
  void Clear() {
    out_->clear();
    open_.clear();
    kind_ = Scalar::Kind::kNull;
    integer_ = 0;
    real_ = 0;
  }

 private:
  void Put(Scalar::Kind kind) {
    if (at_top()) {
      kind_ = kind;
    } else {
      out_->push_back(static_cast<char>(kind));
    }
  }
  template <typename Number>
  void Raw(Number number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    out_->append(bytes, sizeof(number));
  }

  std::string* const out_;
  absl::InlinedVector<size_t, 8> open_;  // where what is in each begins
  // Of the one value; not a Scalar, which would be copied in one go right after it is written.
  Scalar::Kind kind_ = Scalar::Kind::kNull;
  int64_t integer_ = 0;
  double real_ = 0;
};

// What is in a Scalar that is_tree(), one by one. Borrows.
class TreeReader {
 public:
  explicit TreeReader(const Scalar& tree) : rest_(tree.is_tree() ? tree.text : "") {}

  bool done() const { return rest_.empty(); }
  absl::string_view Name() { return Take(Raw<uint32_t>()); }  // struct: before each value
  Scalar Value() {
    Scalar value;
    value.kind = static_cast<Scalar::Kind>(rest_[0]);
    rest_.remove_prefix(1);
    switch (value.kind) {
      case Scalar::Kind::kNull:
        break;
      case Scalar::Kind::kBoolean:
      case Scalar::Kind::kInteger:
        value.integer = Raw<int64_t>();
        break;
      case Scalar::Kind::kReal:
        value.real = Raw<double>();
        break;
      default:
        value.text = Take(Raw<uint32_t>());
    }
    return value;
  }

 private:
  template <typename Number>
  Number Raw() {
    Number number;
    std::memcpy(&number, rest_.data(), sizeof(number));
    rest_.remove_prefix(sizeof(number));
    return number;
  }
  absl::string_view Take(size_t size) {
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  absl::string_view rest_;
};

// The value of that field of a struct; null when there is none.
inline Scalar TreeField(const Scalar& of, absl::string_view name) {
  if (of.kind != Scalar::Kind::kStruct) return {};
  for (TreeReader fields(of); !fields.done();) {
    const bool found = fields.Name() == name;
    const Scalar value = fields.Value();
    if (found) return value;
  }
  return {};
}

}  // namespace walduct::event
