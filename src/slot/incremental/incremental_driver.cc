#include "slot/incremental/incremental_driver.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "incremental/options/incremental_options.h"
#include "route/options.h"
#include "slot/world/reads/record_columns.h"

namespace walduct::slot {
namespace {

// Signals, and the marks of incremental snapshots, are rows of it.
void WarnOfMissing(const incremental::IncrementalOptions& options,
                   const std::vector<incremental::TableId>& captured, const names::Called& called) {
  const incremental::TableId table{options.signal_schema, options.signal_table};
  if (table.table.empty() || std::find(captured.begin(), captured.end(), table) != captured.end())
    return;
  log::Warn(
      "the table of signal.data.collection is not there: its signals never come",
      {{"table", table.Text()},
       {"reason", "signal_table_not_published"},
       {"hint", absl::StrCat("create it (id, type, data), then ", names::RestartCommand(called))}});
}

}  // namespace

std::unique_ptr<IncrementalDriver> IncrementalDriver::Create(const Parts& parts,
                                                             event::OffsetMembers stored) {
  const bool takes = parts.options->signals() && parts.source->SignalTables();
  if (stored.contains(event::kCollectionsMember) && !takes) {
    log::Warn(
        "the stored position came with an incremental snapshot under way, which does not go on: a "
        "connector of several slots reads none",
        {{"hint", "walduct.slots=1 goes on with it"}});
  }
  if (!takes) return nullptr;
  return std::unique_ptr<IncrementalDriver>(new IncrementalDriver(parts, std::move(stored)));
}

IncrementalDriver::IncrementalDriver(const Parts& parts, event::OffsetMembers stored)
    : parts_(parts), stored_(std::move(stored)) {
  parts_.ledger->Add(Ledger::Author::kIncremental, [this] { return stored_; });
  std::vector<incremental::TableId> captured;
  const std::optional<std::vector<postgres::TableName>> tables = parts_.source->SignalTables();
  for (const postgres::TableName& table : *tables) captured.push_back({table.schema, table.table});
  WarnOfMissing(*parts_.options, captured, parts_.called);
  snapshots_ =
      std::make_unique<incremental::IncrementalSnapshots>(incremental::IncrementalSnapshots::Parts{
          .options = parts_.options,
          .connector_name = parts_.connector_name,
          .output = this,
          .open_source =
              [this] { return parts_.source->OpenChunks(KeyColumns(parts_.route->message_keys)); },
          .inbox = parts_.source->OpenSignals(),
          .new_id = parts_.new_id,
          .captured = std::move(captured),
          .captures =
              [this](const incremental::TableId& table) { return parts_.source->Captures(table); },
          .keeps_pause = parts_.ran_before || parts_.options->keeps_pause,
          .called = parts_.called,
          .clock = parts_.clock,
          .metrics = parts_.metrics});
  parts_.pipeline->SetIncremental(snapshots_.get());
}

IncrementalDriver::~IncrementalDriver() { parts_.pipeline->SetIncremental(nullptr); }

// One that fails is tried again in its own time.
void IncrementalDriver::StoreSoon() {
  if (!parts_.checkpointer->saving() && parts_.checkpointer->last_error().ok())
    parts_.checkpointer->MakeDue();
}

// Between two changes nothing else would cover it.
uint64_t IncrementalDriver::Keep(event::OffsetMembers members) {
  const uint64_t mark = parts_.ledger->Append(Ledger::Author::kIncremental,
                                              [members = std::move(members)] { return members; });
  parts_.tracker->SetMark(mark);
  parts_.pipeline->CoverAgain();
  return mark;
}

}  // namespace walduct::slot
