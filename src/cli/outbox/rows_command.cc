#include "cli/outbox/rows_command.h"

#include <rapidjson/document.h>

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/confirmed.h"
#include "cli/running_process.h"
#include "engine/errors/error_policy.h"
#include "http/client.h"
#include "http/message.h"
#include "operate/outbox/outbox_rows.h"

namespace walduct::cli {
namespace {

using operate::OutboxRowsRequest;
using enum OutboxRowsRequest::Act;

constexpr absl::Duration kPatience = absl::Minutes(2);

std::string Said(const rapidjson::Value& row, const char* name, absl::string_view before,
                 absl::string_view behind = "") {
  const rapidjson::Value* const value = json::FindSet(row, name);
  if (value == nullptr) return "";
  return absl::StrCat(
      before, PlainText(value->IsString() ? json::TextOf(*value) : json::Print(*value)), behind);
}

std::string ListedText(const rapidjson::Value& row) {
  return absl::StrCat("  ", PlainText(json::TextIn(row, "row")), "  ", json::TextIn(row, "state"),
                      Said(row, "attempts", "  ", " attempts"), Said(row, "key", "  key "),
                      Said(row, "type", "  "), Said(row, "written", "  written "),
                      Said(row, "next_try", "  next try "), "\n", Said(row, "error", "    ", "\n"));
}

std::string ShownText(const rapidjson::Value& row) {
  const rapidjson::Value* const overtaken = json::Find(row, "overtaken");
  const bool known = overtaken != nullptr && overtaken->IsBool();
  return absl::StrCat(
      "row            ", PlainText(json::TextIn(row, "row")), "\nstate          ",
      json::TextIn(row, "state"), "\n", Said(row, "attempts", "attempts       ", "\n"),
      Said(row, "error", "last error     ", "\n"), Said(row, "next_try", "next try       ", "\n"),
      Said(row, "written", "written        ", "\n"), Said(row, "key", "key            ", "\n"),
      Said(row, "type", "type           ", "\n"),
      Said(row, "payload_bytes", "payload        ", " bytes\n"),
      Said(row, "held_back", "behind it      open rows of its key: ", "\n"),
      !known                 ? ""
      : overtaken->GetBool() ? "order          later events of its key are published already\n"
                             : "order          no later event of its key is published\n");
}

std::string ChangedText(const std::string& table, const rapidjson::Value& row) {
  return absl::StrCat(table, " ", PlainText(json::TextIn(row, "row")), " ",
                      PlainText(json::TextIn(row, "message")), "\n");
}

std::string TableText(absl::string_view did, const rapidjson::Value& one, bool* done) {
  const std::string table = PlainText(json::TextIn(one, "table"));
  const rapidjson::Value* const rows = json::FindArray(one, "rows");
  const rapidjson::Value* const more = json::Find(one, "more");
  const bool has_more = more != nullptr && more->IsTrue();
  if (rows == nullptr) return "";
  std::string text;
  if (did == "list" || rows->Empty()) {
    const std::string note = PlainText(json::TextIn(one, "note"));
    absl::StrAppend(&text, table, ": ",
                    !note.empty() ? note
                    : rows->Empty()
                        ? "no row is parked or waits after an attempt"
                        : absl::StrCat(rows->Size(), rows->Size() == 1 ? " row" : " rows",
                                       has_more ? ", and more" : ""),
                    "\n");
  }
  for (const rapidjson::Value& row : rows->GetArray()) {
    text += did == "list"   ? ListedText(row)
            : did == "show" ? absl::StrCat("table          ", table, "\n", ShownText(row))
                            : ChangedText(table, row);
    const rapidjson::Value* const as_asked = json::Find(row, "done");
    if (as_asked != nullptr && as_asked->IsFalse()) *done = false;
  }
  if (has_more && did != "list") absl::StrAppend(&text, table, ": more are left: once more\n");
  return text;
}

absl::StatusOr<std::string> AskProcess(const Arguments& arguments) {
  const OutboxRowsRequest& asked = arguments.outbox_rows;
  const http::Server server = ServerOf(arguments);
  const bool looks = asked.act == kList || asked.act == kShow;
  ASSIGN_OR_RETURN(const http::Response answer,
                   http::Send(looks ? "GET" : "POST", server,
                              absl::StrCat("/connectors/", EncodePercent(arguments.connector),
                                           "/outbox", looks ? operate::QueryOfRows(asked) : ""),
                              kPatience, looks ? "" : operate::BodyOfRows(asked)));
  if (answer.status == 405)
    return Error(absl::StatusCode::kFailedPrecondition, "process_takes_no_commands",
                 absl::StrCat("the process at ", http::WithoutLogin(server.url),
                              " runs its connectors by walduct run, and changes no rows"),
                 "name the connector by its files, also while it runs: -f CONNECTOR -w WORKER");
  if (answer.status == 404) return UnknownConnector(server, arguments.connector);
  if (answer.status == 400)
    return absl::InvalidArgumentError(MessageIn(answer.body, answer.status));
  if (answer.status >= 300)
    return Error(absl::StatusCode::kFailedPrecondition, "command_refused",
                 MessageIn(answer.body, answer.status));
  return answer.body;
}

std::string WhatSkipDoes(const OutboxRowsRequest& asked) {
  return absl::StrCat(asked.rows.size() == 1 ? "Row " : "Rows ",
                      PlainText(absl::StrJoin(asked.rows, ", ")),
                      " will never be published: marked as if so, deleted or moved to the archive, "
                      "as walduct.outbox.done says.");
}

}  // namespace

std::string OutboxRowsText(const std::string& json, bool* done) {
  const rapidjson::Document body = json::Parse(json);
  const rapidjson::Value* const tables = json::FindArray(body, "tables");
  std::string text;
  *done = tables != nullptr;
  if (tables == nullptr) return "the answer is not walduct's\n";
  const std::string did = json::TextIn(body, "did");
  for (const rapidjson::Value& table : tables->GetArray()) text += TableText(did, table, done);
  return text;
}

namespace {

int Print(const Arguments& arguments, const absl::StatusOr<std::string>& answer) {
  if (!answer.ok()) return PrintStatus(answer.status());
  bool done = true;
  const std::string text = OutboxRowsText(*answer, &done);
  std::cout << (arguments.json ? *answer + "\n" : text) << std::flush;
  return done ? engine::kExitClean : engine::kExitPrerequisite;
}

}  // namespace

int AskOutboxRows(const Arguments& arguments) {
  const OutboxRowsRequest& asked = arguments.outbox_rows;
  log::SetLevel(log::Level::kError);
  if (arguments.connector_files.size() > 1)
    return Refuse("-f: rows are those of one connector; give -f once");
  if (asked.act == kSkip && !arguments.yes && !IsConfirmed("outbox skip", WhatSkipDoes(asked)))
    return engine::kExitConfiguration;
  if (arguments.connector_files.empty()) {
    const absl::StatusOr<std::string> answer = AskProcess(arguments);
    return absl::IsUnavailable(answer.status()) ? TellLastEnd(arguments, answer.status())
                                                : Print(arguments, answer);
  }
  return ForEachConnector(arguments, [&](const std::string&, const auto& options) -> int {
    return Print(arguments, operate::AskOutboxRows(options, asked, Environment::Real()));
  });
}

}  // namespace walduct::cli
