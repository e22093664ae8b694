// Pages of ConnectHandler about offsets, signals, plug-ins and loggers.
#include <rapidjson/document.h>

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "base/status_macros.h"
#include "engine/errors/error_policy.h"
#include "names/called.h"
#include "operate/commands/offset_commands.h"
#include "operate/commands/signal_commands.h"
#include "operate/outbox/outbox_rows_request.h"
#include "serve/plugins/versions.h"
#include "serve/rest/answers.h"
#include "serve/rest/connect_handler.h"
#include "serve/rest/request_rules.h"

namespace walduct::serve {
namespace {

constexpr int kSignalTries = 2;

// The process had it for what has ended since.
bool IsForgotten(const absl::StatusOr<Operations::Sent>& sent, bool still_runs) {
  return sent.ok() && absl::StartsWith(sent->second, operate::kInProcess) && !still_runs;
}

http::Response OffsetsChanged(absl::string_view how) {
  JsonWriter json;
  json.Object().Key("message").Text(absl::StrCat(
      "The Connect framework-managed offsets for this connector have been ", how,
      " successfully. However, if this connector manages offsets externally, they will need to be "
      "manually ",
      how, " in the system that the connector uses."));
  return Json(json.EndObject().text());
}

void AddLevel(const LoggerLevel& level, JsonWriter* json) {
  json->Object().Key("level").Text(level.level).Key("last_modified");
  if (level.modified) {
    json->Signed(absl::ToUnixMillis(*level.modified));
  } else {
    json->Null();
  }
  json->EndObject();
}

// {"level":"DEBUG"}
absl::StatusOr<std::string> LevelOf(const std::string& body) {
  rapidjson::Document document;
  constexpr unsigned kParse =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  document.Parse<kParse>(body.data(), body.size());
  if (document.HasParseError() || !document.IsObject()) {
    return absl::InvalidArgumentError(
        "The request body must be a JSON object {\"level\":\"INFO\"}");
  }
  const rapidjson::Value* const level = json::Find(document, "level");
  if (level != nullptr && level->IsString()) return std::string(json::TextOf(*level));
  if (level != nullptr && level->IsBool()) return std::string(level->GetBool() ? "true" : "false");
  return absl::InvalidArgumentError("Desired 'level' parameter was not specified in request.");
}

// {"change":"0/16B3748:3"}
absl::StatusOr<event::ChangeId> ChangeOf(const std::string& body) {
  const rapidjson::Document document = json::Parse(body);
  const auto change = event::ParseChangeId(json::TextIn(document, "change"));
  if (change) return *change;
  return absl::InvalidArgumentError(
      "The request body must be {\"change\":\"0/16B3748:3\"}, as last_error of /status names it");
}

absl::StatusOr<Operations::Move> MoveOf(const std::string& body) {
  const rapidjson::Document document = json::Parse(body);
  Operations::Move move;
  bool good = !document.HasParseError() && document.IsObject();
  if (good) {
    for (const auto& member : document.GetObject()) {
      const absl::string_view name = json::TextOf(member.name);
      if (name == "lsn" && member.value.IsString())
        move.lsn = member.value.GetString();
      else if (name == "slot" && member.value.IsInt() && member.value.GetInt() > 0)
        move.slot = member.value.GetInt();
      else if (name == "accept_loss" && member.value.IsBool())
        move.accept_loss = member.value.GetBool();
      else if (name == "accept_foreign" && member.value.IsBool())
        move.accept_foreign = member.value.GetBool();
      else if (name == "drop_slot" && member.value.IsBool())
        move.drop_slot = member.value.GetBool();
      else
        good = false;
    }
  }
  if (good && (move.slot == 0 || !move.lsn.empty())) return move;
  return absl::InvalidArgumentError(
      "The request body must be {\"lsn\":\"0/16B3748\",\"accept_loss\":true,\"drop_slot\":false}, "
      "or a part of it, and with an lsn of a connector with several slots \"slot\":2");
}

absl::Status WithHint(const absl::Status& error) {
  const std::string hint = ErrorHint(error);
  return {error.code(), absl::StrCat(error.message(), hint.empty() ? "" : "; hint: ", hint)};
}

}  // namespace

http::Response ConnectHandler::GetOffsets(const Path& path, const http::Request&) {
  if (!parts_.worker->Find(path[1])) return ConnectorNotFound(path[1]);
  if (absl::Status away = parts_.worker->CheckReachable(); !away.ok()) return ErrorAnswer(away);
  const auto offsets = offsets_.Read(path[1]);
  if (!offsets.ok()) return ErrorAnswer(offsets.status());
  JsonWriter json;
  json.Object().Key("offsets").Array();
  for (const auto& [partition, offset] : *offsets)
    json.Object().Key("partition").Raw(partition).Key("offset").Raw(offset).EndObject();
  return Json(json.EndArray().EndObject().text());
}

http::Response ConnectHandler::PatchOffsets(const Path& path, const http::Request& request) {
  const auto entries = Offsets::ParseChange(path[1], request.body);
  if (!entries.ok()) return ErrorAnswer(entries.status());
  const absl::Status changed =
      parts_.worker->WhileStopped(path[1], [&] { return offsets_.Write(*entries); });
  if (absl::IsNotFound(changed)) return ConnectorNotFound(path[1]);
  return changed.ok() ? OffsetsChanged("altered") : ErrorAnswer(changed);
}

http::Response ConnectHandler::DeleteOffsets(const Path& path, const http::Request&) {
  const absl::Status changed = parts_.worker->WhileStopped(path[1], [&]() -> absl::Status {
    const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
    const bool ours = view && !view->foreign;
    const std::string* const server = ours ? FindValue(view->config, "topic.prefix") : nullptr;
    const absl::Status reset = offsets_.Reset(path[1], server == nullptr ? "" : *server);
    const std::string why = ErrorReason(reset);
    if (!ours || (why != "topic_missing" && why != "offset_topic_gone")) return reset;
    // The process may know it still.
    const Operations::Move forget{.lsn = {}, .accept_loss = true, .accept_foreign = true};
    return parts_.operations->MovePosition(view->config, forget).status();
  });
  if (absl::IsNotFound(changed)) return ConnectorNotFound(path[1]);
  return changed.ok() ? OffsetsChanged("reset") : ErrorAnswer(changed);
}

// Ours. A connector that does not run carries it out when it starts. The process itself takes it
// for one that runs: one that begins, or begins anew meanwhile, is waited for.
http::Response ConnectHandler::Signal(const Path& path, const http::Request& request) {
  const std::string& name = path[1];
  std::shared_ptr<const engine::ConnectorOptions> running = parts_.worker->RunningOf(name);
  absl::StatusOr<Operations::Sent> sent = absl::UnknownError("");
  std::string text = request.body;
  bool untaken = true;
  for (int tries = 0; untaken && tries < kSignalTries; ++tries) {
    if (tries > 0) {
      const std::shared_ptr<const engine::ConnectorOptions> before = running;
      const bool may_wait = waiting_.fetch_add(1) < kMostWait;
      running =
          parts_.worker->AwaitRunning(name, may_wait ? parts_.patience : absl::ZeroDuration());
      waiting_.fetch_sub(1);
      // As it ended it may have carried it out: then it is not asked for twice.
      const bool asked = before != nullptr && sent.ok();
      untaken = !asked || !parts_.operations->WasCarriedOut(*before, sent->first);
      if (!untaken) sent->second = std::string(operate::kInPosition);
      if (!untaken) break;
      if (asked) text = operate::WithSignalId(text, sent->first);
    }
    const std::optional<ConnectorView> view = parts_.worker->Find(name);
    if (!view || view->foreign) return ConnectorNotFound(name);
    sent = parts_.operations->SendSignal(view->config, running, text);
    untaken = running == nullptr ? ErrorReason(sent.status()) == "signal_no_channel"
                                 : IsForgotten(sent, parts_.worker->RunningOf(name) == running);
  }
  if (untaken && (sent.ok() || parts_.worker->Begins(name))) {
    return ErrorAnswer(503, absl::StrCat("Connector ", name,
                                         " begins just now, and has not taken the signal: ask "
                                         "again in some seconds"));
  }
  if (!sent.ok()) {
    const absl::Status why = WithHint(sent.status());
    // Of a right: to be asked for anew once it is given.
    return absl::IsPermissionDenied(why) ? ErrorAnswer(400, why.message()) : ErrorAnswer(why);
  }
  JsonWriter json;
  json.Object().Key("name").Text(name).Key("id").Text(sent->first);
  json.Key("written_to").Text(sent->second);
  return Json(json.EndObject().text(), 202);
}

// Ours: {"change":"0/16B3748:3"}, the one that the connector has failed at and no other.
http::Response ConnectHandler::Skip(const Path& path, const http::Request& request) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  if (!view || view->foreign) return ConnectorNotFound(path[1]);
  const absl::StatusOr<event::ChangeId> change = ChangeOf(request.body);
  if (!change.ok()) return ErrorAnswer(change.status());
  std::string said;
  const absl::Status skipped =
      parts_.worker->WhileFailed(path[1], [&](const engine::ConnectorError& last) -> absl::Status {
        if (last.change != change->Text()) {
          return absl::FailedPreconditionError(
              absl::StrCat("Connector ", path[1], " has not failed at change ", change->Text(),
                           last.change.empty() ? ": its error is of no change that can be skipped"
                                               : absl::StrCat(" but at ", last.change)));
        }
        ASSIGN_OR_RETURN(said, parts_.operations->SkipChange(view->config, *change));
        log::Warn("change to be skipped, as asked for over REST",
                  {{"connector", path[1]}, {"change", last.change}, {"error", last.message}});
        return absl::OkStatus();
      });
  if (absl::IsNotFound(skipped)) return ConnectorNotFound(path[1]);
  if (!skipped.ok()) return ErrorAnswer(skipped);
  JsonWriter json;
  json.Object().Key("name").Text(path[1]).Key("change").Text(change->Text());
  json.Key("message").Text(absl::StripSuffix(said, "\n"));
  return Json(json.EndObject().text(), 202);
}

