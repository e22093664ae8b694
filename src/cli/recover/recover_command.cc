#include "cli/recover/recover_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "engine/errors/error_policy.h"
#include "http/address.h"
#include "recover/archive_command.h"
#include "recover/gate.h"
#include "recover/run/recovery.h"

namespace walduct::cli {

CLI::App* AddRecover(CLI::App* app, GateRequest* asked, std::function<void()> gate_typed) {
  auto* recover =
      app->add_subcommand("recover", "Stream what a lost slot has missed, from a restored backup");
  recover->require_subcommand(1);
  auto* gate = recover->add_subcommand(
      "gate",
      "The restore_command of the restored server: holds WAL back that is not decoded yet\n"
      "How far it hands out is in recovery.json of --state (docs/recover.md); what that allows is "
      "fetched by the command behind --.");
  gate->add_option("command", asked->command,
                   "The archive's own command, behind --, with %f and %p as restore_command has "
                   "them; a single word is for sh, with %%f and %%p")
      ->type_name("COMMAND")
      ->required();
  gate->add_option("--state", asked->state, "The folder that the recovery and the gate share")
      ->type_name("DIR")
      ->required();
  gate->add_option("--file", asked->file, "%f, where the command does not have it")
      ->type_name("NAME");
  gate->add_option("--path", asked->path, "%p, where the command does not have it")
      ->type_name("PATH");
  gate->add_option("--wait", asked->wait_seconds,
                   "Seconds until it answers that a file is not there yet")
      ->check(CLI::Range(0.0, 60.0).description(""))
      ->capture_default_str();
  gate->footer(
      "Exit codes: 0 handed out; 1 held back, PostgreSQL asks again; 126 the server must stop. "
      "What "
      "the\ncommand answers, or the signal that ends it, is handed on as it is.");
  gate->callback(std::move(gate_typed));
  return recover;
}

void AddRestored(CLI::App* run, RecoverRequest* asked) {
  run->add_option("--from", asked->from, "Where the restored server listens")
      ->type_name("HOST:PORT")
      ->required();
  run->add_option("--state", asked->state, "The folder that the recovery and the gate share")
      ->type_name("DIR")
      ->required();
  run->add_option("--from-sslmode", asked->sslmode,
                  "database.sslmode for the restored server, where it is another")
      ->type_name("MODE")
      ->check(CLI::IsMember({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}));
}

// The one word that it takes.
void AddWord(CLI::App* run, const char* option, std::string* to, const std::string& word,
             const std::string& means) {
  run->add_option(option, *to, absl::StrCat(word, ": ", means))
      ->type_name(word)
      ->check(CLI::IsMember({word}));
}

void AddCatalog(CLI::App* run, RecoverRequest* asked) {
  AddWord(run, "--catalog", &asked->catalog, "later",
          "replay does not wait before commits that change tables; what the catalog alone tells of "
          "rows before them, as a column's default, may be of behind them");
}

void AddThenRead(CLI::App* run, RecoverRequest* asked) {
  AddWord(run, "--then", &asked->then, "read",
          "where the gap cannot be decoded, the tables are compared with the topics from there on, "
          "as walduct recover read does");
}

absl::StatusOr<recover::RecoveryOptions> RecoveryOf(const RecoverRequest& asked) {
  const absl::StatusOr<http::Address> from = http::ParseAddress(asked.from);
  if (!from.ok() || from->host.empty() || from->port == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--from: '", asked.from, "': give host and port of the restored server, 127.0.0.1:5433"));
  }
  std::error_code error;
  if (!std::filesystem::is_directory(asked.state, error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--state: '", asked.state,
        "' is no folder: make it, for the restored server's user to write to, and give "
        "the same one to walduct recover gate"));
  }
  recover::RecoveryOptions recovery;
  recovery.host = from->host;
  recovery.port = absl::StrCat(from->port);
  recovery.sslmode = asked.sslmode;
  recovery.then_read = !asked.then.empty();
  recovery.state_folder = asked.state;
  recovery.cut_at_ddl = asked.catalog.empty();
  return recovery;
}

int RecoverGate(const GateRequest& gate) {
  recover::AskedFor asked{gate.file, gate.path};
  for (const std::string& word : gate.command) recover::FindAskedFor(word, &asked);
  if (asked.file.empty() || asked.path.empty()) {
    std::cerr << "error: the command names no file of the WAL, or not where it goes\n"
                 "hint: write %f and \"%p\" in it, or before -- as --file %f --path \"%p\"\n";
    return engine::kExitConfiguration;
  }
  const recover::GateAnswer answer = recover::AnswerAtGate(
      {gate.state, asked, absl::Seconds(gate.wait_seconds)}, Environment::Real(),
      [&] { return recover::RunCommand(recover::CommandFor(gate.command, asked)); });
  if (!answer.said.empty()) std::cerr << "walduct recover gate: " << answer.said << std::endl;
  recover::EndAs(answer.end);
}

}  // namespace walduct::cli
