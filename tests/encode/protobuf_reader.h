// ProtobufReader: prints a message of ProtobufWriter as JsonConverter would, by the Connect schema
// alone. Where zero and NULL look alike, an optional field is NULL.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "encode/values/time_text.h"
#include "event/connect_schema.h"
#include "java/text/number_text.h"
#include "java/time/connect_time.h"

namespace walduct::encode {

class ProtobufReader {
 public:
  // wrapped: values that may be NULL are messages of their own.
  ProtobufReader(absl::string_view bytes, std::string* json, bool wrapped = false)
      : bytes_(bytes), json_(json), wrapped_(wrapped) {}

  void Value(const event::ConnectSchema& schema) { Struct(schema, bytes_); }
  // All that was read is what a schema says, in the order of the numbers.
  bool done() const { return good_; }

 private:
  struct Field {
    uint64_t number = 0;
    uint64_t integer = 0;          // of a varint, or bits
    absl::string_view bytes = {};  // of the others
  };

  uint64_t Varint(absl::string_view* from) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (from->empty()) return Bad();
      const auto byte = static_cast<unsigned char>((*from)[0]);
      from->remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return number;
  }
  absl::string_view Take(uint64_t size, absl::string_view* from) {
    if (size > from->size()) Bad();
    const absl::string_view taken = from->substr(0, size);
    from->remove_prefix(taken.size());
    return taken;
  }
  static uint64_t Bits(absl::string_view bytes) {
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      bits |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return bits;
  }
  std::vector<Field> Fields(absl::string_view message) {
    std::vector<Field> fields;
    while (!message.empty() && good_) {
      const uint64_t tag = Varint(&message);
      Field field;
      field.number = tag >> 3;
      const int wire = static_cast<int>(tag & 7);
      if (wire == 0) {
        field.integer = Varint(&message);
      } else if (wire == 2) {
        field.bytes = Take(Varint(&message), &message);
      } else {
        field.integer = Bits(Take(wire == 1 ? 8 : 4, &message));
      }
      if (!fields.empty() && fields.back().number > field.number) Bad();
      fields.push_back(field);
    }
    return fields;
  }
  static std::vector<Field> Numbered(const std::vector<Field>& fields, uint64_t number) {
    std::vector<Field> found;
    for (const Field& field : fields) {
      if (field.number == number) found.push_back(field);
    }
    return found;
  }
  // Of a message of plain numbers.
  int64_t Part(absl::string_view message, uint64_t number) {
    const std::vector<Field> found = Numbered(Fields(message), number);
    return found.empty() ? 0 : static_cast<int64_t>(found[0].integer);
  }

  void Struct(const event::ConnectSchema& schema, absl::string_view message) {
    const std::vector<Field> fields = Fields(message);
    if (!fields.empty() && fields.back().number > schema.fields.size()) Bad();
    const char* separator = "{";
    for (size_t i = 0; i < schema.fields.size(); ++i) {
      json_->append(separator);
      AppendJsonString(schema.fields[i].name, json_);
      json_->push_back(':');
      Member(*schema.fields[i].schema, Numbered(fields, i + 1));
      separator = ",";
    }
    json_->append(schema.fields.empty() ? "{}" : "}");
  }

  void Member(const event::ConnectSchema& schema, const std::vector<Field>& found) {
    using event::ConnectType;
    if (found.empty() && schema.optional) {
      json_->append("null");
    } else if (schema.type == ConnectType::kArray) {
      Array(*schema.items, found);
    } else if (schema.type == ConnectType::kMap) {
      Map(schema, found);
    } else {
      if (found.size() > 1) Bad();
      Single(schema, found.empty() ? Field() : found[0]);
    }
  }

