// PollSession: what is claimed, and from where on.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "poll/session/array_text.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

// Each is looked for in an index, by each claim.
constexpr size_t kMostMissing = 1000;

std::optional<int64_t> IdAt(const postgres::Result& rows, int row, int column) {
  int64_t id = 0;
  if (rows.is_null(row, column) || !absl::SimpleAtoi(rows.Get(row, column), &id))
    return std::nullopt;
  return id;
}

}  // namespace

void PollSession::BeginRange(const OutboxTable& table) {
  claimed_ids_ = IdRange(std::min<size_t>(kMostMissing, static_cast<size_t>(rows_at_once())));
  ranged_ = table.has_ranges() ? &table : nullptr;
}

// What is claimed next is claimed beside the rows of the batch, which is the last one in flight.
void PollSession::NoteBeside(const postgres::Result& rows, Batch* batch) {
  const OutboxTable& table = *batch->table;
  if (!table.has_ranges()) {
    batch->found_keys.resize(table.key_at.size());
    for (size_t i = 0; i < batch->found_keys.size(); ++i)
      for (int row = 0; row < rows.rows(); ++row)
        AppendItem(rows.Get(row, table.key_at[i]), &batch->found_keys[i]);
    return;
  }
  batch->found_ids.reserve(static_cast<size_t>(rows.rows()));
  for (int row = 0; row < rows.rows(); ++row) {
    const std::optional<int64_t> id = IdAt(rows, row, table.key_at.front());
    // Whoever answers so is asked for no more.
    if (!id) {
      ahead_ = ranged_ = nullptr;
      return;
    }
    batch->found_ids.push_back(*id);
  }
  if (ranged_ != nullptr && claimed_ids_.AddAll(batch->found_ids)) return;
  BeginRange(table);
  const bool room = absl::c_all_of(
      flight_, [this](const Batch& each) { return claimed_ids_.AddAll(each.found_ids); });
  if (!room) ranged_ = nullptr;
}

// As arrays of the columns of the primary key.
std::vector<std::string> PollSession::KeysBeside(const OutboxTable& table) const {
  std::vector<std::string> arrays;
  for (size_t i = 0; i < table.key_names.size(); ++i)
    arrays.push_back(absl::StrCat("{",
                                  absl::StrJoin(flight_, ",",
                                                [&](std::string* out, const Batch& batch) {
                                                  absl::StrAppend(
                                                      out, table.has_ranges()
                                                               ? absl::StrJoin(batch.found_ids, ",")
                                                               : batch.found_keys[i]);
                                                }),
                                  "}"));
  return arrays;
}

postgres::Statement PollSession::ClaimOf(const OutboxTable& table, bool whole) {
  const auto waiting =
      parts_.failed_rows->Waiting(table, parts_.attempt.world->clock().Monotonic());
  const std::optional<int64_t> from = whole ? std::nullopt : low_water_[table.name].from();
  ClaimForm form{.waits = !waiting.empty(), .from = from.has_value()};
  if (ranged_ == &table && from) claimed_ids_.Forget(*from);
  if (ranged_ == &table && !claimed_ids_.empty()) {
    form.beside = ClaimForm::Beside::kRange;
  } else if (!flight_.empty()) {
    form.beside = ClaimForm::Beside::kKeys;
  }
  postgres::Statement claim{.sql = table.ClaimSql(WhereOf(table), form),
                            .parameters = {absl::StrCat(rows_at_once())},
                            .answer = postgres::Rows(table.free_column() + 1)};
  for (const std::vector<std::string>& column : waiting)
    claim.parameters.emplace_back(ArrayText(column));
  if (form.beside == ClaimForm::Beside::kRange) {
    for (std::string& parameter : RangeParameters(claimed_ids_))
      claim.parameters.emplace_back(std::move(parameter));
  } else if (form.beside == ClaimForm::Beside::kKeys) {
    for (std::string& parameter : KeysBeside(table))
      claim.parameters.emplace_back(std::move(parameter));
  }
  if (from) claim.parameters.emplace_back(absl::StrCat(*from));
  return claim;
}

absl::StatusOr<postgres::Result> PollSession::AskForClaim(const OutboxTable& table) {
  Clock& clock = parts_.attempt.world->clock();
  LowWater& low = low_water_[table.name];
  const absl::Duration began = clock.Monotonic();
  const bool whole = !positions() && low.IsWholeDue(began);
  if (whole || ranged_ != &table) BeginRange(table);
  auto rows = Ask(positions() ? ClaimOfWindow(table) : ClaimOf(table, whole));
  const absl::Duration now = clock.Monotonic();
  if (whole) low.TookWhole(now - began, now);
  if (rows.ok()) parts_.attempt.metrics->outbox_claim.Observe(now - began);
  return rows;
}

void PollSession::NoteClaimed(const OutboxTable& table, const postgres::Result& rows) {
  if (rows.rows() == 0 || !table.has_low_water()) return;
  if (const auto id = IdAt(rows, rows.rows() - 1, table.key_at.front()))
    low_water_[table.name].Claimed(*id);
}

absl::Status PollSession::LookForLowWater(const OutboxTable& table) {
  Clock& clock = parts_.attempt.world->clock();
  LowWater& low = low_water_[table.name];
  const absl::Duration began = clock.Monotonic();
  if (!low.IsLookDue(began)) return absl::OkStatus();
  // What was claimed is done: it would be walked over.
  const bool ranged = ranged_ == &table && !claimed_ids_.empty();
  std::vector<std::optional<std::string>> parameters = {
      absl::StrCat(low.from().value_or(std::numeric_limits<int64_t>::min()))};
  if (ranged)
    for (std::string& parameter : RangeParameters(claimed_ids_))
      parameters.emplace_back(std::move(parameter));
  ASSIGN_OR_RETURN(const auto look, Ask({.sql = table.LowWaterSql(WhereOf(table), ranged),
                                         .parameters = std::move(parameters),
                                         .answer = postgres::OneRow(2)}));
  const absl::Duration now = clock.Monotonic();
  low.Looked(IdAt(look, 0, 0), look.Get(0, 1), now - began, now);
  return absl::OkStatus();
}

}  // namespace walduct::poll
