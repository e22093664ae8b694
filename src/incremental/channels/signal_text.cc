#include "incremental/channels/signal_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "rapidjson/document.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

namespace walduct::incremental {
namespace {

const rapidjson::Value* Find(const rapidjson::Value& object, const char* name) {
  const auto member = object.FindMember(name);
  return member == object.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
}

std::string TextOf(const rapidjson::Value& value) {
  if (value.IsString()) return {value.GetString(), value.GetStringLength()};
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

absl::StatusOr<RawSignal> ParseSignalText(absl::string_view text, absl::string_view where) {
  rapidjson::Document json;
  json.Parse(text.data(), text.size());
  if (json.HasParseError() || !json.IsObject()) {
    return Error(absl::StatusCode::kInvalidArgument, "signal_malformed",
                 absl::StrCat(where, " is no JSON object"),
                 R"(write {"id": "…", "type": "…", "data": {…}} on one line)");
  }
  RawSignal signal;
  if (const auto* id = Find(json, "id")) signal.id = TextOf(*id);
  if (const auto* type = Find(json, "type")) signal.type = TextOf(*type);
  if (const auto* data = Find(json, "data")) signal.data = TextOf(*data);
  return signal;
}

}  // namespace walduct::incremental
