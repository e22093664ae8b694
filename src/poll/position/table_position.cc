#include "poll/position/table_position.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"

namespace walduct::poll {
namespace {

absl::Status Malformed(absl::string_view why) {
  return Error(
      absl::StatusCode::kDataLoss, "outbox_position_malformed",
      absl::StrCat("the stored position of the outbox tables cannot be read: ", why),
      "restore the offset store; or walduct offsets reset, which publishes all rows again");
}

struct Parts {
  uint64_t begin = 0, end = 0;  // xmin, xmax
  std::string running;
};

bool Split(absl::string_view text, Parts* parts) {
  const std::vector<std::string> three = absl::StrSplit(text, ':');
  if (three.size() != 3 || !absl::SimpleAtoi(three[0], &parts->begin) ||
      !absl::SimpleAtoi(three[1], &parts->end))
    return false;
  parts->running = three[2];
  return true;
}

}  // namespace

std::string EncodePositions(const TablePositions& positions) {
  JsonWriter json;
  json.Object();
  for (const auto& [table, position] : positions) {
    json.Key(table).Object().Key("seen").Text(position.seen);
    if (!position.window.empty())
      json.Key("window").Text(position.window).Key("last").Text(position.last);
    json.EndObject();
  }
  json.EndObject();
  std::string member;
  AppendJsonString(json.text(), &member);
  return member;
}

absl::StatusOr<TablePositions> DecodePositions(absl::string_view member) {
  const rapidjson::Document outer = json::Parse(member);
  if (outer.HasParseError() || !outer.IsString()) return Malformed("it is no text");
  const rapidjson::Document inner = json::Parse(json::TextOf(outer));
  if (inner.HasParseError() || !inner.IsObject()) return Malformed("it holds no JSON object");
  TablePositions positions;
  for (const auto& table : inner.GetObject()) {
    if (!table.value.IsObject()) return Malformed("a table's is no object");
    TablePosition position{.seen = json::TextIn(table.value, "seen"),
                           .window = json::TextIn(table.value, "window"),
                           .last = json::TextIn(table.value, "last")};
    int64_t id = 0;
    const bool whole = position.window.empty() ||
                       (EndOf(position.window) > 0 && absl::SimpleAtoi(position.last, &id));
    if (EndOf(position.seen) == 0 || !whole) return Malformed("a snapshot or an id is missing");
    positions.emplace(json::TextOf(table.name), std::move(position));
  }
  return positions;
}

std::string ReadableSnapshot(absl::string_view text) {
  Parts parts;
  if (!Split(text, &parts)) return std::string(text);
  return absl::StrCat(parts.begin, ":", std::max(parts.begin, parts.end), ":", parts.running);
}

uint64_t EndOf(absl::string_view snapshot) {
  Parts parts;
  return Split(snapshot, &parts) ? parts.end : 0;
}

}  // namespace walduct::poll