// Ours. It takes as long as servers take to answer.
http::Response ConnectHandler::Doctor(const Path& path, const http::Request&) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  if (!view || view->foreign) return ConnectorNotFound(path[1]);
  const auto found = parts_.operations->Examine(view->config);
  return found.ok() ? Json(*found) : ErrorAnswer(WithHint(found.status()));
}

// Ours, too: what `walduct recover plan` goes by.
http::Response ConnectHandler::Recovery(const Path& path, const http::Request&) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  if (!view || view->foreign) return ConnectorNotFound(path[1]);
  const auto found = parts_.operations->PlanRecovery(view->config);
  return found.ok() ? Json(*found) : ErrorAnswer(WithHint(found.status()));
}

// Ours: rows of outbox tables that are polled which could not be published; with ?row= those.
http::Response ConnectHandler::OutboxRows(const Path& path, const http::Request& request) {
  return AnswerOfRows(path[1], operate::ParseRowsQuery(request.query));
}

// Ours: {"do":"retry","rows":["7"]}, as operate::ParseRowsBody has it.
http::Response ConnectHandler::ChangeOutboxRows(const Path& path, const http::Request& request) {
  return AnswerOfRows(path[1], operate::ParseRowsBody(request.body));
}

http::Response ConnectHandler::AnswerOfRows(
    const std::string& name, const absl::StatusOr<operate::OutboxRowsRequest>& asked) {
  const std::optional<ConnectorView> view = parts_.worker->Find(name);
  if (!view || view->foreign) return ConnectorNotFound(name);
  if (!asked.ok()) return ErrorAnswer(asked.status());
  const auto answer = parts_.operations->AskOutboxRows(view->config, *asked);
  if (answer.ok()) return Json(*answer);
  // What a server lacks is no fault of what was asked; `walduct outbox` ends as it is told.
  const absl::Status why = WithHint(answer.status());
  const bool lacks = !ErrorReason(answer.status()).empty() && absl::IsFailedPrecondition(why) &&
                     engine::ExitCodeFor(answer.status()) == engine::kExitPrerequisite;
  return lacks ? ErrorAnswer(500, why.message()) : ErrorAnswer(why);
}

