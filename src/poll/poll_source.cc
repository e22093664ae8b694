#include "poll/poll_source.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "engine/control/status_board.h"
#include "engine/errors/warn_once.h"
#include "names/called.h"
#include "outbox/options.h"
#include "poll/layouts/table_warnings.h"
#include "poll/rows/dead_rows.h"
#include "poll/session/open_tables.h"
#include "poll/session/poll_session.h"
#include "poll/session/poll_world.h"

namespace walduct::poll {
namespace {

constexpr absl::string_view kSource = "walduct.outbox.source";
constexpr int64_t kMostWorkers = 32;
constexpr absl::string_view kCannot = "cannot be used with walduct.outbox.source=poll";

bool IsChosen(const config::PropertySet& properties) { return properties.Text(kSource) == "poll"; }
bool HasPosition(const config::PropertySet& properties) {
  return properties.Text("walduct.outbox.done") == "position";
}

bool HasRouter(const config::PropertySet& properties) {
  if (properties.IsSet("walduct.outbox.tables") && properties.Boolean("walduct.outbox.route"))
    return true;
  for (const config::Property& property : properties.all()) {
    if (absl::StartsWith(property.name, "transforms.") && absl::EndsWith(property.name, ".type") &&
        absl::EndsWith(property.value, ".EventRouter"))
      return true;
  }
  return false;
}

void Refuse(const config::PropertySet& properties, absl::string_view name, absl::string_view why,
            absl::string_view fix, config::Findings* findings) {
  findings->Error(*properties.Find(name), absl::StrCat(kCannot, ": ", why), fix);
}

// A row that waits for no other has nothing to wait for.
void CheckOrder(const config::PropertySet& properties, config::Findings* findings) {
  constexpr absl::string_view kOrder = "walduct.outbox.order";
  if (properties.Text(kOrder) != "none") return;
  if (HasPosition(properties))
    findings->Error(*properties.Find(kOrder),
                    "cannot be used with walduct.outbox.done=position: a window is read by id, and "
                    "the position says up to which",
                    "remove it; the order costs nothing there");
  if (properties.IsSet("walduct.outbox.parked") &&
      properties.Text("walduct.outbox.parked") == "hold")
    findings->Error(*properties.Find("walduct.outbox.parked"),
                    "cannot be used with walduct.outbox.order=none: a parked row holds nobody back",
                    "remove it, or set walduct.outbox.order=key");
}

void Check(const config::PropertySet& properties, config::Findings* findings) {
  if (!IsChosen(properties)) {
    for (const absl::string_view name :
         {"walduct.outbox.done", "walduct.outbox.order", "walduct.outbox.workers",
          "walduct.outbox.archive.suffix", "walduct.outbox.where", "walduct.outbox.lease.ms",
          "walduct.outbox.poll.interval.ms", "walduct.outbox.poll.batch.size",
          "walduct.outbox.max.attempts", "walduct.outbox.attempts.backoff.ms",
          "walduct.outbox.parked", "walduct.outbox.publish.locally"})
      if (properties.IsSet(name))
        findings->Warn(name, "has no effect without walduct.outbox.source=poll");
    return;
  }
  if (properties.Text("exactly.once.support") == "required" && !HasPosition(properties))
    Refuse(properties, "exactly.once.support",
           "rows are marked after Kafka has acknowledged them, not in its transaction",
           "remove it, or set walduct.outbox.done=position, whose position is in the transaction",
           findings);
  const int64_t workers = properties.Integer("walduct.outbox.workers");
  if (workers > kMostWorkers)
    findings->Error(*properties.Find("walduct.outbox.workers"),
                    absl::StrCat("is more than ", kMostWorkers), "each is a session of the server");
  if (workers > 1 && HasPosition(properties))
    findings->Error(*properties.Find("walduct.outbox.workers"),
                    "cannot be used with walduct.outbox.done=position: one session reads a window",
                    "remove it, or set walduct.outbox.done=mark");
  CheckOrder(properties, findings);
  if (properties.IsSet("walduct.slots") && properties.Integer("walduct.slots") > 1)
    Refuse(properties, "walduct.slots", "there is no slot", "remove it", findings);
  if (properties.Text("walduct.outbox.cleanup") == "delete")
    Refuse(properties, "walduct.outbox.cleanup",
           "it knows which rows are published by the position of a slot",
           "remove it, and set walduct.outbox.done=delete; or set it to drop_partitions", findings);
  if (!HasRouter(properties))
    findings->Error("walduct.outbox.tables",
                    "A value is required with walduct.outbox.source=poll: without a transform "
                    "EventRouter nothing makes events of the rows",
                    "list the outbox tables as schema.table");
}

class PollAttempts final : public engine::Attempts {
 public:
  PollAttempts(const engine::AttemptParts& parts, PollWorld* world)
      : parts_(parts), world_(*world) {}

