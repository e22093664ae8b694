#include "cli/process/last_end.h"

#include <rapidjson/document.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/documents.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/plain_text.h"
#include "base/whole_file.h"
#include "cli/process/note_files.h"
#include "engine/control/status_board.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
namespace {

// Of any name a file's.
std::string FileName(absl::string_view text) { return EncodePercent(text, "-_"); }

// An address of this machine: its port is one process's.
bool IsLocal(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0 || host.empty() ||
         host == "0.0.0.0" || host == "::";
}

std::string NameOfNoteAt(const http::Address& address) {
  return absl::StrCat("at-", IsLocal(address.host) ? "" : FileName(address.host), "-", address.port,
                      ".json");
}

std::string NoteAt(const http::Address& address) {
  return absl::StrCat(NotesFolder(), "/", NameOfNoteAt(address));
}

std::string NoteInFolder(const NotedConnector& connector) {
  return absl::StrCat(NotesFolder(), "/of-", FileName(connector.name), ".json");
}

std::string NoteOf(const NotedConnector& connector) {
  if (!connector.offset_file.empty())
    return absl::StrCat(connector.offset_file, ".", FileName(connector.name), ".end");
  return NoteInFolder(connector);
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
                .hint = json::TextIn(one, "hint"),
                .doctor = json::TextIn(one, "doctor"),
                .start = json::TextIn(one, "start")};
    std::string error;
    if (absl::ParseTime(absl::RFC3339_full, json::TextIn(one, "at"), &end.at, &error))
      ends.push_back(std::move(end));
  }
  return ends;
}

absl::Status Keep(const std::string& path, const std::vector<LastEnd>& what) {
  return WriteNote(path, EndsJson(what) + "\n");
}

// A disk that is full may be what has ended it.
absl::Status KeepOf(const NotedConnector& connector, const LastEnd& end) {
  absl::Status kept = Keep(NoteOf(connector), {end});
  if (kept.ok() || connector.offset_file.empty()) return kept;
  return Keep(NoteInFolder(connector), {end});
}

std::string NotNoted(const absl::Status& why) {
  return absl::StrCat("how this process ends cannot be noted: ", why.message());
}

void TellOnce(const absl::Status& kept) {
  if (kept.ok()) return;
  log::Warn(NotNoted(kept), {{"hint", kNotNotedHint}});
}

// One that could not be written where the last one is stands elsewhere.
void AddNewer(const NotedConnector& connector, std::vector<LastEnd>* ends) {
  if (connector.offset_file.empty()) return;
  const bool foreign = IsForeign(NoteOf(connector));
  for (LastEnd& other : Parse(ReadNote(NoteInFolder(connector), nullptr))) {
    const bool same = foreign || (!ends->empty() && other.pid == ends->front().pid);
    if (same && (ends->empty() || other.at >= ends->front().at)) *ends = {std::move(other)};
  }
}

// Of several users' processes, which listened there one after the other.
bool IsNewer(const std::vector<LastEnd>& some, const std::vector<LastEnd>& than) {
  const auto lives = [](const std::vector<LastEnd>& ends) {
    return std::any_of(ends.begin(), ends.end(), Lives);
  };
  const auto last = [](const std::vector<LastEnd>& ends) {
    absl::Time at = absl::InfinitePast();
    for (const LastEnd& end : ends) at = std::max(at, end.at);
    return at;
  };
  if (lives(some) != lives(than)) return lives(some);
  return last(some) > last(than);
}

bool IsOfOneThatLives(const std::string& path) {
  const std::vector<LastEnd> noted = Parse(ReadNote(path, nullptr));
  return std::any_of(noted.begin(), noted.end(), Lives);
}

}  // namespace

