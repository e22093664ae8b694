// One function per command; each returns the process's exit code (engine/errors/error_policy.h).
#pragma once

#include "absl/status/status.h"
#include "base/lsn.h"
#include "cli/arguments.h"

namespace walduct::cli {

// run and tail: blocks until every connector has stopped or failed; the worst exit code. Takes
// SIGTERM and SIGINT over; a second one that does not just repeat it ends the process at once.
int RunConnectors(const Arguments& arguments);

// Whether the gap of its lost slot can be got back, and how.
int RecoverPlan(const Arguments& arguments);

// The stream of the connector of -f into a file, until a limit is reached or a signal comes.
int RecordCorpus(const Arguments& arguments);

// The connector of -f a second time, beside the live one: cli/migration/shadow.h.
int RunShadow(Arguments arguments);

// A part of the database's past into topics of its own: cli/recover/replay_command.h.
int RunReplay(Arguments arguments);

// The topics of two connectors side by side. 0: the same, 1: they differ, 2: could not be told.
int Diff(const Arguments& arguments);

// Connectors as the worker's topics have them, managed by Kafka Connect's REST interface; blocks
// until it is stopped.
int Serve(const Arguments& arguments);

// Asks a running process; with --watch until it is interrupted.
int ShowStatus(const Arguments& arguments);
// Where nobody answers, which error says: how the connectors ended that did, as far as is known;
// the exit code of the error.
int TellLastEnd(const Arguments& arguments, const absl::Status& error);
// What a connector has failed of, by the process or by what it left, with what that means.
int ExplainConnector(const Arguments& arguments);

// pause, resume, stop, restart: told to a running process; answers when it has happened.
int PullLever(const Arguments& arguments);

// What a reason means, all without one; where an LSN lies.
int Explain(const Arguments& arguments);
// By a running process, or with -f by the server and the stored position.
int ExplainLsn(Lsn lsn, const Arguments& arguments);

// How a command is used; what a shell offers next.
int ShowHelp(const Arguments& arguments);
int PrintCompletions(const Arguments& arguments);
// The shell's script that asks for these.
int PrintCompletionScript(const Arguments& arguments);

// A connector on tables of its own, which are gone again in the end.
int RunDemo(const Arguments& arguments);

// Looks at all that the connectors need, and changes nothing. 0: nothing but notices, 1: warnings,
// 2: errors, or a configuration that is refused.
int Doctor(const Arguments& arguments);

int Validate(const Arguments& arguments);
int ShowOffsets(const Arguments& arguments);
int ExportOffsets(const Arguments& arguments);
int ImportOffsets(const Arguments& arguments);
// Over REST, or in the store where -f names a connector that does not run.
int SkipChange(const Arguments& arguments);
// offsets set and reset.
int MoveOffsets(const Arguments& arguments);
// Through a channel that the connector reads; does not wait until it is carried out.
int SendSignal(const Arguments& arguments);
int PrintOutbox(const Arguments& arguments);
int CleanOutbox(const Arguments& arguments);
// Of a running process's connector, or with -f by the database. 3: a row is not as it was asked
// for.
int AskOutboxRows(const Arguments& arguments);
// Events in a table of its own, which arrive: cli/outbox/drill_command.cc.
int RunOutboxDrill(const Arguments& arguments);

}  // namespace walduct::cli
