#include "incremental/channels/signal_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "rapidjson/document.h"

namespace walduct::incremental {
namespace {

std::string TextOf(const rapidjson::Value& value) {
  return value.IsString() ? std::string(json::TextOf(value)) : json::Print(value);
}

}  // namespace

absl::StatusOr<RawSignal> ParseSignalText(absl::string_view text, absl::string_view where) {
  const rapidjson::Document json = json::Parse(text);
  if (json.HasParseError() || !json.IsObject()) {
    return Error(absl::StatusCode::kInvalidArgument, "signal_malformed",
                 absl::StrCat(where, " is no JSON object"),
                 R"(write {"id": "…", "type": "…", "data": {…}} on one line)");
  }
  RawSignal signal;
  if (const auto* id = json::FindSet(json, "id")) signal.id = TextOf(*id);
  if (const auto* type = json::FindSet(json, "type")) signal.type = TextOf(*type);
  if (const auto* data = json::FindSet(json, "data")) signal.data = TextOf(*data);
  return signal;
}

}  // namespace walduct::incremental