  void Array(const event::ConnectSchema& item, const std::vector<Field>& found) {
    const char* separator = "";
    json_->push_back('[');
    const auto each = [&](const Field& field) {
      json_->append(separator);
      Single(item, field);
      separator = ",";
    };
    const bool packed = item.type <= event::ConnectType::kDouble && !IsLogical(item) &&
                        !(wrapped_ && item.optional);
    for (const Field& field : found) {
      if (!packed) {
        each(field);
        continue;
      }
      absl::string_view rest = field.bytes;
      while (!rest.empty()) {
        Field one;
        const bool fixed = item.type >= event::ConnectType::kFloat;
        const size_t size = item.type == event::ConnectType::kFloat ? 4 : 8;
        one.integer = fixed ? Bits(Take(size, &rest)) : Varint(&rest);
        each(one);
      }
    }
    json_->push_back(']');
  }

  void Map(const event::ConnectSchema& map, const std::vector<Field>& found) {
    const bool texts = map.keys->type == event::ConnectType::kString;
    const char* separator = "";
    json_->push_back(texts ? '{' : '[');
    for (const Field& entry : found) {
      const std::vector<Field> pair = Fields(entry.bytes);
      absl::StrAppend(json_, separator, texts ? "" : "[");
      Member(*map.keys, Numbered(pair, 1));
      json_->push_back(texts ? ':' : ',');
      Member(*map.items, Numbered(pair, 2));
      if (!texts) json_->push_back(']');
      separator = ",";
    }
    json_->push_back(texts ? '}' : ']');
  }

  static bool IsLogical(const event::ConnectSchema& schema) {
    return IsDecimal(schema) || schema.name == java::kConnectDate ||
           schema.name == java::kConnectTime || schema.name == java::kConnectTimestamp;
  }

  // One value that is there.
  void Single(const event::ConnectSchema& schema, Field field) {
    using event::ConnectType;
    if (IsLogical(schema)) return Logical(schema, field.bytes);
    if (schema.type == ConnectType::kStruct) return Struct(schema, field.bytes);
    if (wrapped_ && schema.optional) {
      const std::vector<Field> inner = Fields(field.bytes);
      field = inner.empty() ? Field() : inner[0];
      if (inner.size() > 1 || (!inner.empty() && field.number != 1)) Bad();
    }
    switch (schema.type) {
      case ConnectType::kBoolean:
        json_->append(field.integer != 0 ? "true" : "false");
        break;
      case ConnectType::kFloat:
        Number<float>(static_cast<uint32_t>(field.integer), java::AppendFloat);
        break;
      case ConnectType::kDouble:
        Number<double>(field.integer, java::AppendDouble);
        break;
      case ConnectType::kString:
        AppendJsonString(field.bytes, json_);
        break;
      case ConnectType::kBytes:
        absl::StrAppend(json_, "\"", absl::Base64Escape(field.bytes), "\"");
        break;
      default:
        absl::StrAppend(json_, static_cast<int64_t>(field.integer));
    }
  }

  void Logical(const event::ConnectSchema& schema, absl::string_view message) {
    if (IsDecimal(schema)) {
      const std::vector<Field> fields = Fields(message);
      if (fields.size() < 2 || fields[0].number != 1) return static_cast<void>(Bad());
      absl::StrAppend(json_, "\"", absl::Base64Escape(fields[0].bytes), "\"");
    } else if (schema.name == java::kConnectDate) {
      absl::StrAppend(json_,
                      DaysFromCivil({Part(message, 1), static_cast<unsigned>(Part(message, 2)),
                                     static_cast<unsigned>(Part(message, 3))}));
    } else if (schema.name == java::kConnectTime) {
      const int64_t seconds = (Part(message, 1) * 60 + Part(message, 2)) * 60 + Part(message, 3);
      absl::StrAppend(json_, seconds * 1000 + Part(message, 4) / 1'000'000);
    } else {
      absl::StrAppend(json_, Part(message, 1) * 1000 + Part(message, 2) / 1'000'000);
    }
  }

  template <typename Float, typename Raw, typename Append>
  void Number(Raw bits, Append append) {
    Float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    const char* quote = std::isfinite(value) ? "" : "\"";
    json_->append(quote);
    append(value, json_);
    json_->append(quote);
  }

  uint64_t Bad() {
    good_ = false;
    return 0;
  }

  const absl::string_view bytes_;
  std::string* const json_;
  const bool wrapped_;
  bool good_ = true;
};

}  // namespace walduct::encode
