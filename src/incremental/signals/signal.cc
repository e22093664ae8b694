#include "incremental/signals/signal.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "incremental/signals/table_name.h"
#include "java/regex/regex.h"
#include "rapidjson/document.h"

namespace walduct::incremental {
namespace {

using rapidjson::Value;

std::string TextOf(const Value& value) { return std::string(json::TextOf(value)); }

// What the data of a signal of that type looks like.
absl::string_view DataOf(absl::string_view type) {
  if (type == "log") return R"(write its data as {"message": "at {}"})";
  if (type == "pause-snapshot" || type == "resume-snapshot")
    return R"(leave its data out, or write {"type": "incremental"})";
  return R"(write its data as {"data-collections": ["public.orders"], "additional-conditions": )"
         R"([{"data-collection": "public.orders", "filter": "id > 10"}]}: docs/snapshots.md)";
}

absl::Status MalformedSignal(const RawSignal& raw, absl::string_view what,
                             absl::string_view hint = "") {
  return Error(absl::StatusCode::kInvalidArgument, "signal_malformed",
               absl::StrCat("signal '", raw.id, "' (", raw.type, "): ", what),
               hint.empty() ? DataOf(raw.type) : hint);
}

absl::StatusOr<std::vector<std::string>> Collections(const RawSignal& raw, const Value& data) {
  std::vector<std::string> collections;
  const Value* list = json::FindSet(data, "data-collections");
  if (list == nullptr) return collections;
  if (!list->IsArray()) return MalformedSignal(raw, "\"data-collections\" is not a list");
  for (const Value& item : list->GetArray()) {
    if (!item.IsString())
      return MalformedSignal(raw, "\"data-collections\" holds a value that is not a string");
    const std::string text(absl::StripAsciiWhitespace(TextOf(item)));
    if (text.empty()) continue;
    // A name that is none of a regular expression's has quotes.
    const auto regex = java::Regex::Compile(text, {});
    if (!regex.ok() && !(absl::StrContains(text, '"') && ParseTableId(text))) {
      return MalformedSignal(
          raw, absl::StrCat("\"data-collections\": '", text,
                            "' is no regular expression: ", regex.status().message()));
    }
    collections.push_back(text);
  }
  return collections;
}

// Incremental when it is not said.
absl::StatusOr<bool> IsBlocking(const RawSignal& raw, const Value& data) {
  const Value* type = json::FindSet(data, "type");
  if (type == nullptr) return false;
  const std::string kind = type->IsString() ? absl::AsciiStrToUpper(TextOf(*type)) : "";
  if (kind == "INCREMENTAL" || kind == "BLOCKING") return kind == "BLOCKING";
  return MalformedSignal(raw, "\"type\" is not a kind of snapshot",
                         "use \"type\": \"incremental\" or \"type\": \"blocking\"");
}

absl::Status CheckIncremental(const RawSignal& raw, const Value& data) {
  ASSIGN_OR_RETURN(const bool blocking, IsBlocking(raw, data));
  if (!blocking) return absl::OkStatus();
  return Error(absl::StatusCode::kInvalidArgument, "signal_not_supported",
               absl::StrCat("signal '", raw.id, "' (", raw.type,
                            "): a blocking snapshot is neither stopped nor paused"),
               "stop or pause incremental ones: \"type\": \"incremental\"");
}

absl::StatusOr<Condition> ConditionFrom(const RawSignal& raw, const Value& item) {
  if (!item.IsObject()) return MalformedSignal(raw, "a condition is not an object");
  const Value* table = json::FindSet(item, "data-collection");
  const Value* filter = json::FindSet(item, "filter");
  if (table == nullptr || filter == nullptr || !table->IsString() || !filter->IsString())
    return MalformedSignal(raw, "a condition lacks \"data-collection\" or \"filter\"");
  Condition condition{.collection = std::string(absl::StripAsciiWhitespace(TextOf(*table))),
                      .regex = nullptr,
                      .filter = std::string(absl::StripAsciiWhitespace(TextOf(*filter)))};
  auto regex = java::Regex::Compile(condition.collection, {.case_insensitive = true});
  if (regex.ok()) {
    condition.regex = *std::move(regex);
  } else if (!ParseTableId(condition.collection)) {
    return MalformedSignal(
        raw, absl::StrCat("\"data-collection\" of a condition is no regular expression: ",
                          regex.status().message()));
  }
  return condition;
}

absl::StatusOr<std::vector<Condition>> Conditions(const RawSignal& raw, const Value& data) {
  std::vector<Condition> conditions;
  const Value* list = json::FindSet(data, "additional-conditions");
  if (list == nullptr) return conditions;
  if (!list->IsArray()) return MalformedSignal(raw, "\"additional-conditions\" is not a list");
  for (const Value& item : list->GetArray()) {
    ASSIGN_OR_RETURN(Condition condition, ConditionFrom(raw, item));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

absl::StatusOr<Signal> Execute(const RawSignal& raw, const Value& data) {
  ExecuteSnapshot execute;
  ASSIGN_OR_RETURN(execute.blocking, IsBlocking(raw, data));
  ASSIGN_OR_RETURN(execute.collections, Collections(raw, data));
  if (execute.collections.empty()) {
    return MalformedSignal(raw, "\"data-collections\" is missing or empty",
                           "name tables: {\"data-collections\": [\"public.orders\"]}");
  }
  ASSIGN_OR_RETURN(execute.conditions, Conditions(raw, data));
  if (const Value* key = json::FindSet(data, "surrogate-key"); key != nullptr) {
    if (!key->IsString()) return MalformedSignal(raw, "\"surrogate-key\" is not a string");
    const std::string text(absl::StripAsciiWhitespace(TextOf(*key)));
    if (!text.empty()) execute.surrogate_key = text;
  }
  return Signal(std::move(execute));
}

absl::StatusOr<Signal> Stop(const RawSignal& raw, const Value& data) {
  RETURN_IF_ERROR(CheckIncremental(raw, data));
  StopSnapshot stop;
  ASSIGN_OR_RETURN(stop.collections, Collections(raw, data));
  return Signal(std::move(stop));
}

absl::StatusOr<Signal> Log(const RawSignal& raw, const Value& data) {
  const Value* message = json::FindSet(data, "message");
  if (message == nullptr || !message->IsString())
    return MalformedSignal(raw, "\"message\" is missing", "{\"message\": \"at {}\"}");
  return Signal(LogMessage{TextOf(*message)});
}

}  // namespace

absl::StatusOr<Signal> ParseSignal(const RawSignal& raw) {
  rapidjson::Document data;
  const absl::string_view given =
      absl::StripAsciiWhitespace(raw.data ? absl::string_view(*raw.data) : "");
  const absl::string_view text = given.empty() ? "{}" : given;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  data.Parse<kFlags>(text.data(), text.size());
  const bool known = raw.type == "execute-snapshot" || raw.type == "stop-snapshot" ||
                     raw.type == "pause-snapshot" || raw.type == "resume-snapshot" ||
                     raw.type == "log";
  if (!known) {
    return Error(absl::StatusCode::kInvalidArgument, "signal_unknown",
                 absl::StrCat("signal '", raw.id, "': the type '", raw.type, "' is not known"),
                 "use execute-snapshot, stop-snapshot, pause-snapshot, resume-snapshot or log");
  }
  if (data.HasParseError() || !data.IsObject())
    return MalformedSignal(raw, "its data is not a JSON object");
  if (raw.type == "execute-snapshot") return Execute(raw, data);
  if (raw.type == "stop-snapshot") return Stop(raw, data);
  if (raw.type == "log") return Log(raw, data);
  RETURN_IF_ERROR(CheckIncremental(raw, data));
  if (raw.type == "pause-snapshot") return Signal(PauseSnapshot{});
  return Signal(ResumeSnapshot{});
}

}  // namespace walduct::incremental