bool IsOfConnector(const LastEnd& end, absl::string_view connector) {
  absl::string_view slot = end.connector;
  if (!absl::ConsumePrefix(&slot, connector)) return false;
  if (slot.empty()) return true;
  const bool numbers = std::all_of(slot.begin() + 1, slot.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  return slot.size() > 1 && slot.front() == '/' && numbers;
}

namespace {

// 'T' of "4711 (walduct) T 1 …"; the name may hold anything. 0: not known.
char ProcessStateOf(const LastEnd& end) {
  const std::string path = absl::StrCat("/proc/", end.pid, "/stat");
  const std::string text = ReadWholeFile(path).value_or("");
  const size_t state = text.rfind(") ");
  return state != std::string::npos && state + 2 < text.size() ? text[state + 2] : '\0';
}

}  // namespace

// One that has ended, and that its parent has not asked about, still has its number (Z).
bool Lives(const LastEnd& end) {
  return end.state == "RUNNING" && end.pid > 0 && (kill(end.pid, 0) == 0 || errno == EPERM) &&
         ProcessStateOf(end) != 'Z';
}

bool EndedWithoutAWord(const LastEnd& end) { return end.state == "RUNNING" && !Lives(end); }

bool IsSuspended(const LastEnd& end) { return ProcessStateOf(end) == 'T'; }

void EndNotes::Begin(absl::Time now) const {
  std::vector<LastEnd> begun;
  const std::string listens = listens_.empty() ? "" : listens_.front().ToString();
  for (const NotedConnector& connector : connectors_)
    begun.push_back({.connector = connector.name,
                     .state = "RUNNING",
                     .at = now,
                     .pid = getpid(),
                     .listens = listens});
  TellOnce(Write(begun));
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
  Write(EndsIn(statuses, now)).IgnoreError();
}

absl::Status EndNotes::Write(std::vector<LastEnd> ends) const {
  for (const NotedConnector& connector : connectors_) {
    for (LastEnd& end : ends)
      if (end.connector == connector.name) end.doctor = connector.doctor;
  }
  absl::Status all;
  for (const http::Address& listen : listens_) all.Update(Keep(NoteAt(listen), ends));
  for (const NotedConnector& connector : connectors_) {
    for (const LastEnd& end : ends)
      if (end.connector == connector.name) all.Update(KeepOf(connector, end));
  }
  return all;
}

void WorkerNotes::Begin(absl::Time now) {
  worker_ = {.connector = group_,
             .state = "RUNNING",
             .at = now,
             .pid = getpid(),
             .worker = true,
             .start = start_};
  TellOnce(Write());
}

void WorkerNotes::Show(const std::vector<engine::ConnectorStatus>& statuses) {
  connectors_ = EndsIn(statuses, std::nullopt);
  std::string text = EndsJson(connectors_);
  if (text == kept_) return;
  kept_ = std::move(text);
  Write().IgnoreError();
}

void WorkerNotes::EndConnectors(const std::vector<engine::ConnectorStatus>& statuses,
                                absl::Time now) {
  connectors_ = EndsIn(statuses, now);
  Write().IgnoreError();
}

void WorkerNotes::End(const absl::Status& error, int exit_code, absl::Time now) {
  worker_ = {.connector = group_,
             .state = error.ok() ? "STOPPED" : "FAILED",
             .exit_code = exit_code,
             .at = now,
             .pid = getpid(),
             .worker = true,
             .start = start_};
  if (!error.ok()) {
    worker_.message = std::string(error.message());
    worker_.reason = ErrorReason(error);
    worker_.hint = ErrorHint(error);
  }
  Write().IgnoreError();
}

absl::Status WorkerNotes::Write() const {
  std::vector<LastEnd> all = {worker_};
  all.insert(all.end(), connectors_.begin(), connectors_.end());
  absl::Status kept;
  for (const http::Address& listen : listens_) kept.Update(Keep(NoteAt(listen), all));
  return kept;
}

void NoteRefused(const std::vector<NotedConnector>& connectors, const http::Address& listen,
                 const LastEnd& how) {
  std::vector<LastEnd> ends;
  for (const NotedConnector& connector : connectors) {
    ends.push_back(how);
    ends.back().connector = connector.name;
    ends.back().pid = getpid();
    ends.back().doctor = connector.doctor;
    const std::string path = NoteOf(connector);
    if (!IsOfOneThatLives(path)) Keep(path, {ends.back()}).IgnoreError();
  }
  if (listen.port != 0 && !ends.empty() && !IsOfOneThatLives(NoteAt(listen)))
    Keep(NoteAt(listen), ends).IgnoreError();
}

std::vector<LastEnd> EndsAt(const http::Address& address, std::vector<std::string>* denied) {
  std::vector<LastEnd> newest;
  for (const std::string& text : ReadNotes(NameOfNoteAt(address), denied)) {
    std::vector<LastEnd> ends = Parse(text);
    if (newest.empty() || IsNewer(ends, newest)) newest = std::move(ends);
  }
  return newest;
}

std::vector<LastEnd> EndsOf(const std::vector<NotedConnector>& connectors,
                            std::vector<std::string>* denied) {
  std::vector<LastEnd> all;
  for (const NotedConnector& connector : connectors) {
    std::vector<LastEnd> ends = Parse(ReadNote(NoteOf(connector), denied));
    AddNewer(connector, &ends);
    for (LastEnd& end : ends) all.push_back(std::move(end));
  }
  return all;
}

std::optional<std::string> NotesTrouble() {
  const absl::Status checked = CheckNotes();
  return checked.ok() ? std::nullopt : std::optional(NotNoted(checked));
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
    absl::StrAppend(
        &text, "ran from ", at, " (process ", end.pid,
        "), and ended without a word: it crashed, was killed, or the machine went down\n"
        "  hint     ",
        kNoWordHint, "\n");
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
    if (!end.doctor.empty()) json.Key("doctor").Text(end.doctor);
    if (!end.start.empty()) json.Key("start").Text(end.start);
    json.Key("hint").Text(end.hint).EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace walduct::cli
