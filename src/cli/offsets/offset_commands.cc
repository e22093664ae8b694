#include "operate/commands/offset_commands.h"

#include <rapidjson/document.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/documents.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/percent.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/confirmed.h"
#include "cli/offsets/plan_files.h"
#include "cli/running_process.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/record_error_options.h"
#include "engine/configuration/source_type.h"
#include "engine/errors/error_policy.h"
#include "engine/errors/named_hint.h"
#include "http/client.h"
#include "http/message.h"
#include "loader/load_connector.h"
#include "names/called.h"
#include "operate/commands/lsn_place.h"
#include "operate/commands/position_move.h"
#include "recover/run/plan.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(1);

std::optional<Lsn> LsnIn(const rapidjson::Value& connector, const char* name) {
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(json::TextIn(connector, name));
  return lsn.ok() && lsn->valid() ? std::optional(*lsn) : std::nullopt;
}

// The newer of what two sources say of a mark that only moves on.
void Newer(const std::optional<Lsn>& seen, std::optional<Lsn>* known) {
  if (seen && (!*known || **known < *seen)) *known = seen;
}

void AddProcess(const rapidjson::Value& connector, operate::LsnFacts* facts) {
  Newer(LsnIn(connector, "received_lsn"), &facts->received);
  Newer(LsnIn(connector, "stored_lsn"), &facts->stored);
  Newer(LsnIn(connector, "confirmed_lsn"), &facts->confirmed);
}

void Print(const std::string& name, const operate::LsnFacts& facts) {
  std::cout << PlainText(name) << ": " << operate::ExplainLsn(facts);
}

absl::StatusOr<rapidjson::Document> StatusOf(const http::Server& server) {
  ASSIGN_OR_RETURN(const std::string answer, Ask(server, "/status"));
  rapidjson::Document body = json::Parse(answer);
  if (json::FindArray(body, "connectors") == nullptr)
    return absl::UnavailableError("the answer is not walduct's");
  return body;
}

// By the process alone.
int ExplainByProcess(Lsn lsn, const Arguments& arguments) {
  const absl::StatusOr<rapidjson::Document> status = StatusOf(ServerOf(arguments));
  if (!status.ok()) {
    PrintStatus(status.status());
    std::cerr << "hint: -f CONNECTOR -w WORKER asks the server and the stored position instead\n";
    return engine::kExitFailure;
  }
  for (const rapidjson::Value& connector : (*status)["connectors"].GetArray()) {
    operate::LsnFacts facts{.lsn = lsn};
    AddProcess(connector, &facts);
    Print(connector["name"].GetString(), facts);
  }
  return engine::kExitClean;
}

// By the server and the store, and the process where one is named.
int ExplainByServer(Lsn lsn, const Arguments& arguments) {
  log::SetLevel(log::Level::kError);
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  std::optional<rapidjson::Document> process;
  if (!arguments.url.empty() || !arguments.listen.empty()) {
    absl::StatusOr<rapidjson::Document> status = StatusOf(ServerOf(arguments));
    const bool typed = !arguments.url.empty() || arguments.listen_typed;
    if (!status.ok() && typed) return PrintStatus(status.status());
    if (status.ok()) process = *std::move(status);
  }
  for (const engine::ConnectorOptions& options : AllLanes(results)) {
    auto facts = operate::FactsOfLsn(options, lsn, Environment::Real());
    if (!facts.ok()) return PrintStatus(facts.status());
    if (process) {
      for (const rapidjson::Value& connector : (*process)["connectors"].GetArray()) {
        if (connector["name"].GetString() == options.name) AddProcess(connector, &*facts);
      }
    }
    Print(options.name, *facts);
  }
  return engine::kExitClean;
}

// Of several, each body says whose it is: {"connector":"…","offsets":[…]}.
std::string Named(const std::string& connector, absl::string_view body) {
  std::string named = "{\"connector\":";
  AppendJsonString(connector, &named);
  return absl::StrCat(named, ",", absl::StripPrefix(body, "{"));
}

// Of files that were typed: its hint as it can be typed, too.
absl::Status Typable(const absl::Status& error, const engine::ConnectorOptions& options) {
  if (ErrorReason(error) != "offset_malformed") return error;
  return engine::WithNamedHint(error, engine::NamesOf(options));
}

