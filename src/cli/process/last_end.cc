#include "cli/process/last_end.h"

#include <rapidjson/document.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/documents.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/plain_text.h"
#include "base/whole_file.h"
#include "engine/control/status_board.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
namespace {

constexpr size_t kLongestNote = size_t{1} << 20;

// Of any name a file's.
std::string FileName(absl::string_view text) { return EncodePercent(text, "-_"); }

std::string NotesFolder() {
  if (const char* const given = std::getenv("WALDUCT_STATE_DIRECTORY");
      given != nullptr && *given != '\0')
    return given;
  const char* const temporary = std::getenv("TMPDIR");
  return absl::StrCat(temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary, "/walduct-",
                      geteuid());
}

// Where everybody may make folders, only one that nobody else can write to is ours.
bool IsOurs(const std::string& folder) {
  struct stat found {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// An address of this machine: its port is one process's.
bool IsLocal(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0 || host.empty() ||
         host == "0.0.0.0" || host == "::";
}

std::string NoteAt(const http::Address& address) {
  return absl::StrCat(NotesFolder(), "/at-", IsLocal(address.host) ? "" : FileName(address.host),
                      "-", address.port, ".json");
}

std::string NoteInFolder(const NotedConnector& connector) {
  return absl::StrCat(NotesFolder(), "/of-", FileName(connector.name), ".json");
}

std::string NoteOf(const NotedConnector& connector) {
  if (!connector.offset_file.empty())
    return absl::StrCat(connector.offset_file, ".", FileName(connector.name), ".end");
  return NoteInFolder(connector);
}

bool IsInFolder(const std::string& path) { return path.rfind(NotesFolder() + "/", 0) == 0; }

// Whole or not at all.
bool Replace(const std::string& path, const std::string& text) {
  if (IsInFolder(path)) {
    mkdir(NotesFolder().c_str(), S_IRWXU);
    if (!IsOurs(NotesFolder())) return false;
  }
  return ReplaceWholeFile(path, text,
                          {.mode = S_IRUSR | S_IWUSR,
                           .durable = false,
                           .temporary = absl::StrCat(path, ".", getpid())});
}

std::string ReadNote(const std::string& path) {
  if (IsInFolder(path) && !IsOurs(NotesFolder())) return "";
  return ReadWholeFile(path, {.most = kLongestNote, .follows_links = false}).value_or("");
}

int NumberOf(const rapidjson::Value& object, const char* name) {
  const rapidjson::Value* const found = json::Find(object, name);
  return found != nullptr && found->IsInt() ? found->GetInt() : -1;
}

std::vector<LastEnd> Parse(const std::string& text) {
  const rapidjson::Document body = json::Parse(text);
  std::vector<LastEnd> ends;
  const rapidjson::Value* const noted = json::FindArray(body, "last_ends");
  if (noted == nullptr) return ends;
  for (const rapidjson::Value& one : noted->GetArray()) {
    if (!one.IsObject()) continue;
    LastEnd end{.connector = json::TextIn(one, "connector"),
                .state = json::TextIn(one, "state"),
                .exit_code = NumberOf(one, "exit_code"),
                .at = absl::UnixEpoch(),
                .pid = NumberOf(one, "pid"),
                .worker = one.HasMember("worker"),
                .listens = json::TextIn(one, "listens"),
                .message = json::TextIn(one, "message"),
                .reason = json::TextIn(one, "reason"),
                .hint = json::TextIn(one, "hint")};
    std::string error;
    if (absl::ParseTime(absl::RFC3339_full, json::TextIn(one, "at"), &end.at, &error))
      ends.push_back(std::move(end));
  }
  return ends;
}

bool Keep(const std::string& path, const std::vector<LastEnd>& what) {
  if (Replace(path, EndsJson(what) + "\n")) return true;
  log::Debug("no note of the end", {{"file", path}});
  return false;
}

// A disk that is full may be what has ended it.
void KeepOf(const NotedConnector& connector, const LastEnd& end) {
  if (!Keep(NoteOf(connector), {end}) && !connector.offset_file.empty())
    Keep(NoteInFolder(connector), {end});
}

// One that ended with a word may have said it elsewhere.
LastEnd Found(const NotedConnector& connector, LastEnd end) {
  if (end.state != "RUNNING" || connector.offset_file.empty()) return end;
  for (LastEnd& other : Parse(ReadNote(NoteInFolder(connector))))
    if (other.pid == end.pid && other.at >= end.at) return std::move(other);
  return end;
}

bool IsOfOneThatLives(const std::string& path) {
  const std::vector<LastEnd> noted = Parse(ReadNote(path));
  return std::any_of(noted.begin(), noted.end(), Lives);
}

}  // namespace

bool Lives(const LastEnd& end) {
  return end.state == "RUNNING" && end.pid > 0 && (kill(end.pid, 0) == 0 || errno == EPERM);
}

// "4711 (walduct) T 1 …"; the name may hold anything.
bool IsSuspended(const LastEnd& end) {
  const std::string path = absl::StrCat("/proc/", end.pid, "/stat");
  const std::string text = ReadWholeFile(path, {.most = kLongestNote}).value_or("");
  const size_t state = text.rfind(") ");
  return state != std::string::npos && state + 2 < text.size() && text[state + 2] == 'T';
}

void EndNotes::Begin(absl::Time now) const {
  std::vector<LastEnd> begun;
  const std::string listens = listens_.empty() ? "" : listens_.front().ToString();
  for (const NotedConnector& connector : connectors_)
    begun.push_back({.connector = connector.name,
                     .state = "RUNNING",
                     .at = now,
                     .pid = getpid(),
                     .listens = listens});
  Write(begun);
}

namespace {

// now: of the end; absent: they run on.
std::vector<LastEnd> EndsIn(const std::vector<engine::ConnectorStatus>& statuses,
                            std::optional<absl::Time> now) {
  std::vector<LastEnd> ends;
  for (const engine::ConnectorStatus& status : statuses) {
    LastEnd& end = ends.emplace_back();
    end.connector = status.name;
    end.state = std::string(engine::StateText(status.state));
    end.exit_code = status.exit_code ? static_cast<int>(*status.exit_code) : -1;
    end.at = status.ended() || !now ? status.state_since : *now;
    end.pid = getpid();
    // One that was stopped as asked, and stored what it had, has got over what there was.
    const bool clean =
        status.state != engine::ConnectorState::kFailed && status.exit_code == engine::kExitClean;
    if (!status.last_error || clean) continue;
    end.message = status.last_error->message;
    end.reason = status.last_error->reason;
    end.hint = status.last_error->hint;
  }
  return ends;
}

}  // namespace

void EndNotes::End(const std::vector<engine::ConnectorStatus>& statuses, absl::Time now) const {
  Write(EndsIn(statuses, now));
}

void EndNotes::Write(const std::vector<LastEnd>& ends) const {
  for (const http::Address& listen : listens_) Keep(NoteAt(listen), ends);
  for (const NotedConnector& connector : connectors_) {
    for (const LastEnd& end : ends)
      if (end.connector == connector.name) KeepOf(connector, end);
  }
}

void WorkerNotes::Begin(absl::Time now) {
  worker_ = {.connector = group_, .state = "RUNNING", .at = now, .pid = getpid(), .worker = true};
  Write();
}

void WorkerNotes::Show(const std::vector<engine::ConnectorStatus>& statuses) {
  connectors_ = EndsIn(statuses, std::nullopt);
  std::string text = EndsJson(connectors_);
  if (text == kept_) return;
  kept_ = std::move(text);
  Write();
}

void WorkerNotes::EndConnectors(const std::vector<engine::ConnectorStatus>& statuses,
                                absl::Time now) {
  connectors_ = EndsIn(statuses, now);
  Write();
}

void WorkerNotes::End(const absl::Status& error, int exit_code, absl::Time now) {
  worker_ = {.connector = group_,
             .state = error.ok() ? "STOPPED" : "FAILED",
             .exit_code = exit_code,
             .at = now,
             .pid = getpid(),
             .worker = true};
  if (!error.ok()) {
    worker_.message = std::string(error.message());
    worker_.reason = ErrorReason(error);
    worker_.hint = ErrorHint(error);
  }
  Write();
}

void WorkerNotes::Write() const {
  std::vector<LastEnd> all = {worker_};
  all.insert(all.end(), connectors_.begin(), connectors_.end());
  for (const http::Address& listen : listens_) Keep(NoteAt(listen), all);
}

void NoteRefused(const std::vector<NotedConnector>& connectors, const http::Address& listen,
                 const std::string& why, absl::Time now) {
  std::vector<LastEnd> ends;
  for (const NotedConnector& connector : connectors) {
    ends.push_back({.connector = connector.name,
                    .state = "FAILED",
                    .exit_code = engine::kExitConfiguration,
                    .at = now,
                    .pid = getpid(),
                    .message = why,
                    .hint = "walduct validate with the same files says all that is wrong"});
    const std::string path = NoteOf(connector);
    if (!IsOfOneThatLives(path)) Keep(path, {ends.back()});
  }
  if (listen.port != 0 && !ends.empty() && !IsOfOneThatLives(NoteAt(listen)))
    Keep(NoteAt(listen), ends);
}

std::vector<LastEnd> EndsAt(const http::Address& address) {
  return Parse(ReadNote(NoteAt(address)));
}

std::vector<LastEnd> EndsOf(const std::vector<NotedConnector>& connectors) {
  std::vector<LastEnd> ends;
  for (const NotedConnector& connector : connectors)
    for (LastEnd& end : Parse(ReadNote(NoteOf(connector))))
      ends.push_back(Found(connector, std::move(end)));
  return ends;
}

namespace {

std::string HintText(const LastEnd& end) {
  if (end.hint.empty()) return "";
  return absl::StrCat("  hint     ", WithDocuments(PlainText(end.hint)), "\n");
}

}  // namespace

std::string EndText(const LastEnd& end, absl::Time now) {
  const std::string at = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", end.at, absl::UTCTimeZone());
  const std::string ago = absl::FormatDuration(
      absl::Floor(std::max(now - end.at, absl::ZeroDuration()), absl::Seconds(1)));
  std::string text =
      absl::StrCat(end.worker ? "worker of the group " : "", PlainText(end.connector), "  ");
  if (Lives(end)) {
    absl::StrAppend(&text, "runs since ", at, " (process ", end.pid,
                    "), and does not answer there\n");
    return text + HintText(end);
  }
  if (end.state == "RUNNING") {
    absl::StrAppend(&text, "ran from ", at, " (process ", end.pid,
                    "), and ended without a word: it was killed, or the machine went down\n");
    return text;
  }
  absl::StrAppend(&text, end.state, " ", ago, " ago (", at, ")");
  if (end.exit_code >= 0) absl::StrAppend(&text, ", exit code ", end.exit_code);
  text += '\n';
  if (end.message.empty()) return text;
  absl::StrAppend(&text, "  error    ", PlainText(end.message),
                  end.reason.empty() ? "" : absl::StrCat(" (", PlainText(end.reason), ")"), "\n");
  return text + HintText(end);
}

std::string EndsJson(const std::vector<LastEnd>& ends) {
  JsonWriter json;
  json.Object().Key("last_ends").Array();
  for (const LastEnd& end : ends) {
    json.Object().Key("connector").Text(end.connector).Key("state").Text(end.state);
    if (end.worker) json.Key("worker").Flag(true);
    if (!end.listens.empty()) json.Key("listens").Text(end.listens);
    if (end.exit_code >= 0) json.Key("exit_code").Whole(static_cast<uint64_t>(end.exit_code));
    json.Key("at").Text(absl::FormatTime(absl::RFC3339_full, end.at, absl::UTCTimeZone()));
    json.Key("pid").Whole(static_cast<uint64_t>(end.pid));
    json.Key("message").Text(end.message).Key("reason").Text(end.reason);
    json.Key("hint").Text(end.hint).EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace walduct::cli
