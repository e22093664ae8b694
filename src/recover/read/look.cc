#include "recover/read/look.h"

#include "base/amount_text.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "delivery/pipeline/record_path.h"
#include "engine/errors/warn_once.h"
#include "metrics/connector_metrics.h"
#include "offset/offset_store.h"
#include "recover/read/topic_comparison.h"
#include "recover/read/view.h"
#include "replication/slot.h"

namespace walduct::recover {
namespace {

constexpr int kRowsOfAStep = 512;
constexpr absl::Duration kWait = absl::Milliseconds(100);
// For a connector that runs to come to the view.
constexpr absl::Duration kPatience = absl::Minutes(1);

absl::Status Stopped() { return absl::CancelledError("stopped"); }

// Nothing is written, so that there is always room.
class NoWaiter final : public delivery::RoomWaiter {
  absl::Status WaitForRoom() override { return absl::OkStatus(); }
  absl::Status WaitForSchemaId() override {
    return Error(absl::StatusCode::kUnimplemented, "format_not_compared",
                 "records with schemas of a registry are not compared",
                 "only JSON and text are compared; of other formats read the tables anew (walduct "
                 "signal execute-snapshot)");
  }
};

class Acks final : public sink::AckHandler {
 public:
  explicit Acks(delivery::AckTracker* tracker) : tracker_(*tracker) {}
  void OnAcknowledged(sink::Ticket ticket, uint32_t count) override {
    tracker_.OnAcknowledged(ticket, count);
  }

 private:
  delivery::AckTracker& tracker_;
};

class Look {
 public:
  Look(const ReadOptions& options, const Environment& environment,
       const postgres::StopCheck& stopping)
      : config_(*options.parts.config),
        options_(options),
        world_(environment, options),
        stopping_(stopping) {}

  absl::Status Run() {
    *options_.report = {};
    ASSIGN_OR_RETURN(ReadView view, OpenView({.world = &world_,
                                              .parts = &options_.parts,
                                              .tables = options_.tables,
                                              .metrics = &metrics_,
                                              .stopping = stopping_},
                                             options_.report));
    RETURN_IF_ERROR(AwaitConnector(view.at));
    JudgedSink sink(nullptr, &world_.state().judge);
    NoWaiter waiter;
    ASSIGN_OR_RETURN(const auto path,
                     delivery::RecordPath::Create({.config = &config_,
                                                   .run_id = "",
                                                   .clock = world_.environment().clock,
                                                   .sink = &sink,
                                                   .tracker = &tracker_,
                                                   .waiter = &waiter,
                                                   .metrics = &metrics_,
                                                   .warn_once = &warn_once_}));
    delivery::Pipeline& pipeline = path->pipeline();
    TopicComparison comparison(
        {.open = [this](const std::string& topic) { return world_.OpenTopic(config_, topic); },
         .environment = world_.environment(),
         .view = &view,
         .publish =
             [&pipeline](const event::ChangeEvent& row) { return pipeline.PublishRead(row); },
         .folder = options_.folder,
         .placeholder = options_.parts.placeholder,
         .examples = options_.examples,
         .moving = true,
         .report = options_.report});
    world_.state().judge = &comparison;
    Acks acks(&tracker_);
    while (!stopping_()) {
      ASSIGN_OR_RETURN(const auto step, comparison.Step(pipeline, kRowsOfAStep));
      RETURN_IF_ERROR(sink.Poll(acks));
      if (step == snapshot::RowSource::Progress::kDone) return view.rows->End();
      if (step == snapshot::RowSource::Progress::kWouldBlock)
        world_.environment().poller->WaitReadable({comparison.ready_fd()}, kWait);
    }
    return Stopped();
  }

 private:
  // What is behind the view and not published counts as a difference: a connector that runs is
  // waited for, for one that rests it is said.
  absl::Status AwaitConnector(Lsn at) {
    Clock& clock = *world_.environment().clock;
    const absl::Duration until = clock.Monotonic() + kPatience;
    ASSIGN_OR_RETURN(const auto sql,
                     world_.OpenSession(config_, postgres::SessionKind::kSql, " read", stopping_));
    while (!stopping_()) {
      ASSIGN_OR_RETURN(const auto store, world_.OpenOffsetStore(config_));
      ASSIGN_OR_RETURN(const std::optional<offset::StoredOffset> stored, store->Load());
      const Lsn position = stored ? stored->position.commit_end : Lsn();
      if (position >= at) return absl::OkStatus();
      ASSIGN_OR_RETURN(const auto slot, replication::InspectSlot(*sql, options_.slot));
      if (slot && slot->confirmed_flush_lsn >= at) return absl::OkStatus();
      if (!slot || !slot->active || clock.Monotonic() > until) {
        log::Warn(slot && slot->active
                      ? "the connector has not come to where the tables are read: what it has not "
                        "published yet counts as a difference"
                      : "the connector does not run: what was committed behind its position counts "
                        "as a difference",
                  {{"position", position.ToString()},
                   {"view", at.ToString()},
                   {"wal", BytesText(at.value() - position.value())}});
        return absl::OkStatus();
      }
      world_.environment().poller->WaitReadable({}, kWait);
    }
    return Stopped();
  }

  const engine::ConnectorOptions& config_;
  const ReadOptions& options_;
  ReadWorld world_;
  const postgres::StopCheck& stopping_;
  metrics::ConnectorMetrics metrics_;
  engine::WarnOnce warn_once_;
  delivery::AckTracker tracker_;
};

}  // namespace

absl::Status LookAtTopics(const ReadOptions& options, const Environment& environment,
                          const postgres::StopCheck& stopping) {
  return Look(options, environment, stopping).Run();
}

}  // namespace walduct::recover