int PrintReport(const std::string& connector, const absl::StatusOr<std::string>& report) {
  if (!report.ok()) return PrintStatus(report.status());
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(*report, "\n"), '\n'))
    std::cout << connector << ": " << line << "\n";
  return engine::kExitClean;
}

// Of walduct run the files are the user's: what to start it with.
int SkipRow(const Arguments& arguments) {
  const absl::StatusOr<engine::SkippedRow> row =
      engine::ParseSkippedRow(arguments.skip_table, arguments.skip_key);
  if (!row.ok()) return Refuse(absl::StrCat("skip: ", row.status().message()));
  loader::LoadResult loaded;
  if (arguments.connector.empty()) {
    if (!LoadOne(arguments, &loaded)) return engine::kExitConfiguration;
    std::vector<engine::SkippedRow> rows = loaded.options.record_errors->skipped_rows;
    rows.push_back(*row);
    return PrintStatus(Error(
        absl::StatusCode::kInvalidArgument, "process_takes_no_commands",
        "skip --table: the rows that snapshots leave out are a property of the connector's file",
        names::SetCommand(
            engine::CalledOf(loaded.options),
            absl::StrCat("walduct.snapshot.skip.rows=", engine::PrintSkippedRows(rows)))));
  }
  const std::string& name = arguments.connector;
  if (!arguments.yes &&
      !IsConfirmed("skip",
                   absl::StrCat("Snapshots of connector ", PlainText(name),
                                " will never publish the "
                                "row of ",
                                PlainText(arguments.skip_table), " with the key ",
                                PlainText(engine::PrintKey(*row)), ", where that cannot be done.")))
    return engine::kExitConfiguration;
  const absl::StatusOr<std::string> done =
      AskToSkipRow(ServerOf(arguments), name, arguments.skip_table, arguments.skip_key);
  if (!done.ok()) return PrintStatus(done.status());
  std::cout << PlainText(name) << ": " << PlainText(*done) << "\n";
  return engine::kExitClean;
}

}  // namespace

namespace {

std::string PageOf(const Arguments& arguments, absl::string_view page) {
  return absl::StrCat("/connectors/", EncodePercent(arguments.connector), "/", page);
}

absl::StatusOr<std::string> ShownByProcess(const Arguments& arguments) {
  return AskSlowly(ServerOf(arguments), PageOf(arguments, "offsets"));
}

// "message" of what was answered, and whether the connector begins again.
absl::StatusOr<std::string> ToldProcess(const Arguments& arguments, const std::string& method,
                                        absl::string_view page, const std::string& body) {
  const http::Server server = ServerOf(arguments);
  const bool imports = arguments.command == Command::kImportOffsets;
  const std::string query =
      !imports ? ""
               : absl::StrCat("?accept_loss=", arguments.accept_loss ? "true" : "false",
                              "&accept_foreign=", arguments.accept_foreign ? "true" : "false");
  ASSIGN_OR_RETURN(
      const http::Response answer,
      http::Send(method, server, absl::StrCat(PageOf(arguments, page), query), kPatience, body));
  if (answer.status == 405) {
    return Error(absl::StatusCode::kFailedPrecondition, "process_takes_no_commands",
                 absl::StrCat("the process at ", http::WithoutLogin(server.url),
                              " runs its connectors by walduct run, and keeps their positions"),
                 "stop it, and name the connector by its files: -f CONNECTOR -w WORKER");
  }
  if (answer.status == 404) return UnknownConnector(server, arguments.connector);
  const std::string message = MessageIn(answer.body, answer.status);
  if (absl::StartsWith(message, operate::kOfSlotNumber)) return absl::InvalidArgumentError(message);
  if (answer.status >= 300)
    return Error(absl::StatusCode::kFailedPrecondition, "command_refused", message);
  const rapidjson::Document said = json::Parse(answer.body);
  const rapidjson::Value* const found = json::Find(said, "restarts");
  const bool restarts = found != nullptr && found->IsTrue();
  return absl::StrCat(
      message, restarts ? "\nit begins again"
               : page == "position" && !absl::StrContains(message, operate::kNoStart)
                   ? absl::StrCat("\n", Typed(server, "resume", arguments.connector), " starts it")
                   : "");
}

std::string MoveBody(const Arguments& arguments) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  std::string body = absl::StrCat("{\"accept_loss\":", flag(arguments.accept_loss),
                                  ",\"drop_slot\":", flag(arguments.drop_slot));
  // Not known to an older process, which would refuse the whole.
  if (arguments.accept_foreign) body += ",\"accept_foreign\":true";
  if (arguments.command == Command::kSetOffsets) {
    body += ",\"lsn\":";
    AppendJsonString(arguments.lsn, &body);
    if (arguments.slot_number != 0) absl::StrAppend(&body, ",\"slot\":", arguments.slot_number);
  }
  return body + "}";
}

}  // namespace

