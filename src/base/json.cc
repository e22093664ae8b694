#include "base/json.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/utf8.h"

namespace walduct {
namespace json {

using rapidjson::Value;

rapidjson::Document Parse(absl::string_view text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  return document;
}

absl::string_view TextOf(const Value& text) { return {text.GetString(), text.GetStringLength()}; }

bool IsText(const Value& value, absl::string_view text) {
  return value.IsString() && TextOf(value) == text;
}

const Value* Find(const Value& object, const char* name) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

const Value* FindSet(const Value& object, const char* name) {
  const Value* const found = Find(object, name);
  return found == nullptr || found->IsNull() ? nullptr : found;
}

const Value* FindArray(const Value& object, const char* name) {
  const Value* const found = Find(object, name);
  return found == nullptr || !found->IsArray() ? nullptr : found;
}

const Value* FindObject(const Value& object, const char* name) {
  const Value* const found = Find(object, name);
  return found == nullptr || !found->IsObject() ? nullptr : found;
}

const Value* FindString(const Value& object, const char* name) {
  const Value* const found = Find(object, name);
  return found == nullptr || !found->IsString() ? nullptr : found;
}

std::string TextIn(const Value& object, const char* name) {
  const Value* const found = FindString(object, name);
  return found == nullptr ? "" : std::string(TextOf(*found));
}

std::string Print(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace json

struct JsonWriter::Writing {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
};

JsonWriter::JsonWriter() : to_(std::make_unique<Writing>()) {}
JsonWriter::~JsonWriter() = default;

JsonWriter& JsonWriter::Object() { return to_->writer.StartObject(), *this; }
JsonWriter& JsonWriter::EndObject() { return to_->writer.EndObject(), *this; }
JsonWriter& JsonWriter::Array() { return to_->writer.StartArray(), *this; }
JsonWriter& JsonWriter::EndArray() { return to_->writer.EndArray(), *this; }
JsonWriter& JsonWriter::Whole(uint64_t value) { return to_->writer.Uint64(value), *this; }
JsonWriter& JsonWriter::Signed(int64_t value) { return to_->writer.Int64(value), *this; }
JsonWriter& JsonWriter::Number(double value) { return to_->writer.Double(value), *this; }
JsonWriter& JsonWriter::Flag(bool value) { return to_->writer.Bool(value), *this; }
JsonWriter& JsonWriter::Null() { return to_->writer.Null(), *this; }

JsonWriter& JsonWriter::Text(absl::string_view text) {
  const std::string valid = ReplaceInvalidUtf8(text);
  to_->writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
  return *this;
}

JsonWriter& JsonWriter::Raw(const std::string& json) {
  to_->writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  return *this;
}

std::string JsonWriter::text() const { return {to_->buffer.GetString(), to_->buffer.GetSize()}; }

}  // namespace walduct
