// ToyReader: prints what ToyWriter has written as JsonConverter would, by the schema alone.
// AvroReader: the same of AvroWriter.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "event/connect_schema.h"
#include "java/text/number_text.h"
#include "tests/encode/toy_format.h"

namespace walduct::encode {

class ToyReader {
 public:
  ToyReader(absl::string_view bytes, std::string* json) : bytes_(bytes), json_(json) {}
  virtual ~ToyReader() = default;

  void Value(const event::ConnectSchema& schema) {
    const bool null_is_last = schema.default_value.has_value();
    if (schema.optional && (Branch() == 0) != null_is_last) {
      json_->append("null");
      return;
    }
    switch (schema.type) {
      case event::ConnectType::kBoolean:
        json_->append(Byte() != 0 ? "true" : "false");
        break;
      case event::ConnectType::kInt8:
      case event::ConnectType::kInt16:
      case event::ConnectType::kInt32:
      case event::ConnectType::kInt64:
        absl::StrAppend(json_, Integer());
        break;
      case event::ConnectType::kFloat:
        Number<float>(java::AppendFloat);
        break;
      case event::ConnectType::kDouble:
        Number<double>(java::AppendDouble);
        break;
      case event::ConnectType::kString:
        AppendJsonString(Text(), json_);
        break;
      case event::ConnectType::kBytes:
        absl::StrAppend(json_, "\"", absl::Base64Escape(Text()), "\"");
        break;
      case event::ConnectType::kArray:
        Items('[', ']', [&] { Value(*schema.items); });
        break;
      case event::ConnectType::kMap:
        Map(schema);
        break;
      case event::ConnectType::kStruct:
        Struct(schema);
        break;
    }
  }

  bool done() const { return bytes_.empty(); }

 protected:
  virtual int64_t Branch() { return Byte(); }
  // Whether there is another item.
  virtual bool Next(int64_t*) { return Byte() == 1; }

  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return byte;
  }
  int64_t Integer() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Byte();
      number |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
  }

 private:
  absl::string_view Text() {
    const absl::string_view text = bytes_.substr(0, static_cast<size_t>(Integer()));
    return Take(text.size());
  }
  absl::string_view Take(size_t size) {
    const absl::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  template <typename Float, typename Append>
  void Number(Append append) {
    Float value = 0;
    const absl::string_view raw = Take(sizeof(value));
    std::memcpy(&value, raw.data(), raw.size());
    const char* quote = std::isfinite(value) ? "" : "\"";
    json_->append(quote);
    append(value, json_);
    json_->append(quote);
  }
  template <typename Item>
  void Items(char open, char close, Item item) {
    json_->push_back(open);
    int64_t left = -1;
    for (const char* separator = ""; Next(&left); separator = ",") {
      json_->append(separator);
      item();
    }
    json_->push_back(close);
  }
  void Map(const event::ConnectSchema& schema) {
    const bool texts = schema.keys->type == event::ConnectType::kString;
    Items(texts ? '{' : '[', texts ? '}' : ']', [&] {
      if (!texts) json_->push_back('[');
      Value(*schema.keys);
      json_->push_back(texts ? ':' : ',');
      Value(*schema.items);
      if (!texts) json_->push_back(']');
    });
  }
  void Struct(const event::ConnectSchema& schema) {
    const char* separator = "{";
    for (const event::ConnectField& field : schema.fields) {
      json_->append(separator);
      AppendJsonString(field.name, json_);
      json_->push_back(':');
      Value(*field.schema);
      separator = ",";
    }
    json_->append(schema.fields.empty() ? "{}" : "}");
  }

  absl::string_view bytes_;
  std::string* const json_;
};

class AvroReader final : public ToyReader {
 public:
  using ToyReader::ToyReader;

 private:
  int64_t Branch() override { return Integer(); }
  // One block, and the count of another that is empty.
  bool Next(int64_t* left) override {
    if (*left == -1) {
      *left = Integer();
      if (*left == 0) return false;
    }
    return (*left)-- > 0 || Integer() != 0;
  }
};

}  // namespace walduct::encode