  engine::AttemptEnd Run(bool /*ran_before*/) override {
    PollSession session({.attempt = parts_,
                         .world = &world_,
                         .warn_once = &warn_once_,
                         .refusals = &refusals_,
                         .failed_rows = &failed_rows_});
    absl::Status status = session.Run();
    if (absl::IsCancelled(status) && parts_.control->interrupted()) status = absl::OkStatus();
    done_ += session.done();
    noted_ = session.noted();
    return {.status = status,
            .goal_reached = session.goal_reached(),
            .began = session.began(),
            .progressed = session.progressed(),
            .position = absl::StrCat(done_, " rows published")};
  }
  // A row that is waited for now has ended the session, not the connector.
  engine::Action ActionAfter(const absl::Status& status, engine::Phase phase) const override {
    return noted_ ? engine::Action::kRetryNow : engine::ActionFor(status, phase);
  }
  void ShowError(const absl::Status& error) override { parts_.board->ShowError(error); }

 private:
  const engine::AttemptParts parts_;
  PollWorld& world_;
  engine::WarnOnce warn_once_;
  sink::Refusals refusals_;
  FailedRows failed_rows_;
  uint64_t done_ = 0;
  bool noted_ = false;
};

std::unique_ptr<engine::Attempts> MakeAttempts(const engine::AttemptParts& parts) {
  return AttemptsIn(&PollWorld::Real(), parts);
}

absl::Status AddParked(const engine::ConnectorOptions& config, const OpenedTables& opened,
                       std::vector<absl::Status>* warnings) {
  const std::string list = names::Command(engine::RuntimeOf(config).called, "outbox list");
  if (!opened.connection->shared())
    RETURN_IF_ERROR(opened.connection->Run("SET statement_timeout = '3s'"));
  for (const OutboxTable& table : opened.tables) {
    if (table.layout.parked.empty() || engine::OutboxOf(config).positions) continue;
    const auto counts = opened.connection->Query(postgres::OneRow(3),
                                                 table.BacklogSql(engine::OutboxOf(config).where));
    if (!counts.ok() && !opened.connection->CheckAlive().ok()) return counts.status();
    if (!counts.ok()) continue;  // it takes too long for want of an index, as a start says it
    const absl::Status parked = ParkedWarning(
        absl::StrCat(table.schema->schema, ".", table.schema->table), NumberAt(*counts, 1), list);
    if (!parked.ok()) warnings->push_back(parked);
  }
  return absl::OkStatus();
}

void AddDeadRows(const OpenedTables& opened, std::vector<absl::Status>* warnings) {
  const auto answer =
      opened.connection->Query(postgres::OneRow(kDeadRowsColumns), DeadRowsSql(opened.tables));
  if (!answer.ok()) return;  // a server that hides its statistics is polled all the same
  const absl::Status dead = DeadRowsWarning(ReadDeadRows(*answer));
  if (!dead.ok()) warnings->push_back(dead);
}

absl::StatusOr<std::vector<absl::Status>> Examine(const engine::ConnectorOptions& config,
                                                  const Environment& environment) {
  ASSIGN_OR_RETURN(const OpenedTables opened, OpenTables(config, environment, nullptr));
  std::vector<absl::Status> warnings;
  for (const OutboxTable& table : opened.tables)
    warnings.insert(warnings.end(), table.warnings.begin(), table.warnings.end());
  RETURN_IF_ERROR(AddParked(config, opened, &warnings));
  AddDeadRows(opened, &warnings);
  return warnings;
}

}  // namespace

std::unique_ptr<engine::Attempts> AttemptsIn(PollWorld* world, const engine::AttemptParts& parts) {
  return std::make_unique<PollAttempts>(parts, world);
}

const engine::SourceType kPollPositionSource = {
    .name = "poll",
    .chosen =
        [](const config::PropertySet& properties) {
          return IsChosen(properties) && HasPosition(properties);
        },
    .attempts = MakeAttempts,
    .examine = Examine,
};

const engine::SourceType kPollSource = {
    .name = "poll",
    .chosen = IsChosen,
    .check = Check,
    .attempts = MakeAttempts,
    .examine = Examine,
    .instead_of_position = "the outbox tables",
    .lanes = engine::OutboxWorkersOf,
};

}  // namespace walduct::poll
