#include "serve/worker/connector_loader.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/descriptors.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/lsn.h"
#include "base/shell_word.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "engine/configuration/source_type.h"
#include "loader/known_classes.h"
#include "loader/load_connector.h"
#include "metrics/topic_board.h"
#include "names/called.h"
#include "operate/commands/offset_commands.h"
#include "operate/commands/signal_reader_of.h"
#include "operate/doctor/doctor_report.h"
#include "operate/outbox/outbox_rows.h"
#include "postgres/connection.h"
#include "postgres/connection_options.h"
#include "postgres/host_checks.h"
#include "recover/run/plan.h"

namespace walduct::postgres {
struct DatabaseOptions;
}  // namespace walduct::postgres

namespace walduct::serve {
namespace {

// What keeps libpq from the server, in the words of Debezium's driver.
std::string DriverText(const std::string& message, const postgres::DatabaseOptions& database) {
  const auto says = [&message](absl::string_view part) { return absl::StrContains(message, part); };
  if (says("Connection refused")) {
    return absl::StrCat("Connection to ", postgres::HostAndPort(database.hostname, database.port),
                        " refused. Check that the hostname and port are correct and that the "
                        "postmaster is accepting TCP/IP connections.");
  }
  if (says("could not translate host name")) {
    return absl::StrCat("The connection attempt failed. Unknown host '", database.hostname,
                        "': check database.hostname, and the name server that this machine asks");
  }
  if (says("server does not support SSL")) return "The server does not support SSL.";
  if (says("no password supplied")) {
    return "The server requested SCRAM-based authentication, but no password was provided.";
  }
  return message;
}

// What the server says is fatal here.
std::string AskDatabase(const postgres::DatabaseOptions& database, const Environment& environment) {
  const auto opened =
      postgres::Connection::Open({.database = database, .environment = environment});
  if (opened.ok()) return "";
  std::string message(opened.status().message());
  absl::RemoveExtraAsciiWhitespace(&message);
  const size_t state = message.find(" (SQLSTATE ");
  if (state == std::string::npos) return DriverText(message, database);
  return absl::StrCat("FATAL: ", message.substr(0, state));
}

// "property 'x': …"
std::string PropertyOf(const std::string& error) {
  const size_t begin = error.find('\'');
  const size_t end = error.find('\'', begin + 1);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return error.substr(begin + 1, end - begin - 1);
}

// As it is written, or what stands for it unwritten; empty: a reference, which is not known.
std::string Written(const ConfigMap& config, absl::string_view name, absl::string_view unwritten) {
  const std::string* const value = FindValue(config, name);
  if (value == nullptr) return std::string(unwritten);
  return absl::StrContains(*value, "${") ? "" : *value;
}

// host:port; a part that the text does not tell is empty.
std::vector<engine::SlotAddress> WrittenSlots(const ConfigMap& config) {
  constexpr int kMost = 100;  // more than there may be
  const std::string first = Written(config, "slot.name", "debezium");
  if (first.empty() || Written(config, "walduct.outbox.source", "") == "poll") return {};
  const std::string server = absl::StrCat(Written(config, "database.hostname", ""), ":",
                                          Written(config, "database.port", "5432"));
  int count = 1;
  if (!absl::SimpleAtoi(Written(config, "walduct.slots", "1"), &count)) count = 1;
  return engine::NumberedSlots({.server = server, .slot = first}, std::min(count, kMost));
}

}  // namespace

std::vector<config::PropertyReport> ConnectorLoader::Properties(const ConfigMap& config) const {
  return Read(config).properties;
}

loader::LoadResult ConnectorLoader::Read(const ConfigMap& config) const {
  config::LoadRequest request = request_;
  request.workers_own = {"heartbeat.interval.ms"};  // of its session in the group, as in Connect
  request.connector_values.emplace();
  for (const auto& [key, value] : config) {
    if (value) request.connector_values->emplace_back(key, *value);
  }
  loader::LoadResult read = loader::LoadConnector(request);
  names::Called& called = read.options.runtime->called;
  called = {.who = ShellWord(read.options.name), .where = url_};
  called.worker_file = request_.worker_called;
  return read;
}

ConfigMap ConnectorLoader::WithAddress(ConfigMap config) const {
  ConfigMap least = {{"name", "x"},
                     {"topic.prefix", "x"},
                     {"database.hostname", "x"},
                     {"database.user", "x"},
                     {"database.dbname", "x"}};
  for (const auto& [key, value] : config)
    if (absl::StartsWith(key, "config.providers")) PutValue(&least, key, value);
  using engine::ConnectorNames;
  constexpr std::pair<const char*, std::string ConnectorNames::*> kParts[] = {
      {"database.hostname", &ConnectorNames::host},
      {"database.port", &ConnectorNames::port},
      {"slot.name", &ConnectorNames::slot}};
  for (const auto& [name, part] : kParts) {
    const std::string* const written = FindValue(config, name);
    if (written == nullptr) continue;
    ConfigMap alone = least;
    PutValue(&alone, name, *written);
    const loader::LoadResult read = Read(alone);
    if (read.errors.empty()) PutValue(&config, name, engine::NamesOf(read.options).*part);
  }
  return config;
}

std::vector<engine::SlotAddress> ConnectorLoader::SlotsOf(const ConfigMap& config) const {
  const loader::LoadResult read = Read(config);
  return read.errors.empty() ? engine::SlotsOf(read.options) : WrittenSlots(WithAddress(config));
}

Loaded ConnectorLoader::Load(const ConfigMap& config) const {
  loader::LoadResult read = Read(config);
  if (!read.errors.empty()) return {{}, {}, std::move(read.errors)};
  if (const absl::Status left = CheckDescriptors(); !left.ok())
    return {{}, {}, {absl::StrCat(left.message(), ": ", ErrorHint(left))}};
  log::SetConnector(read.options.name);
  for (const std::string& warning : read.warnings) log::Warn(warning);
  log::SetConnector("");
  Loaded loaded;
  loaded.topics = std::make_shared<metrics::TopicBoard>();
  if (!loader::CountTopics(loaded.topics, &read)) loaded.topics.reset();
  loaded.options = std::make_shared<const engine::ConnectorOptions>(std::move(read.options));
  return loaded;
}

ValidationQuestions ConnectorLoader::Questions() const {
  ValidationQuestions questions;
  questions.knows = loader::KnowsClass;
  questions.load = [this](const ConfigMap& config) {
    std::vector<std::pair<std::string, std::string>> errors;
    for (const std::string& error : Read(config).errors)
      errors.emplace_back(PropertyOf(error), error);
    return errors;
  };
  questions.database = [this](const ConfigMap& config) {
    const loader::LoadResult read = Read(config);
    return read.errors.empty() ? AskDatabase(*read.options.database, environment_) : "";
  };
  return questions;
}

absl::StatusOr<std::string> Operations::With(
    const ConfigMap& config,
    const std::function<absl::StatusOr<std::string>(const Options&)>& ask) const {
  const loader::LoadResult read = loader_.Read(config);
  if (!read.errors.empty()) return absl::FailedPreconditionError(read.errors.front());
  return ask(read.options);
}

std::set<std::string> Operations::OthersOf(const Options& options) const {
  if (!slots_of_others_) return {};
  return slots_of_others_(engine::CalledOf(options).name, engine::SlotOf(options).server);
}

absl::StatusOr<Operations::Sent> Operations::SendSignal(
    const ConfigMap& config, const std::shared_ptr<const Options>& running,
    const std::string& signal) const {
  operate::SentSignal sent;
  const auto send = [&](const Options& options) -> absl::StatusOr<std::string> {
    operate::SignalReader reader =
        operate::SignalReaderOf(options, /*runs_here=*/running != nullptr);
    reader.reads_nothing =
        running != nullptr && operate::ReadsNothing(connectors_, engine::CalledOf(options).name);
    ASSIGN_OR_RETURN(sent, operate::SendSignalText(reader, signal, environment_));
    return std::string();
  };
  RETURN_IF_ERROR((running != nullptr ? send(*running) : With(config, send)).status());
  return Sent(std::move(sent.id), std::move(sent.where));
}

bool Operations::WasCarriedOut(const Options& ended, const std::string& id) const {
  return operate::WasCarriedOut(operate::SignalReaderOf(ended, /*runs_here=*/true), id);
}

absl::StatusOr<std::string> Operations::SkipChange(const ConfigMap& config,
                                                   const event::ChangeId& change) const {
  return With(config, [&](const Options& options) {
    return operate::SkipChange(options, change, environment_);
  });
}

absl::StatusOr<std::string> Operations::Examine(const ConfigMap& config) const {
  const loader::LoadResult read = loader_.Read(config);
  if (!read.errors.empty()) return absl::FailedPreconditionError(read.errors.front());
  std::set<std::string> publications;
  if (publications_of_others_)
    publications = publications_of_others_(engine::CalledOf(read.options).name,
                                           engine::NamesOf(read.options).database);
  return operate::ExamineRunning(read.options, connectors_, environment_, read.warnings,
                                 OthersOf(read.options), publications);
}

absl::StatusOr<std::string> Operations::PlanRecovery(const ConfigMap& config) const {
  return With(config, [&](const Options& options) {
    return recover::PlanFactsJson(options, environment_, OthersOf(options));
  });
}

absl::StatusOr<std::string> Operations::AskOutboxRows(
    const ConfigMap& config, const operate::OutboxRowsRequest& request) const {
  return With(config, [&](const Options& options) {
    return operate::AskOutboxRows(options, request, environment_);
  });
}

absl::StatusOr<std::string> Operations::MovePosition(const ConfigMap& config,
                                                     const Move& asked) const {
  return With(config, [&](const Options& options) -> absl::StatusOr<std::string> {
    operate::OffsetMove move{.to = std::nullopt,
                             .slot = asked.slot,
                             .accepts = {asked.accept_loss, asked.accept_foreign},
                             .drop_slot = asked.drop_slot};
    if (!asked.lsn.empty()) {
      ASSIGN_OR_RETURN(move.to, Lsn::Parse(asked.lsn));
    }
    return operate::MoveOffset(options, move, environment_);
  });
}

absl::StatusOr<std::string> Operations::ImportPosition(const ConfigMap& config,
                                                       const std::string& body,
                                                       operate::Accepts accepts) const {
  return With(config, [&](const Options& options) {
    return operate::WriteOffsets(options, body, accepts, environment_);
  });
}

}  // namespace walduct::serve
