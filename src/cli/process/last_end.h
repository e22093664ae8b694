// LastEnd: how a `walduct serve` or the connectors of a process ended, kept where it can be asked
// for when nobody answers any more. A note is begun with the process, so that one that was killed
// is told of, too; of a `walduct serve`, whose connectors come and go, it is kept up while it runs.
//
// Each connector of `walduct run` has a note beside its offset file (offsets.dat.NAME.end); where
// positions are not in a file, or it cannot be written there, and by the address that the process
// listened on, there is one in a folder of the user's (note_files.h). Notes hold messages, no
// secrets and no rows; they are for their owner (mode 0600) and root. That one cannot be written is
// said in the log at the beginning.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "http/address.h"

namespace walduct::engine {
struct ConnectorStatus;
}  // namespace walduct::engine

namespace walduct::cli {

struct LastEnd {
  std::string connector;
  std::string state;   // as in /status; RUNNING: the process ended without a word
  int exit_code = -1;  // -1: it has none
  absl::Time at;       // of the end, or of the beginning where it did not end
  int pid = 0;
  bool worker = false;       // connector is the group of a `walduct serve`
  std::string listens = {};  // of one that runs: HOST:PORT; empty: nowhere
  // Of the last error; empty: none.
  std::string message = {}, reason = {}, hint = {};
  std::string doctor = {};  // the command that looks before a start; empty: not known
  std::string start = {};   // of a worker: the command that starts it; empty: not known
};

// A connector, and where its positions are, where that is a file.
struct NotedConnector {
  std::string name, offset_file;
  std::string doctor = {};  // as of LastEnd
};

// What becomes of the notes of one process.
class EndNotes {
 public:
  // listens: where the process does. connectors: those with a note of their own.
  EndNotes(std::vector<NotedConnector> connectors, std::vector<http::Address> listens)
      : connectors_(std::move(connectors)), listens_(std::move(listens)) {}

  void Begin(absl::Time now) const;
  void End(const std::vector<engine::ConnectorStatus>& statuses, absl::Time now) const;

 private:
  absl::Status Write(std::vector<LastEnd> ends) const;

  const std::vector<NotedConnector> connectors_;
  const std::vector<http::Address> listens_;
};

// What becomes of the note of a worker and its connectors: by its addresses alone.
class WorkerNotes {
 public:
  // start: as of LastEnd.
  WorkerNotes(std::string group, std::vector<http::Address> listens, std::string start)
      : group_(std::move(group)), listens_(std::move(listens)), start_(std::move(start)) {}

  void Begin(absl::Time now);
  // Of the connectors that run; written where something has changed.
  void Show(const std::vector<engine::ConnectorStatus>& statuses);
  // They have ended, and the worker is about to.
  void EndConnectors(const std::vector<engine::ConnectorStatus>& statuses, absl::Time now);
  // error: OK: as asked.
  void End(const absl::Status& error, int exit_code, absl::Time now);

 private:
  absl::Status Write() const;

  const std::string group_;
  const std::vector<http::Address> listens_;
  const std::string start_;
  LastEnd worker_;
  std::vector<LastEnd> connectors_;
  std::string kept_;  // the connectors, as they were written last
};

// Of a process that did not start, and would have listened there: `how` without its connector. What
// a process that lives has noted stays.
void NoteRefused(const std::vector<NotedConnector>& connectors, const http::Address& listen,
                 const LastEnd& how);

// Of a process that listened there, on this machine, whosever; empty: nothing is known. denied: of
// whom there may be notes that this user cannot read.
std::vector<LastEnd> EndsAt(const http::Address& address, std::vector<std::string>* denied);
// Of connectors of these configurations.
std::vector<LastEnd> EndsOf(const std::vector<NotedConnector>& connectors,
                            std::vector<std::string>* denied);

// That notes cannot be written, as it is now; absent: they can.
std::optional<std::string> NotesTrouble();
inline constexpr char kNotNotedHint[] =
    "walduct status will not know how it ended once it is gone: set WALDUCT_STATE_DIRECTORY to a "
    "folder that its user alone can write to, for the process and for walduct status";

// Of the connector of that name, or of one of its slots ("shop/2").
bool IsOfConnector(const LastEnd& end, absl::string_view connector);
// It has not ended: its process is there.
bool Lives(const LastEnd& end);
// Of one whose process is gone, and has noted no end.
bool EndedWithoutAWord(const LastEnd& end);
inline constexpr char kNoWordHint[] =
    "the last lines of its log may tell: journalctl -u 'walduct*' of a unit, else where its "
    "standard error went";
// By a signal: kill -CONT lets it go on.
bool IsSuspended(const LastEnd& end);

// "shop  FAILED 3m12s ago (2026-03-01T10:00:12Z), exit code 3", the error, what to do.
std::string EndText(const LastEnd& end, absl::Time now);
std::string EndsJson(const std::vector<LastEnd>& ends);

}  // namespace walduct::cli
