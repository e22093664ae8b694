#include "encode/formats/java_text.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/utf8.h"

namespace walduct::encode {
namespace {

constexpr char32_t kHighSurrogate = 0xD800, kLowSurrogate = 0xDC00, kAfterSurrogates = 0xE000;

class Printer {
 public:
  Printer(absl::string_view json, std::string* out) : json_(json), out_(out) {}

  void Value(const ConnectSchema* schema) {
    switch (Peek()) {
      case '{':
        return Object(schema);
      case '[':
        return Array(schema);
      case '"':
        return Text(out_);
      default:
        while (at_ < json_.size() && Peek() != ',' && Peek() != '}' && Peek() != ']')
          out_->push_back(json_[at_++]);
    }
  }

 private:
  char Peek() const { return at_ < json_.size() ? json_[at_] : '\0'; }

  // A struct leaves out what is null, a map does not.
  void Object(const ConnectSchema* schema) {
    const bool map = schema == nullptr || schema->type != ConnectType::kStruct;
    out_->append(map ? "{" : "Struct{");
    const size_t first = out_->size();
    for (++at_; at_ < json_.size() && Peek() != '}';) {
      std::string name;
      Text(&name);
      ++at_;  // the colon
      const ConnectSchema* member = MemberOf(schema, name);
      const size_t before = out_->size();
      if (before > first) out_->append(map ? ", " : ",");
      out_->append(name).push_back('=');
      const bool null = absl::StartsWith(json_.substr(at_), "null");
      Value(member);
      if (null && !map) out_->resize(before);
      if (Peek() == ',') ++at_;
    }
    ++at_;
    out_->push_back('}');
  }

  void Array(const ConnectSchema* schema) {
    const ConnectSchema* items = schema == nullptr ? nullptr : schema->items.get();
    out_->push_back('[');
    for (++at_; at_ < json_.size() && Peek() != ']';) {
      Value(items);
      if (Peek() != ',') continue;
      ++at_;
      out_->append(", ");
    }
    ++at_;
    out_->push_back(']');
  }

  static const ConnectSchema* MemberOf(const ConnectSchema* schema, const std::string& name) {
    if (schema == nullptr || schema->type != ConnectType::kStruct)
      return schema == nullptr ? nullptr : schema->items.get();
    const ConnectField* field = schema->Find(name);
    return field == nullptr ? nullptr : field->schema.get();
  }

  // The string at the current place, without its quotes.
  void Text(std::string* out) {
    for (++at_; at_ < json_.size() && Peek() != '"'; ++at_) {
      if (Peek() != '\\') {
        out->push_back(Peek());
        continue;
      }
      ++at_;
      constexpr absl::string_view kNames = "bfnrt", kSigns = "\b\f\n\r\t";
      const size_t known = kNames.find(Peek());
      if (Peek() == 'u') {
        AppendCharacter(Unicode(), out);
      } else {
        out->push_back(known == absl::string_view::npos ? Peek() : kSigns[known]);
      }
    }
    ++at_;
  }

  // As Java's encoder does with half of a pair.
  static void AppendCharacter(char32_t code, std::string* out) {
    if (code >= kHighSurrogate && code < kAfterSurrogates) {
      out->push_back('?');
    } else {
      AppendUtf8(code, out);
    }
  }

  char32_t Hex() {
    uint32_t code = 0;
    if (!absl::SimpleHexAtoi(json_.substr(at_ + 1, 4), &code)) return 0;
    at_ += 4;
    return code;
  }

  // Of \uXXXX or a pair of them; ends on the last digit.
  char32_t Unicode() {
    const char32_t code = Hex();
    const bool pair =
        code >= kHighSurrogate && code < kLowSurrogate && json_.substr(at_ + 1, 2) == "\\u";
    if (!pair) return code;
    at_ += 2;
    const char32_t low = Hex();
    if (low < kLowSurrogate || low >= kAfterSurrogates) return low;
    return 0x10000 + ((code - kHighSurrogate) << 10) + (low - kLowSurrogate);
  }

  const absl::string_view json_;
  size_t at_ = 0;
  std::string* const out_;
};

}  // namespace

void AppendJavaText(absl::string_view json, const ConnectSchema* schema, std::string* out) {
  Printer(json, out).Value(schema);
}

}  // namespace walduct::encode
