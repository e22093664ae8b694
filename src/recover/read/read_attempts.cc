#include "recover/read/read_attempts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/amount_text.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/control/control.h"
#include "metrics/connector_metrics.h"
#include "recover/read/topic_comparison.h"
#include "slot/phases/snapshot_phase.h"

namespace walduct::recover {
namespace {

constexpr size_t kMostNamed = 5;

}  // namespace

ReadAttempts::ReadAttempts(ReadWorld& world, const engine::AttemptParts& parts,
                           const ReadOptions& options)
    : world_(world),
      parts_(parts),
      options_(options),
      primary_({.world = &world,
                .attempt = &parts_,
                .connector = options.connector.get(),
                .holding = options.holding.get(),
                .slot = options.slot,
                .stopping = [this] { return Stopping(); }}),
      inner_(world, parts, this) {}

engine::AttemptEnd ReadAttempts::Run(bool ran_before) {
  parts_.board->Show(engine::ConnectorState::kRunning, engine::Activity::kConnecting);
  ReadState& state = world_.state();
  state = {};
  *options_.report = {};
  const absl::StatusOr<Gap> gap = primary_.Look();
  primary_.Release();
  if (!gap.ok()) return {.status = gap.status()};
  if (gap->any()) {
    state.from = gap->to;
    options_.report->missed_from = gap->from;
    log::Warn(
        "the slot does not reach back to the stored position: what the gap has left is read from "
        "the tables, states in between are not",
        {{"from", gap->from.ToString()},
         {"to", gap->to.ToString()},
         {"wal", BytesText(gap->to.value() - gap->from.value())}});
  }
  engine::AttemptEnd end = inner_.Run(ran_before);
  state.judge = nullptr;
  view_.reset();
  if (end.status.ok() && end.goal_reached)
    log::Info(
        "the topics have what the tables have: start the connector again (walduct run; one of "
        "walduct serve: walduct resume), it goes on",
        {{"position", end.position}, {"view", options_.report->at.ToString()}});
  return end;
}

bool ReadAttempts::Stopping() {
  parts_.board->Beat();
  parts_.control->Take();
  return parts_.control->interrupted();
}

// What an instance before this one has published was committed before the view: the slot is ours.
absl::StatusOr<Lsn> ReadAttempts::Point() {
  view_.reset();
  ASSIGN_OR_RETURN(view_, OpenView({.world = &world_,
                                    .parts = &options_.parts,
                                    .tables = options_.tables,
                                    .exact = true,
                                    .metrics = parts_.metrics,
                                    .stopping = [this] { return Stopping(); }},
                                   options_.report));
  RETURN_IF_ERROR(CheckWhole());
  log::Info("streaming up to the view of the tables", {{"view", view_->at.ToString()}});
  return view_->at;
}

// With the end of the read the gap counts as closed, for all tables.
absl::Status ReadAttempts::CheckWhole() const {
  if (!world_.state().from.valid() || view_->unread.empty() || options_.accept_loss)
    return absl::OkStatus();
  std::vector<std::string> named = view_->unread;
  named.resize(std::min(named.size(), kMostNamed));
  if (view_->unread.size() > kMostNamed) named.emplace_back("…");
  return Error(absl::StatusCode::kFailedPrecondition, "recover_read_partial",
               absl::StrCat("what the gap had of ", absl::StrJoin(named, ", "),
                            " would be lost: they are not compared"),
               "without --tables all are compared that can be; see with --dry-run why one is not. "
               "--accept-loss goes on without what the gap had of them");
}

absl::Status ReadAttempts::Read(delivery::Pipeline* pipeline, slot::Housekeeping* housekeeping,
                                bool* done) {
  TopicComparison comparison(
      {.open =
           [this](const std::string& topic) {
             return world_.OpenTopic(*options_.parts.config, topic);
           },
       .environment = world_.environment(),
       .view = &*view_,
       .publish = [pipeline](const event::ChangeEvent& row) { return pipeline->PublishRead(row); },
       .folder = options_.folder,
       .placeholder = options_.parts.placeholder,
       .writes = true,
       .examples = options_.examples,
       .report = options_.report});
  world_.state().judge = &comparison;
  slot::SnapshotPhase phase({.reader = &comparison,
                             .housekeeping = housekeeping,
                             .pipeline = pipeline,
                             .clock = world_.environment().clock});
  const absl::Status ran = phase.Run();
  world_.state().judge = nullptr;
  RETURN_IF_ERROR(ran);
  *done = phase.done();
  return *done ? view_->rows->End() : absl::OkStatus();
}

}  // namespace walduct::recover
