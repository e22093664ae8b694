#include "slot/phases/blocking_phase.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/errors/error_policy.h"
#include "incremental/chunks/transaction_view.h"
#include "slot/phases/snapshot_phase.h"

namespace walduct::slot {
namespace {

constexpr absl::Duration kLookAgain = absl::Milliseconds(100);
constexpr absl::Duration kWarnEvery = absl::Seconds(10);

// Rows as the stream stands: they move no position.
class RowsBeside final : public snapshot::RowSource, event::ChangeHandler, snapshot::TableListener {
 public:
  RowsBeside(TableSnapshot* tables, const BlockingPhase::Parts& parts)
      : tables_(tables), parts_(parts) {
    tables_->SetListener(this);
  }

  absl::StatusOr<Progress> Step(event::ChangeHandler&, int max_rows) override {
    absl::StatusOr<Progress> step = tables_->Step(*this, max_rows);
    if (!step.ok() && ours_.ok()) of_database_ = step.status();
    return step;
  }
  int ready_fd() const override { return tables_->ready_fd(); }

  // What is wrong with the table that was being read; OK: nothing is.
  const absl::Status& of_database() const { return of_database_; }
  const std::string& table() const { return table_; }

 private:
  absl::Status OnBegin(const event::TransactionInfo&) override { return absl::OkStatus(); }
  absl::Status OnRepeated(const event::ChangeEvent&) override { return absl::OkStatus(); }
  absl::Status OnCommit(const event::TransactionInfo&, const event::Position&) override {
    return absl::OkStatus();
  }
  absl::Status OnChange(const event::ChangeEvent& change) override {
    event::ChangeEvent row = change;
    parts_.snapshots->StampRow(&row);
    return ours_ = parts_.pipeline->PublishRead(row);
  }
  absl::Status OnTableBegin(const std::vector<std::string>& names, size_t index) override {
    table_ = names[index];
    return ours_ = parts_.notifier->OnTableBegin(names, index);
  }
  absl::Status OnTableEnd(const std::vector<std::string>& names, size_t index,
                          uint64_t rows) override {
    return ours_ = parts_.notifier->OnTableEnd(names, index, rows);
  }

  TableSnapshot* const tables_;
  const BlockingPhase::Parts& parts_;
  absl::Status ours_;
  absl::Status of_database_;
  std::string table_;
};

}  // namespace

absl::Status BlockingPhase::Run() {
  parts_.notifier->SetBlocking(true);
  absl::Status ran;
  while (ran.ok() && parts_.snapshots->blocks() && !parts_.housekeeping->interrupted()) {
    const absl::StatusOr<incremental::BlockingSnapshot> next = parts_.snapshots->NextBlocking();
    ran = next.ok() ? RunOne(*next) : next.status();
  }
  parts_.notifier->SetBlocking(false);
  return ran;
}

absl::Status BlockingPhase::RunOne(const incremental::BlockingSnapshot& asked) {
  log::Info("blocking snapshot: the stream stands still", {{"signal", asked.id}});
  RETURN_IF_ERROR(parts_.notifier->Initial("STARTED"));
  absl::StatusOr<Source::Blocking> opened = Open(asked);
  if (!opened.ok() && parts_.housekeeping->interrupted()) return absl::OkStatus();
  if (!opened.ok() && engine::MayPass(opened.status())) return opened.status();
  if (!opened.ok()) return Refuse("", opened.status());
  if (!opened->refused.ok()) {
    RETURN_IF_ERROR(parts_.notifier->OnTableBegin({opened->refused_table}, 0));
    return Refuse(opened->refused_table, opened->refused);
  }
  return Read(opened->tables.get());
}

// A commit is streamed a moment before other sessions see it: not a row may be older than that.
absl::StatusOr<Source::Blocking> BlockingPhase::Open(const incremental::BlockingSnapshot& asked) {
  absl::Duration warn_at = parts_.clock->Monotonic() + kWarnEvery;
  while (true) {
    ASSIGN_OR_RETURN(Source::Blocking opened, parts_.source->OpenBlocking(asked));
    if (!opened.refused.ok() || !parts_.snapshots->IsHiddenFrom(opened.view)) return opened;
    opened.tables.reset();
    if (parts_.clock->Monotonic() >= warn_at) {
      log::Warn("blocking snapshot waits: a transaction that was streamed is not visible yet",
                {{"signal", asked.id},
                 {"reason", "commit_held_up"},
                 {"hint", incremental::HintOfHeld(opened.view)}});
      warn_at += kWarnEvery;
    }
    RETURN_IF_ERROR(parts_.housekeeping->Turn());
    parts_.housekeeping->Wait(-1, kLookAgain);
    if (parts_.housekeeping->interrupted()) return absl::CancelledError("interrupted");
  }
}

absl::Status BlockingPhase::Read(TableSnapshot* tables) {
  RowsBeside rows(tables, parts_);
  SnapshotPhase phase({.reader = &rows,
                       .housekeeping = parts_.housekeeping,
                       .pipeline = parts_.pipeline,
                       .clock = parts_.clock});
  const absl::Status ran = phase.Run();
  const absl::Status& broken = rows.of_database();
  if (!broken.ok() && !engine::MayPass(broken) && !absl::IsDataLoss(broken))
    return Refuse(rows.table(), broken);
  RETURN_IF_ERROR(ran);
  // It is read again from the beginning, as it waits in the stored state.
  if (!phase.done()) return parts_.notifier->Initial("ABORTED");
  RETURN_IF_ERROR(tables->End());
  RETURN_IF_ERROR(parts_.notifier->Initial("COMPLETED"));
  parts_.snapshots->EndBlocking();
  if (const uint64_t left_out = parts_.notifier->rows_left_out(); left_out > 0) {
    log::Warn("blocking snapshot completed, without all rows; streaming goes on",
              {{"rows_left_out", left_out}});
  } else {
    log::Info("blocking snapshot completed, streaming goes on");
  }
  return absl::OkStatus();
}

// The stream goes on without it.
absl::Status BlockingPhase::Refuse(const std::string& table, const absl::Status& why) {
  log::Warn(absl::StrCat("blocking snapshot given up, streaming goes on: ", why.message()),
            {{"table", table}, {"reason", ErrorReason(why)}, {"hint", ErrorHint(why)}});
  if (!table.empty()) RETURN_IF_ERROR(parts_.notifier->OnTableFailed(table));
  RETURN_IF_ERROR(parts_.notifier->Initial("ABORTED"));
  parts_.snapshots->EndBlocking();
  return absl::OkStatus();
}

}  // namespace walduct::slot
