// Called: how a command that people type calls a connector, for hints that are copied into a shell:
// by its name, of a running walduct serve, or by its files.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::names {

struct Called {
  std::string who;         // "shop", "-f shop.json -w worker.properties"; empty: not known
  std::string where = {};  // "http://127.0.0.1:8083"; empty: the files say all
  std::string unit = {};   // NAME of the systemd unit walduct@NAME that runs it; empty: none
  std::string name = {};   // of the connector, as it is; empty: not known
  // Where the process that runs it by its files can be asked, "http://…"; empty: nowhere.
  std::string listens = {};
  // Of `walduct run`, what was typed beside the files and their properties: "--listen HOST:PORT".
  std::string flags = {};
  // Who signals reach it.
  enum class Signals {
    kAsCalled,  // by who and where
    kByName,    // by its name, where the process listens
    kNever,     // it reads several slots
  };
  Signals signals = Signals::kAsCalled;
  std::string worker_file = {};  // of the worker that runs it; empty: not known
  bool rests = false;            // paused or stopped, by a worker: it is resumed, not restarted
  // What it has written can be compared with the tables: `walduct recover read`.
  bool reads_back = true;
};

// "walduct offsets reset shop --accept-loss --url http://127.0.0.1:8083". verb: "offsets reset";
// flags: "--accept-loss", or none. Of a unit, in its folder and with its environment.
std::string Command(const Called& called, absl::string_view verb, absl::string_view flags = "");

// The same of what is asked of a running process alone, such as "status".
std::string AskCommand(const Called& called, absl::string_view verb, absl::string_view flags = "");

// Begins what runs again: of a worker the connector, else the process.
std::string RestartCommand(const Called& called);
// Behind "change this and that": what makes a change of the configuration count.
std::string WithConfiguration(const Called& called);

// Of one that is called by its files: starts it with what stands behind -o, as words of a shell.
std::string RunCommand(const Called& called, absl::string_view settings);

// Gives the connector a property, and begins it again: what a worker is sent, an option of a start.
// setting: "walduct.mask.lost=warn".
std::string SetCommand(const Called& called, absl::string_view setting);
std::string SetCommand(const Called& called, const std::vector<std::string>& settings);
// Puts an entry behind those that a list has already. Empty: no command does.
std::string ExtendCommand(const Called& called, absl::string_view property,
                          absl::string_view entry);

// Puts an entry in the place of another one of a list. Empty: no command does.
std::string ReplaceCommand(const Called& called, absl::string_view property,
                           absl::string_view entry, absl::string_view by);

// What reads tables beside the stream, and where nothing listens what to set first. tables: as
// `--table` takes them (postgres::TableArgument). filter: of --filter, as it stands; empty: none.
std::string SnapshotCommand(const Called& called, const std::vector<std::string>& tables,
                            absl::string_view filter = "");
// The same, while the stream waits: of tables without a key, which no chunk can be read of.
std::string BlockingSnapshotCommand(const Called& called, const std::vector<std::string>& tables);

// Of a connector that a worker runs: what makes a file of its configuration, and the flags of a
// command that is typed with it. The file holds secrets where the configuration does: its owner
// alone can read it, and its name is that of no file of the operator's own.
struct ServedFiles {
  std::string make;  // "(umask 077; curl -s … > shop.of-worker.json)"
  std::string who;   // "-f shop.of-worker.json -w worker.properties"
};
ServedFiles FilesOfServed(const Called& called);

// Behind such a command, where rows may have been deleted meanwhile: what tells of those.
std::string DeletesNote(const Called& called);

}  // namespace walduct::names
