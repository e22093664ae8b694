// Whether the process lives and whether it does its work, for probes. Pure.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "admin/process_view.h"
#include "http/message.h"

namespace walduct::admin {

// 200 while every loop has turned within limit, or rests since its connector does; 503 names those
// that have not. A broker or a database that is away makes no loop stand still.
http::Response Liveness(const ProcessView& process, absl::Duration limit);

// 200 while every connector streams or takes a snapshot and is not stalled, and their worker waits
// for nothing; 503 says what the others do, and what the worker waits for. A warning of it is
// none of that: what it warns of may be as it should.
http::Response Readiness(const ProcessView& process);

// The same in the form of Debezium Server's /q/health (MicroProfile Health): UP, or DOWN and why.
http::Response AsQuarkus(const http::Response& answer);

// Why it is not ready: "stalled: waiting for …", "RUNNING, retrying"; empty: it does its work.
std::string NotReady(const engine::ConnectorStatus& status);

// What `walduct status` exits by. More than readiness, which is for what a restart could mend.
enum class Health {
  kFine,  // or paused or stopped, as asked
  // It is stalled, does not get to its servers, misses changes, or nobody can look whether it does;
  // rows of a polled outbox are parked; or it rests as asked, and another reader has gone on.
  kTroubled,
  kFailed,  // or its slot is lost, or moved on while it does not read it
};
absl::string_view HealthText(Health health);  // "fine"
// Of one that rests, or retries while somebody else moves its slot: why it could not go on from its
// stored position; absent: it could, as far as is known, or its last error says it already.
std::optional<metrics::PositionProblem> ShownPosition(const ShownConnector& one);
// Of one that rests as asked: who reads its slot in its place and has gone on from there.
std::optional<metrics::PositionProblem> ShownGoneOn(const ShownConnector& one);
// A start has judged the position already, and says what is to be done in the place of a snapshot.
bool IsToldOfMissingSlot(const engine::ConnectorStatus& status);
// The server is known to be another one: what it says of a slot of that name is of no slot of ours.
bool IsOfAnotherServer(const engine::ConnectorStatus& status);
Health HealthOf(const ShownConnector& one, absl::Duration monotonic);

bool IsAlive(const ShownConnector& one, absl::Duration monotonic, absl::Duration limit);

}  // namespace walduct::admin