// Ours: {"lsn":"0/16B3748","accept_loss":true,"drop_slot":false}, each of which may be left out; of
// several slots "slot":2 says which one goes to the LSN. Of a connector that is stopped or paused,
// or of one that has failed, which begins again then.
http::Response ConnectHandler::MovePosition(const Path& path, const http::Request& request) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  if (!view || view->foreign) return ConnectorNotFound(path[1]);
  const auto move = MoveOf(request.body);
  if (!move.ok()) return ErrorAnswer(move.status());
  return ChangePosition(path[1], request, move->lsn.empty() ? "none" : move->lsn,
                        [&] { return parts_.operations->MovePosition(view->config, *move); });
}

// Ours: PATCH …/offsets as `walduct offsets import` has it, which refuses what is no position of
// this connector, and says what it means.
http::Response ConnectHandler::ImportPosition(const Path& path, const http::Request& request) {
  const std::optional<ConnectorView> view = parts_.worker->Find(path[1]);
  if (!view || view->foreign) return ConnectorNotFound(path[1]);
  const auto accepts = [&](const char* name) {
    const auto found = request.query.find(name);
    return found != request.query.end() && found->second == "true";
  };
  const operate::Accepts accepted{.loss = accepts("accept_loss"),
                                  .foreign = accepts("accept_foreign")};
  return ChangePosition(path[1], request, "what is imported", [&] {
    return parts_.operations->ImportPosition(view->config, request.body, accepted);
  });
}