int ShowOffsets(const Arguments& arguments) {
  if (!arguments.connector.empty()) {
    const absl::StatusOr<std::string> body = ShownByProcess(arguments);
    if (!body.ok()) return TellLastEnd(arguments, body.status());
    std::cout << *body << std::endl;
    return engine::kExitClean;
  }
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  int exit_code = engine::kExitClean;
  for (const loader::LoadResult& result : results) {
    const auto body = operate::ReadOffsets(result.options, Environment::Real());
    if (body.ok())
      std::cout << (results.size() > 1 ? Named(result.options.name, *body) : *body) << std::endl;
    else
      exit_code = PrintStatus(Typable(body.status(), result.options));
  }
  return exit_code;
}

int ExportOffsets(const Arguments& arguments) {
  loader::LoadResult result;
  const bool by_process = !arguments.connector.empty();
  if (!by_process && !LoadOne(arguments, &result)) return engine::kExitConfiguration;
  const absl::StatusOr<std::string> body =
      by_process ? ShownByProcess(arguments)
                 : operate::ReadOffsets(result.options, Environment::Real());
  if (!body.ok()) {
    return PrintStatus(by_process ? body.status() : Typable(body.status(), result.options));
  }
  if (arguments.offsets_file == "-") {
    std::cout << *body << "\n";
    return engine::kExitClean;
  }
  std::ofstream file(arguments.offsets_file);
  file << *body << "\n";
  file.close();
  if (!file) return Refuse("cannot write " + arguments.offsets_file);
  return engine::kExitClean;
}

namespace {

operate::Accepts AcceptedBy(const Arguments& arguments) {
  return {.loss = arguments.accept_loss, .foreign = arguments.accept_foreign};
}

}  // namespace

