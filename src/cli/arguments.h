// The command line: which command, with which flags. Parsed by CLI11; errors of usage are printed
// by it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/demo_request.h"
#include "cli/outbox_drill_request.h"
#include "cli/recover/recover_command.h"
#include "cli/recover/replay_command.h"
#include "operate/commands/signal_commands.h"
#include "operate/outbox/outbox_rows_request.h"

namespace CLI {
class App;
}
namespace walduct::outbox {
struct InitOptions;
}

namespace walduct::cli {

enum class OutboxPart { kAll, kConnector, kExample, kInbox };

enum class Command {
  kNone,
  kRun,
  kServe,
  kTail,
  kRecord,
  kRecoverGate,
  kRecoverRun,
  kRecoverPlan,
  kRecoverRead,
  kRecoverDrill,
  kReplay,
  kDiff,
  kShadow,
  kValidate,
  kDoctor,
  kShowOffsets,
  kExportOffsets,
  kImportOffsets,
  kSetOffsets,
  kResetOffsets,
  kVersion,
  kStatus,
  kPause,
  kResume,
  kStop,
  kRestart,
  kSkip,
  kExplain,
  kSignal,
  kOutboxInit,
  kOutboxClean,
  kOutboxRows,
  kOutboxDrill,
  kHelp,
  kComplete,
  kCompletion,
  kDemo
};

struct Arguments {
  struct Signal {
    std::string type;
    std::vector<std::string> tables;   // or regular expressions
    std::vector<std::string> filters;  // TABLE=SQL
    std::string surrogate_key, message;
    std::string id;  // empty: a new one
    bool blocking = false;
    operate::SignalVia via = operate::SignalVia::kAny;
  };

  struct Record {
    std::string file;
    uint64_t changes = 0;  // zero: no such limit
    uint64_t seconds = 0;
    uint64_t bytes = 1 << 30;
    bool force = false;
  };

  Command command = Command::kNone;
  std::vector<std::string> connector_files;
  std::string worker_file;
  std::vector<std::string> overrides;  // key=value
  std::string until_lsn;
  bool until_caught_up = false;
  std::string listen;         // HOST:PORT
  bool listen_typed = false;  // listen was typed; else it is the environment's
  std::string url;            // of a running process: http://HOST:PORT
  // Of a running process that listens with TLS; files in PEM.
  struct Tls {
    std::string ca, certificate, key;
  } server_tls;
  std::string connector;  // of status, pause, …: its name; of status, empty: all
  bool watch = false, json = false, alive = false,
       ready = false;  // of status; json of doctor, tail
  std::string reason;  // of explain, or an LSN; empty: all
  std::string log_level = "info";
  std::string log_format = "text";
  std::string offsets_file;                     // of export and import; "-" is a standard stream
  std::string lsn;                              // of offsets set, and of skip: of a change
  std::string skip_table, skip_key;             // of skip: of a row of a snapshot
  bool yes = false;                             // of skip: do not ask
  bool accept_loss = false;                     // of offsets import, set and reset, recover read
  bool accept_foreign = false;                  // of offsets import and reset
  bool drop_slot = false;                       // of offsets reset
  int slot_number = 0;                          // of offsets set; 0: not said
  bool print_reference = false;                 // of validate: docs/configuration.md
  bool print_transforms = false;                // of validate: docs/transforms.md
  bool ask_database = false;                    // of validate: look at the tables too
  std::shared_ptr<outbox::InitOptions> outbox;  // of outbox init
  std::string outbox_url;                       // in place of its host, port and database
  OutboxPart outbox_part = OutboxPart::kAll;
  OutboxDrillRequest outbox_drill;         // of outbox drill
  operate::OutboxRowsRequest outbox_rows;  // of outbox list, show, retry, park, skip
  bool dry_run = false;                    // of outbox clean, recover read
  double wait_seconds = 60;                // of outbox clean: for the connector to catch up
  std::vector<std::string> tables;         // of tail, recover read: regular expressions; empty: all
  std::string operations;                  // of tail: "c,d"; empty: the configuration's
  bool fix = false;                        // of doctor
  bool full = false, snapshot = false;     // of tail
  bool pretty = false;                     // of tail: for eyes, without a terminal too
  DemoRequest demo;                        // of demo
  std::string shell;                       // of completion
  std::string topic_prefix;          // of shadow: before the names of topics; empty: to a file
  std::string directory;             // of shadow: its position, its file; of recover read
  std::string shadow_listen;         // of shadow; `listen` is the live one's, by the environment
  Signal signal;                     // of signal
  Record record;                     // of record
  GateRequest gate;                  // of recover gate
  RecoverRequest recover;            // of recover run, replay
  ReplayRequest replay;              // of replay
  DrillRequest drill;                // of recover drill
  std::string archive;               // of recover plan: a folder; empty: not looked into
  std::string archive_command;       // the same, by a command
  std::string left, right;           // of diff: what the topics' names begin with
  std::vector<std::string> ignored;  // of diff: fields
  size_t examples = 5;               // of diff, recover read: of each kind and topic
  bool allows_idle = false;          // of diff: topics that only the past wrote to may lack
  std::vector<std::string> help_of;  // of help: the command and its subcommand
  std::vector<std::string> words;    // of complete: what has been typed
  int usage_exit_code = 0;           // kNone: what to exit with
  std::string wrong;                 // what cannot be told while it is read; empty: nothing
};

// All commands with their options; what is parsed goes to arguments, which must outlive app.
void DescribeCommands(CLI::App* app, Arguments* arguments);

// Null: a command has no such subcommand.
const CLI::App* FindCommand(const CLI::App& app, absl::string_view name);

// kNone when there is nothing to do: help was asked for, or the usage was wrong.
Arguments ParseArguments(int argc, char** argv);

}  // namespace walduct::cli