http::Response ConnectHandler::ChangePosition(const std::string& name, const http::Request& request,
                                              absl::string_view to, const Change& change_position) {
  std::string said;
  const auto change = [&]() -> absl::Status {
    absl::StatusOr<std::string> moved = change_position();
    if (!moved.ok()) {
      log::Warn(
          "a move of the stored position was asked for over REST, and refused",
          {{"connector", name}, {"to", to}, {"error", std::string(moved.status().message())}});
      return moved.status();
    }
    said = *std::move(moved);
    log::Warn("the stored position was moved, as asked for over REST",
              {{"connector", name}, {"to", to}});
    if (parts_.resting != nullptr) parts_.resting->Anew(name);
    return absl::OkStatus();
  };
  const std::optional<StatusView> status = parts_.worker->StatusOf(name);
  const bool rests = status && (status->state == "STOPPED" || status->state == "PAUSED");
  const bool failed = status && status->task && status->task->state == "FAILED";
  if (!rests && !failed) {
    // Nor could it be stopped.
    const absl::Status reachable = parts_.worker->CheckReachable();
    if (!reachable.ok()) return ErrorAnswer(reachable);
    const names::Called called{
        .who = ShellWord(name),
        .where = absl::StrCat(request.encrypted ? "https://" : "http://", request.host)};
    return ErrorAnswer(absl::FailedPreconditionError(absl::StrCat(
        "Connector ", name,
        " runs, and would overwrite what is stored now; hint: ", names::Command(called, "stop"),
        " first, and ", names::Command(called, "resume"), " behind it")));
  }
  const absl::Status moved =
      rests ? parts_.worker->WhileStopped(name, change, /*also_paused=*/true)
            : parts_.worker->WhileFailed(name,
                                         [&](const engine::ConnectorError&) { return change(); });
  if (absl::IsNotFound(moved)) return ConnectorNotFound(name);
  if (!moved.ok()) return ErrorAnswer(WithHint(moved));
  JsonWriter json;
  json.Object().Key("name").Text(name).Key("message").Text(absl::StripSuffix(said, "\n"));
  json.Key("restarts").Flag(!rests);
  return Json(json.EndObject().text());
}

