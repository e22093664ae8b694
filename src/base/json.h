// JSON by RapidJSON: what is asked of a value that was read, and a writer. Only declares
// RapidJSON's types: who looks into a value itself includes rapidjson/document.h.
#pragma once

#include <rapidjson/fwd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

namespace json {

// HasParseError tells; nothing follows the value. Takes any depth.
rapidjson::Document Parse(absl::string_view text);
// Of a string.
absl::string_view TextOf(const rapidjson::Value& text);
bool IsText(const rapidjson::Value& value, absl::string_view text);
// Null: it is no object, or has no such member.
const rapidjson::Value* Find(const rapidjson::Value& object, const char* name);
// The same of what is not null, of an array, of an object, of a string.
const rapidjson::Value* FindSet(const rapidjson::Value& object, const char* name);
const rapidjson::Value* FindArray(const rapidjson::Value& object, const char* name);
const rapidjson::Value* FindObject(const rapidjson::Value& object, const char* name);
const rapidjson::Value* FindString(const rapidjson::Value& object, const char* name);
// "": there is no such string.
std::string TextIn(const rapidjson::Value& object, const char* name);
// Without spaces.
std::string Print(const rapidjson::Value& value);

}  // namespace json

// Writes JSON; text of any bytes. A call too few or too many is a fault of the caller.
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& Object();
  JsonWriter& EndObject();
  JsonWriter& Array();
  JsonWriter& EndArray();
  JsonWriter& Key(absl::string_view name) { return Text(name); }
  JsonWriter& Text(absl::string_view text);
  JsonWriter& Whole(uint64_t value);
  JsonWriter& Signed(int64_t value);
  JsonWriter& Number(double value);
  JsonWriter& Flag(bool value);
  JsonWriter& Null();
  // A whole value that is JSON already.
  JsonWriter& Raw(const std::string& json);

  std::string text() const;

 private:
  struct Writing;

  const std::unique_ptr<Writing> to_;
};

}  // namespace walduct
