// The restore_command of a restored server, which is decoded from: hands out no more WAL than the
// recovery's slot has come to. The server runs it anew for each file that it wants.
#pragma once

#include <functional>
#include <string>

#include "absl/time/time.h"
#include "base/environment.h"
#include "recover/archive_command.h"
#include "recover/wal_name.h"

namespace walduct::recover {

struct GateRequest {
  std::string state_folder;
  AskedFor asked;
  absl::Duration wait;  // how long it may wait itself before it answers "not there yet"
};

struct GateAnswer {
  CommandEnd end;
  std::string said;  // for the server's log; empty: nothing new
};

// fetch: runs the archive's command, which puts the file at asked.path.
GateAnswer AnswerAtGate(const GateRequest& request, const Environment& environment,
                        const std::function<CommandEnd()>& fetch);

}  // namespace walduct::recover
