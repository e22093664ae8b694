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
  void Add(const Scalar& value) {
    if (value.kind >= Scalar::Kind::kText) {
      Begin(value.kind);
      out_->append(value.text.data(), value.text.size());
      End();
    } else if (at_top()) {
      top_ = value;
    } else {
      out_->push_back(static_cast<char>(value.kind));
      if (value.kind == Scalar::Kind::kReal) Raw(value.real);
      if (value.kind == Scalar::Kind::kInteger || value.kind == Scalar::Kind::kBoolean)
        Raw(value.integer);
    }
  }
  void Name(absl::string_view name) {
    Raw(static_cast<uint32_t>(name.size()));
    out_->append(name.data(), name.size());
  }
  void Begin(Scalar::Kind kind) {
    if (at_top()) {
      top_ = Scalar::Tree(kind, {});
    } else {
      out_->push_back(static_cast<char>(kind));
      Raw(uint32_t{0});
    }
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
  Scalar value() const {
    Scalar value = top_;
    value.text = *out_;
    return value;
  }
  void Clear() {
    out_->clear();
    open_.clear();
    top_ = {};
  }

 private:
  template <typename Number>
  void Raw(Number number) {
    char bytes[sizeof(number)];
    std::memcpy(bytes, &number, sizeof(number));
    out_->append(bytes, sizeof(number));
  }

  std::string* const out_;
  absl::InlinedVector<size_t, 8> open_;  // where what is in each begins
  Scalar top_;
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