http::Response ConnectHandler::ListPlugins(const Path&, const http::Request& request) {
  const auto asked = request.query.find("connectorsOnly");
  const bool all = asked != request.query.end() && !asked->second.empty() &&
                   !absl::EqualsIgnoreCase(asked->second, "true");
  JsonWriter json;
  json.Array();
  for (const Plugin& one : AllPlugins()) {
    if (!all && one.type != "source") continue;
    json.Object().Key("class").Text(one.class_name).Key("type").Text(one.type);
    json.Key("version").Text(one.version()).EndObject();
  }
  return Json(json.EndArray().text());
}

http::Response ConnectHandler::PluginConfig(const Path& path, const http::Request& request) {
  const Plugin* plugin = FindPlugin(path[1]);
  if (plugin == nullptr) return ErrorAnswer(404, absl::StrCat("Unknown plugin ", path[1], "."));
  const auto version = request.query.find("version");
  if (version != request.query.end()) {
    if (const std::string wrong = VersionError(*plugin, version->second); !wrong.empty())
      return ErrorAnswer(400, wrong);
  }
  JsonWriter json;
  json.Array();
  for (const Definition& one : plugin->definitions) json.Raw(DefinitionJson(one));
  if (plugin == &ConnectorPlugin()) {
    for (const Definition& one : FrameworkDefinitions()) json.Raw(DefinitionJson(one));
  }
  return Json(json.EndArray().text());
}

// The class of the configuration has to end as the path says, "Connector" or not.
http::Response ConnectHandler::ValidatePlugin(const Path& path, const http::Request& request) {
  const absl::StatusOr<ConfigMap> config = ParseConfig(request.body);
  if (!config.ok()) return ErrorAnswer(config.status());
  const std::string* given = FindValue(*config, "connector.class");
  if (given == nullptr) return ErrorAnswer(400, "Connector config contains no connector type");
  if (!absl::EndsWith(absl::StripSuffix(*given, "Connector"),
                      absl::StripSuffix(path[1], "Connector"))) {
    return ErrorAnswer(400, absl::StrCat("Included connector type ", *given,
                                         " does not match request type ", path[1]));
  }
  if (FindPlugin(*given) != &ConnectorPlugin()) {
    return ErrorAnswer(400, absl::StrCat("Failed to find any class that implements Connector and "
                                         "which name matches ",
                                         *given));
  }
  return Json(ValidationJson(Validate(*config, parts_.loader->Questions())));
}

http::Response ConnectHandler::Loggers(const Path&, const http::Request&) {
  JsonWriter json;
  json.Object();
  for (const auto& [logger, level] : loggers_.All()) {
    json.Key(logger);
    AddLevel(level, &json);
  }
  return Json(json.EndObject().text());
}

http::Response ConnectHandler::GetLogger(const Path& path, const http::Request&) {
  const std::optional<LoggerLevel> level = loggers_.Find(path[2]);
  if (!level) return ErrorAnswer(404, absl::StrCat("Logger ", path[2], " not found."));
  JsonWriter json;
  AddLevel(*level, &json);
  return Json(json.text());
}

void ConnectHandler::FollowLogger(const std::string& logger, absl::string_view value) {
  const absl::StatusOr<std::string> level = ReadLoggerValue(value);
  if (!level.ok()) return log::Warn(level.status().message(), {{"logger", logger}});
  const auto set = loggers_.Set(logger, *level, parts_.clock->Now());
  if (!set.ok()) log::Warn(set.status().message(), {{"logger", logger}});
}

http::Response ConnectHandler::PutLogger(const Path& path, const http::Request& request) {
  const absl::StatusOr<std::string> level = LevelOf(request.body);
  if (!level.ok()) return ErrorAnswer(level.status());
  const auto changed = loggers_.Set(path[2], *level, parts_.clock->Now());
  if (!changed.ok()) return ErrorAnswer(changed.status());
  if (IsForCluster(request)) {
    const absl::Status written =
        parts_.worker->WriteLogger(path[2], loggers_.Find(path[2]).value_or(LoggerLevel()).level);
    return written.ok() ? Empty(204) : ErrorAnswer(written);
  }
  JsonWriter json;
  json.Array();
  for (const std::string& logger : *changed) json.Text(logger);
  return Json(json.EndArray().text());
}

}  // namespace walduct::serve
