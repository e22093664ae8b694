#include "operate/outbox/outbox_rows_request.h"

#include <rapidjson/document.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/percent.h"

namespace walduct::operate {
namespace {

using Request = OutboxRowsRequest;
using enum OutboxRowsRequest::Act;

constexpr std::pair<Request::Act, absl::string_view> kNames[] = {
    {kList, "list"}, {kShow, "show"}, {kRetry, "retry"}, {kPark, "park"}, {kSkip, "skip"}};

bool TakeText(const rapidjson::Value& value, std::string* text) {
  if (!value.IsString()) return false;
  *text = std::string(json::TextOf(value));
  return true;
}

bool TakeAct(const rapidjson::Value& value, Request::Act* act) {
  if (!value.IsString()) return false;
  for (const auto& [one, name] : kNames) {
    if (json::TextOf(value) != name || one == kList || one == kShow) continue;
    *act = one;
    return true;
  }
  return false;
}

bool TakeRows(const rapidjson::Value& value, std::vector<std::string>* rows) {
  if (!value.IsArray()) return false;
  for (const rapidjson::Value& row : value.GetArray()) {
    if (!row.IsString()) return false;
    rows->emplace_back(json::TextOf(row));
  }
  return true;
}

bool TakeMember(absl::string_view name, const rapidjson::Value& value, Request* request) {
  if (name == "do") return TakeAct(value, &request->act);
  if (name == "rows") return TakeRows(value, &request->rows);
  if (name == "table") return TakeText(value, &request->table);
  if (name == "reason") return TakeText(value, &request->why);
  if (name != "all" || !value.IsBool()) return false;
  request->all = value.GetBool();
  return true;
}

}  // namespace

absl::string_view ActName(Request::Act act) {
  for (const auto& [one, name] : kNames)
    if (one == act) return name;
  return "";
}

absl::Status CheckRowsRequest(const Request& request) {
  const absl::string_view name = ActName(request.act);
  if (request.act == kList) {
    if (request.most > 0 && request.most <= Request::kMostAtOnce) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("outbox list: --limit is from 1 to ", Request::kMostAtOnce));
  }
  if (request.all && request.act != kRetry)
    return absl::InvalidArgumentError(
        absl::StrCat("outbox ", name, ": rows are named one by one, by their primary keys"));
  if (request.rows.empty() != request.all)
    return absl::InvalidArgumentError(absl::StrCat(
        "outbox ", name, ": name the rows by their primary keys, as walduct outbox list shows them",
        request.act == kRetry ? ", or --all" : ""));
  if (request.rows.size() > static_cast<size_t>(Request::kMostAtOnce))
    return absl::InvalidArgumentError(
        absl::StrCat("outbox ", name, ": ", Request::kMostAtOnce, " rows at once at most"));
  return absl::OkStatus();
}

std::string QueryOfRows(const Request& request) {
  std::string query;
  const auto add = [&query](absl::string_view name, absl::string_view value) {
    absl::StrAppend(&query, query.empty() ? "?" : "&", name, "=", EncodePercent(value));
  };
  for (const std::string& row : request.rows) add("row", row);
  if (!request.table.empty()) add("table", request.table);
  if (request.act == kList) add("limit", absl::StrCat(request.most));
  return query;
}

absl::StatusOr<Request> ParseRowsQuery(const RowsQuery& query) {
  Request request;
  for (const auto& [name, value] : query) {
    if (name == "row") {
      request.rows.push_back(value);
    } else if (name == "table") {
      request.table = value;
    } else if (name != "limit" || !absl::SimpleAtoi(value, &request.most)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", name, "' of the query: row=PRIMARY KEY, table=SCHEMA.TABLE and limit=NUMBER are"));
    }
  }
  if (!request.rows.empty()) request.act = kShow;
  if (const absl::Status right = CheckRowsRequest(request); !right.ok()) return right;
  return request;
}

std::string BodyOfRows(const Request& request) {
  JsonWriter json;
  json.Object().Key("do").Text(ActName(request.act)).Key("rows").Array();
  for (const std::string& row : request.rows) json.Text(row);
  json.EndArray().Key("all").Flag(request.all).Key("table").Text(request.table);
  return json.Key("reason").Text(request.why).EndObject().text();
}

absl::StatusOr<Request> ParseRowsBody(const std::string& body) {
  const rapidjson::Document document = json::Parse(body);
  Request request;
  bool good = !document.HasParseError() && document.IsObject() && document.HasMember("do");
  if (good) {
    for (const auto& member : document.GetObject())
      good = good && TakeMember(json::TextOf(member.name), member.value, &request);
  }
  if (!good)
    return absl::InvalidArgumentError(
        "The request body must be {\"do\":\"retry\",\"rows\":[\"7\"],\"table\":\"public.outbox\"}, "
        "with retry, park or skip; \"all\":true in place of rows with retry, \"reason\" with park");
  if (const absl::Status right = CheckRowsRequest(request); !right.ok()) return right;
  return request;
}

}  // namespace walduct::operate
