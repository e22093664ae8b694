// JSON of answers, written by RapidJSON; text of any bytes.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>

#include "absl/strings/string_view.h"
#include "base/utf8.h"

namespace walduct::admin {

class Json {
 public:
  Json& Object() { return Did(writer_.StartObject()); }
  Json& EndObject() { return Did(writer_.EndObject()); }
  Json& Array() { return Did(writer_.StartArray()); }
  Json& EndArray() { return Did(writer_.EndArray()); }
  Json& Key(absl::string_view name) { return Text(name); }
  Json& Text(absl::string_view text) {
    const std::string valid = ReplaceInvalidUtf8(text);
    return Did(writer_.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size())));
  }
  Json& Whole(uint64_t value) { return Did(writer_.Uint64(value)); }
  Json& Signed(int64_t value) { return Did(writer_.Int64(value)); }
  Json& Number(double value) { return Did(writer_.Double(value)); }
  Json& Flag(bool value) { return Did(writer_.Bool(value)); }
  Json& Null() { return Did(writer_.Null()); }
  // A whole value that is JSON already.
  Json& Raw(const std::string& json) {
    return Did(writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType));
  }

  std::string text() const { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
  Json& Did(bool) { return *this; }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace walduct::admin
