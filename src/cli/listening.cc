#include "cli/listening.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/configuration.h"
#include "cli/process/last_end.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "loader/load_connector.h"
#include "operate/commands/offset_commands.h"
#include "operate/commands/signal_reader_of.h"
#include "operate/doctor/doctor_report.h"
#include "operate/outbox/outbox_rows.h"
#include "recover/run/plan.h"
#include "slot/lanes/lanes.h"

namespace walduct::cli {
namespace {

std::map<std::string, admin::ShownConfig> ShownConfigs(
    const std::vector<loader::LoadResult>& results) {
  std::map<std::string, admin::ShownConfig> configs;
  for (const loader::LoadResult& result : results) {
    for (const engine::ConnectorOptions& lane : slot::LanesOf(result.options)) {
      admin::ShownConfig& config = configs[lane.name];
      for (const config::PropertyReport& property : result.properties)
        config.emplace_back(property.name, property.value);
    }
  }
  return configs;
}

std::string PlaceOf(const loader::LoadResult& result) {
  return absl::StrCat(result.listen->tls == nullptr ? "" : "https://",
                      result.listen->address.ToString(),
                      result.access.passwords == nullptr ? "" : " with passwords");
}

// A connector that the process was started with, and what its configuration warns of.
struct Given {
  engine::ConnectorOptions options;
  std::vector<std::string> warnings;
};

// On its server, as far as this process was started with their readers.
std::set<std::string> SlotsOfOthers(const std::vector<Given>& connectors,
                                    const engine::ConnectorOptions& own) {
  const std::string server = engine::SlotOf(own).server;
  std::set<std::string> slots;
  for (const auto& [other, warnings] : connectors) {
    if (other.name == own.name) continue;
    for (const engine::SlotAddress& reads : engine::SlotsOf(other))
      if (reads.server == server) slots.insert(reads.slot);
  }
  return slots;
}

// Beside what runs: by the configurations that the process was started with.
absl::StatusOr<std::string> AskOf(const std::vector<Given>& connectors,
                                  const engine::Connectors& running, const std::string& name,
                                  const std::string& what, const operate::RowsQuery& query) {
  for (const auto& [one, warnings] : connectors) {
    if (one.name != name) continue;
    if (what == "outbox") {
      ASSIGN_OR_RETURN(const operate::OutboxRowsRequest request, operate::ParseRowsQuery(query));
      const auto rows = operate::AskOutboxRows(one, request, Environment::Real());
      const std::string hint = ErrorHint(rows.status());
      if (rows.ok() || hint.empty()) return rows;
      return absl::Status(rows.status().code(),
                          absl::StrCat(rows.status().message(), "; hint: ", hint));
    }
    if (what == "recovery")
      return recover::PlanFactsJson(one, Environment::Real(), SlotsOfOthers(connectors, one));
    return what == "doctor" ? operate::ExamineRunning(one, running, Environment::Real(), warnings)
                            : operate::ReadOffsets(one, Environment::Real());
  }
  return absl::NotFoundError(absl::StrCat("Connector ", name, " not found"));
}

absl::StatusOr<std::string> Signal(const std::vector<Given>& connectors,
                                   const engine::Connectors& running, const std::string& name,
                                   const std::string& body) {
  for (const auto& [one, warnings] : connectors) {
    if (one.name != name) continue;
    operate::SignalReader reader = operate::SignalReaderOf(one, /*runs_here=*/true);
    reader.reads_nothing = operate::ReadsNothing(running, engine::CalledOf(one).name);
    ASSIGN_OR_RETURN(const operate::SentSignal sent,
                     operate::SendSignalText(reader, body, Environment::Real()));
    JsonWriter json;
    json.Object().Key("name").Text(name).Key("id").Text(sent.id);
    return json.Key("written_to").Text(sent.where).EndObject().text();
  }
  return absl::NotFoundError(absl::StrCat("Connector ", name, " not found"));
}

absl::StatusOr<admin::ShownConfig> ConfigIn(
    const std::map<std::string, admin::ShownConfig>& configs, const std::string& name) {
  const auto found = configs.find(name);
  if (found != configs.end()) return found->second;
  return absl::NotFoundError(absl::StrCat("There is no connector ", name, "."));
}

std::vector<Given> AllOf(const std::vector<loader::LoadResult>& results) {
  std::vector<Given> all;
  for (const loader::LoadResult& result : results) all.push_back({result.options, result.warnings});
  return all;
}

}  // namespace

bool ChooseListener(const std::vector<loader::LoadResult>& results,
                    const loader::LoadResult** chosen) {
  *chosen = nullptr;
  for (const loader::LoadResult& result : results) {
    if (!result.listen) continue;
    if (*chosen != nullptr && PlaceOf(**chosen) != PlaceOf(result)) {
      Refuse(absl::StrCat("property 'walduct.listen': one connector says '", PlaceOf(**chosen),
                          "', another '", PlaceOf(result),
                          "'; a process listens in one place: set it in the worker file only"));
      return false;
    }
    if (*chosen == nullptr) *chosen = &result;
  }
  return true;
}

console::Console::Parts ConsoleBefore(http::Handler& pages,
                                      const admin::StatusHandler& status_handler,
                                      const ConsoleSide& side, const access::AccessOptions& access,
                                      const console::ConsoleOptions& options, bool worker) {
  console::Console::Parts parts{.others = &pages, .options = options, .worker = worker};
  if (const access::Passwords* const passwords = access.passwords.get(); passwords != nullptr) {
    parts.admits = [passwords](const http::Request& request) {
      return passwords->Admits(request.authorization);
    };
  }
  parts.tail = [&status_handler](absl::string_view connector, uint64_t after, bool texts) {
    return status_handler.Tail(connector, after, texts);
  };
  parts.ask = [&side](absl::string_view what, const std::string& name, uint64_t after) {
    return side.Answer(what, name, after);
  };
  parts.trusts = [&access](absl::string_view origin) { return access.cross_origin.Allows(origin); };
  return parts;
}

std::optional<admin::ProcessNotice> NoticeOfNotes() {
  const std::optional<std::string> trouble = NotesTrouble();
  if (!trouble) return std::nullopt;
  return admin::ProcessNotice{.message = *trouble, .hint = kNotNotedHint};
}

Listening::Listening(const admin::StatusHandler::Options& options, Clock& clock,
                     const loader::LoadResult& chosen)
    : status_handler_(options),
      side_(chosen.console,
            {.connectors = options.connectors,
             .clock = &clock,
             .config = [configs = options.configs](
                           const std::string& name) { return ConfigIn(configs, name); }}),
      guard_(status_handler_, clock, chosen.access),
      console_(ConsoleBefore(guard_, status_handler_, side_, chosen.access, chosen.console,
                             /*worker=*/false)) {}

absl::StatusOr<std::unique_ptr<Listening>> Listening::Open(
    const loader::LoadResult& chosen, const std::vector<loader::LoadResult>& results,
    const engine::Connectors& connectors, Clock& clock, const Notice& notice) {
  const access::ListenerOptions& wanted = *chosen.listen;
  std::unique_ptr<Listening> listening(new Listening(
      {.connectors = &connectors,
       .clock = &clock,
       .configs = ShownConfigs(results),
       .worker = wanted.address.ToString(),
       .ask = [all = AllOf(results), &connectors](
                  const auto& name, const auto& what,
                  const auto& query) { return AskOf(all, connectors, name, what, query); },
       .signal = [all = AllOf(results), &connectors](
                     const auto& name,
                     const auto& body) { return Signal(all, connectors, name, body); },
       .guarded = chosen.access.passwords != nullptr},
      clock, chosen));
  listening->status_handler_.AskForNotice([notice] {
    std::optional<admin::ProcessNotice> first = notice ? notice() : std::nullopt;
    return first ? first : NoticeOfNotes();
  });
  absl::StatusOr<std::unique_ptr<http::Listener>> listener =
      http::Listener::Open(wanted.address, &listening->console_, wanted.tls.get());
  if (!listener.ok()) return listener.status();
  listening->listener_ = *std::move(listener);
  log::Info("listening", {{"address", listening->listener_->address().ToString()},
                          {"tls", wanted.tls == nullptr ? "no" : "yes"}});
  return listening;
}

}  // namespace walduct::cli
