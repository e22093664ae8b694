// What is known of connectors whose process does not answer any more.
#include <rapidjson/document.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "admin/reasons/reasons.h"
#include "base/clock.h"
#include "base/documents.h"
#include "base/error.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/shell_word.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/process/called_by.h"
#include "cli/process/last_end.h"
#include "cli/running_process.h"
#include "cli/status/ask_status.h"
#include "cli/status/outbox_lines.h"
#include "cli/status/status_values.h"
#include "engine/errors/error_policy.h"
#include "http/address.h"
#include "http/client.h"

namespace walduct::cli {
namespace {

// What was asked, as far as it may be a process of this machine.
absl::StatusOr<http::Address> LocalAddress(const http::Server& server) {
  absl::string_view place = server.url;
  if (!absl::ConsumePrefix(&place, "http://")) absl::ConsumePrefix(&place, "https://");
  if (const size_t login = place.rfind('@'); login != absl::string_view::npos)
    place.remove_prefix(login + 1);
  return http::ParseAddress(absl::StripSuffix(place, "/"));
}

// False: -o is malformed, which has been printed.
bool FindEnds(const Arguments& arguments, std::vector<LastEnd>* ends,
              std::vector<std::string>* denied) {
  if (!arguments.connector_files.empty()) {
    const std::optional<std::vector<NotedConnector>> noted = LoadNoted(arguments);
    if (!noted) return false;
    *ends = EndsOf(*noted, denied);
  } else if (const auto address = LocalAddress(ServerOf(arguments)); address.ok()) {
    *ends = EndsAt(*address, denied);
  }
  const std::string& name =
      arguments.command == Command::kExplain ? arguments.reason : arguments.connector;
  if (!name.empty())
    std::erase_if(*ends,
                  [&](const LastEnd& end) { return !end.worker && !IsOfConnector(end, name); });
  return true;
}

void ExplainReasonOf(const std::string& reason) {
  if (const admin::Reason* known = admin::FindReason(reason))
    std::cout << "\n" << WithDocuments(admin::ExplainReason(*known));
}

using json::FindArray;
using json::FindObject;
using rapidjson::Value;
constexpr auto Member = json::TextIn;

// What it waits for now, and which tables do not come, which are no errors.
bool ExplainTrouble(const rapidjson::Value& one) {
  bool any = false;
  if (const Value* const stall = FindObject(one, "stall")) {
    std::cout << "  stalled  waiting for " << PlainText(Member(*stall, "waiting_for")) << " ("
              << Member(*stall, "since") << ")\n";
    if (const std::string hint = Member(*stall, "hint"); !hint.empty())
      std::cout << "  hint     " << WithDocuments(PlainText(hint)) << "\n";
    any = true;
  } else if (const std::string on = Member(one, "waiting_on"); !on.empty()) {
    std::cout << "  waiting  for " << PlainText(Member(one, "waiting_for")) << ": " << PlainText(on)
              << "\n  hint     " << PlainText(Member(one, "waiting_hint")) << "\n";
    any = true;
  }
  const Value* const rows = FindObject(one, "outbox");
  if (const std::string parked = rows == nullptr ? "" : ParkedRows(*rows); !parked.empty()) {
    std::cout << "  outbox   " << parked << "\n  hint     " << PlainText(Member(*rows, "hint"))
              << "\n";
    any = true;
  }
  const Value* const capture = FindObject(one, "capture");
  const Value* const problems = capture == nullptr ? nullptr : FindArray(*capture, "problems");
  if (problems == nullptr) return any;
  for (const Value& problem : problems->GetArray()) {
    if (!problem.IsObject() || Member(problem, "severity") != "warning") continue;
    const std::string tables = TablesOf(problem);
    std::cout << "  tables   " << tables << (tables.empty() ? "" : ": ")
              << PlainText(Member(problem, "message")) << " (" << Member(problem, "since") << ")\n";
    if (const std::string hint = Member(problem, "hint"); !hint.empty())
      std::cout << "  hint     " << WithDocuments(PlainText(hint)) << "\n";
    ExplainReasonOf(Member(problem, "reason"));
    any = true;
  }
  return any;
}

// Of a process that answers. False: it has no such connector.
bool ExplainRunning(const std::string& status, const std::string& name) {
  const rapidjson::Document body = json::Parse(status);
  const Value* const connectors = FindArray(body, "connectors");
  if (connectors == nullptr) return false;
  bool found = false;
  for (const Value& one : connectors->GetArray()) {
    if (!one.IsObject() || Member(one, "name") != name) continue;
    found = true;
    std::cout << PlainText(name) << "  " << Member(one, "state") << "\n";
    const bool troubled = ExplainTrouble(one);
    const Value* const error = FindObject(one, "last_error");
    if (error == nullptr) {
      if (!troubled) std::cout << "  no error\n";
      continue;
    }
    if (const std::string solved = Member(*error, "solved_at"); !solved.empty()) {
      std::cout << "  no error now; the last one, of " << Member(*error, "at") << ", was solved at "
                << solved << ": " << PlainText(Member(*error, "message")) << "\n";
      continue;
    }
    std::cout << "  error    " << PlainText(Member(*error, "message")) << " ("
              << Member(*error, "at") << ")\n";
    if (const std::string hint = Member(*error, "hint"); !hint.empty())
      std::cout << "  hint     " << WithDocuments(PlainText(hint)) << "\n";
    ExplainReasonOf(Member(*error, "reason"));
  }
  return found;
}

// What to do about one that lives and did not answer.
std::string Advice(const LastEnd& living, const std::string& asked) {
  const std::string& listens = living.listens;
  if (!listens.empty() && !absl::EndsWith(asked, listens.substr(listens.rfind(':')))) {
    return absl::StrCat("process ", living.pid, " runs ", PlainText(living.connector),
                        " and listens elsewhere: --listen ", PlainText(listens));
  }
  const std::string process = absl::StrCat("process ", living.pid, " is ");
  const std::string wake = absl::StrCat("kill -CONT ", living.pid, " lets it go on");
  if (IsSuspended(living)) return absl::StrCat(process, "suspended: ", wake);
  return absl::StrCat(process, "still there: it begins or ends, is suspended (", wake,
                      ") or hangs (its log says what it did last; kill -9 ", living.pid,
                      " ends it, and a new one goes on after the stored position)");
}

// By the files that were typed, else those of what has ended, first of what has failed.
std::string DoctorOf(const std::vector<LastEnd>& ends, const Arguments& arguments) {
  if (arguments.connector_files.empty()) {
    std::string doctor;
    bool of_failed = false;
    for (const LastEnd& end : ends) {
      const bool failed = end.state == "FAILED";
      if (end.doctor.empty() || (!doctor.empty() && (of_failed || !failed))) continue;
      doctor = end.doctor;
      of_failed = failed;
    }
    return doctor.empty() ? "walduct doctor -f FILE -w FILE" : doctor;
  }
  std::vector<std::string> words;
  const auto again = [](const std::string& file) {
    return IsReadOnce(file) ? "FILE" : ShellWord(file);
  };
  for (const std::string& file : arguments.connector_files)
    words.push_back(absl::StrCat("-f ", again(file)));
  if (!arguments.worker_file.empty())
    words.push_back(absl::StrCat("-w ", again(arguments.worker_file)));
  return absl::StrCat("walduct doctor ", absl::StrJoin(words, " "));
}

// Where it was asked at an address, it had that.
std::string AsBefore(const LastEnd& end, const Arguments& arguments) {
  if (end.worker) return " with the same worker file";
  if (arguments.connector_files.empty()) return " with the same --listen";
  return arguments.listen_typed ? absl::StrCat(" with --listen ", ShellWord(arguments.listen)) : "";
}

// To who was not answered.
std::string HintOf(const std::vector<LastEnd>& ends, const Arguments& arguments,
                   const absl::Status& error) {
  if (ErrorReason(error) != "status_unreachable") return ErrorHint(error);
  const auto living = std::find_if(ends.begin(), ends.end(), Lives);
  if (living != ends.end()) return living->hint;
  // What it ran is in Kafka's topics: there is no file of a connector to look at first.
  if (const std::string& start = ends.front().start; !start.empty()) {
    return absl::StrCat(
        "what ran there has ended, as told here; start it again, with the same -o "
        "and environment: ",
        start);
  }
  return absl::StrCat("what ran there has ended, as told here; start it again",
                      AsBefore(ends.front(), arguments), "; ", DoctorOf(ends, arguments),
                      " says first what would stop a start");
}

absl::Status AsRoot(const absl::Status& error, const std::vector<std::string>& denied) {
  return Error(
      error.code(), ErrorReason(error), error.message(),
      absl::StrCat(ErrorHint(error), ". How it ended may stand in notes of ",
                   absl::StrJoin(denied, ", "), ", which the same command reads as root (sudo)"));
}

}  // namespace

int TellLastEnd(const Arguments& arguments, const absl::Status& error) {
  std::vector<LastEnd> ends;
  const std::string reason = ErrorReason(error);
  const bool unanswered = reason == "status_unreachable" || reason == "status_untrusted" ||
                          reason == "other_process_answers";
  std::vector<std::string> denied;
  if (unanswered && !FindEnds(arguments, &ends, &denied)) return engine::kExitConfiguration;
  if (ends.empty()) return PrintStatus(denied.empty() ? error : AsRoot(error, denied));
  for (LastEnd& end : ends) {
    if (Lives(end)) end.hint = Advice(end, ServerOf(arguments).url);
    if (EndedWithoutAWord(end)) end.hint = kNoWordHint;
  }
  if (arguments.json) std::cout << EndsJson(ends) << "\n";
  const int exit_code =
      PrintStatus(Error(error.code(), reason, error.message(), HintOf(ends, arguments, error)));
  if (arguments.json) return exit_code;
  for (const LastEnd& end : ends) std::cout << EndText(end, Clock::Real().Now());
  return exit_code;
}

int ExplainConnector(const Arguments& given) {
  const Arguments arguments = WithListenerOfFiles(given);
  std::vector<LastEnd> ends;
  if (!arguments.reason.empty()) {
    const absl::StatusOr<std::string> status = AskStatus(ServerOf(arguments), arguments.reason);
    if (status.ok() && ExplainRunning(*status, arguments.reason)) return engine::kExitClean;
    if (status.ok() && arguments.connector_files.empty()) return engine::kExitConfiguration;
    if (ErrorReason(status.status()) == "owner_silent") return PrintStatus(status.status());
  }
  std::vector<std::string> denied;
  if (!FindEnds(arguments, &ends, &denied)) return engine::kExitConfiguration;
  for (const LastEnd& end : ends) {
    std::cout << EndText(end, Clock::Real().Now());
    if (!end.reason.empty()) ExplainReasonOf(end.reason);
  }
  if (ends.empty() && !arguments.connector_files.empty()) {
    return PrintStatus(Error(absl::StatusCode::kNotFound, "no_last_end",
                             "nothing is known of an end of this connector: it has not run here, "
                             "or runs still",
                             "walduct status says what a process that listens is doing"));
  }
  return ends.empty() ? engine::kExitConfiguration : engine::kExitClean;
}

}  // namespace walduct::cli