int ImportOffsets(const Arguments& arguments) {
  loader::LoadResult result;
  const bool by_process = !arguments.connector.empty();
  if (!by_process && !LoadOne(arguments, &result)) return engine::kExitConfiguration;
  std::ifstream file;
  if (arguments.offsets_file != "-") {
    file.open(arguments.offsets_file);
    if (!file) {
      return PrintStatus(absl::InvalidArgumentError(absl::StrCat(
          "offsets import: cannot read ", arguments.offsets_file, ": ", std::strerror(errno))));
    }
  }
  std::istream& input = arguments.offsets_file == "-" ? std::cin : file;
  const std::string body{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  const absl::StatusOr<std::string> report =
      by_process
          ? ToldProcess(arguments, "PUT", "position", body)
          : operate::WriteOffsets(result.options, body, AcceptedBy(arguments), Environment::Real());
  const std::string& name = by_process ? arguments.connector : result.options.name;
  // As offset::DecodeRestBody says it, here or in the process.
  if (!absl::StartsWith(report.status().message(), "offsets to be stored: "))
    return PrintReport(name, report);
  const std::string from =
      arguments.offsets_file == "-" ? "standard input" : arguments.offsets_file;
  PrintStatus(WithContext(report.status(), from));
  return engine::kExitConfiguration;
}

int MoveOffsets(const Arguments& arguments) {
  operate::OffsetMove move{.to = std::nullopt,
                           .slot = arguments.slot_number,
                           .accepts = AcceptedBy(arguments),
                           .drop_slot = arguments.drop_slot};
  if (arguments.command == Command::kSetOffsets) {
    const absl::StatusOr<Lsn> lsn = Lsn::Parse(arguments.lsn);
    if (!lsn.ok() || !lsn->valid())
      return Refuse(absl::StrCat("offsets set: '", arguments.lsn,
                                 "' is no LSN; write it as PostgreSQL does: 0/16B3748"));
    move.to = *lsn;
  }
  if (!arguments.connector.empty())
    return PrintReport(arguments.connector,
                       ToldProcess(arguments, "POST", "position", MoveBody(arguments)));
  loader::LoadResult result;
  if (!LoadOne(arguments, &result)) return engine::kExitConfiguration;
  return PrintReport(result.options.name,
                     operate::MoveOffset(result.options, move, Environment::Real()));
}

int ExplainLsn(Lsn lsn, const Arguments& arguments) {
  return arguments.connector_files.empty() ? ExplainByProcess(lsn, arguments)
                                           : ExplainByServer(lsn, arguments);
}

int SkipChange(const Arguments& arguments) {
  const bool stored = !arguments.connector_files.empty();
  if (arguments.lsn.empty() == arguments.skip_table.empty())
    return Refuse("skip: --lsn LSN:NUMBER, or --table TABLE --row-key JSON of a row of a snapshot");
  if (!arguments.skip_table.empty()) return SkipRow(arguments);
  loader::LoadResult loaded;
  const bool loads = stored && arguments.connector.empty();
  if (loads && !LoadOne(arguments, &loaded)) return engine::kExitConfiguration;
  if (loads && !loaded.options.source->by_slot)
    return Refuse(
        "skip: a row of a table that is polled (walduct.outbox.source=poll) is no change of a "
        "slot's stream: correct the row itself, mark it as published, or delete it");
  const std::optional<event::ChangeId> change = event::ParseChangeId(arguments.lsn);
  if (!change)
    return Refuse(absl::StrCat("skip: --lsn '", arguments.lsn,
                               "' is no change; write LSN:NUMBER as the error of the connector "
                               "names it: 0/16B3748:3"));
  if (stored == !arguments.connector.empty())
    return Refuse(
        "skip: name the connector of a running walduct serve, or -f (and -w) of one that "
        "does not run");
  const std::string& name = stored ? loaded.options.name : arguments.connector;
  if (!arguments.yes &&
      !IsConfirmed("skip", absl::StrCat("Change ", change->Text(), " of connector ",
                                        PlainText(name), " will never be published.")))
    return engine::kExitConfiguration;
  const absl::StatusOr<std::string> done =
      stored ? operate::SkipChange(loaded.options, *change, Environment::Real())
             : AskToSkip(ServerOf(arguments), name, change->Text());
  if (!done.ok()) return PrintStatus(done.status());
  std::cout << PlainText(name) << ": " << PlainText(absl::StripSuffix(*done, "\n")) << "\n";
  return engine::kExitClean;
}

namespace {

// The process reads the position and the primary, with its own secrets.
absl::StatusOr<recover::PlanFacts> AskProcess(const Arguments& arguments) {
  ASSIGN_OR_RETURN(
      const std::string answer,
      AskSlowly(ServerOf(arguments),
                absl::StrCat("/connectors/", EncodePercent(arguments.connector), "/recovery")));
  if (auto facts = recover::ParsePlanFacts(answer)) return *std::move(facts);
  return absl::UnavailableError("the answer is not walduct's");
}

}  // namespace

int RecoverPlan(const Arguments& arguments) {
  if (arguments.connector_files.empty() != !arguments.connector.empty())
    return Refuse(
        "recover plan: name the connector of a running process, or -f (and -w) of its files");
  log::SetLevel(log::Level::kError);
  absl::StatusOr<recover::PlanFacts> facts;
  TypedPlan typed{.name = arguments.connector, .connector_file = "", .worker_file = "", .url = ""};
  if (arguments.connector.empty()) {
    loader::LoadResult loaded;
    if (!LoadOne(arguments, &loaded)) return engine::kExitConfiguration;
    typed.name = loaded.options.name;
    typed.connector_file = arguments.connector_files.front();
    typed.worker_file = arguments.worker_file;
    typed.overrides = OverridesAgain(arguments.overrides, loaded);
    facts = recover::ReadPlanFacts(loaded.options, Environment::Real());
  } else {
    typed.url = ServerOf(arguments).url;
    facts = AskProcess(arguments);
  }
  if (!facts.ok()) return PrintStatus(facts.status());
  const absl::Status looked = recover::LookIntoArchive(
      {.folder = arguments.archive, .command = arguments.archive_command}, &*facts);
  if (!looked.ok()) return PrintStatus(looked);
  const PlanFiles files = FilesOfPlan(typed, *facts);
  const recover::Plan plan = recover::MakePlan(*facts, files.who);
  std::cout << WithDocuments(plan.text);
  if (plan.verdict != recover::Plan::Verdict::kNoGap) std::cout << files.note;
  std::cout << std::flush;
  return plan.verdict == recover::Plan::Verdict::kImpossible ? engine::kExitPrerequisite
                                                             : engine::kExitClean;
}

}  // namespace walduct::cli
