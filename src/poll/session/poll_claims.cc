// PollSession: what is claimed, and from where on.
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "poll/session/array_text.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

std::optional<int64_t> IdAt(const postgres::Result& rows, int row, int column) {
  int64_t id = 0;
  if (rows.is_null(row, column) || !absl::SimpleAtoi(rows.Get(row, column), &id))
    return std::nullopt;
  return id;
}

}  // namespace

postgres::Statement PollSession::ClaimOf(const OutboxTable& table, bool whole) {
  const auto waiting =
      parts_.failed_rows->Waiting(table, parts_.attempt.world->clock().Monotonic());
  const std::optional<int64_t> from = whole ? std::nullopt : low_water_[table.name].from();
  const bool beside = !flight_.empty();
  postgres::Statement claim{
      .sql = table.ClaimSql(WhereOf(table), !waiting.empty(), beside, from.has_value()),
      .parameters = {absl::StrCat(rows_at_once())},
      .answer = postgres::Rows(table.free_column() + 1)};
  for (const std::vector<std::string>& column : waiting)
    claim.parameters.emplace_back(ArrayText(column));
  for (size_t i = 0; beside && i < table.key_names.size(); ++i)
    claim.parameters.emplace_back(absl::StrCat(
        "{",
        absl::StrJoin(flight_, ",",
                      [i](std::string* out, const Batch& batch) { *out += batch.found_keys[i]; }),
        "}"));
  if (from) claim.parameters.emplace_back(absl::StrCat(*from));
  return claim;
}

absl::StatusOr<postgres::Result> PollSession::AskForClaim(const OutboxTable& table) {
  Clock& clock = parts_.attempt.world->clock();
  LowWater& low = low_water_[table.name];
  const absl::Duration began = clock.Monotonic();
  const bool whole = !positions() && low.IsWholeDue(began);
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
  ASSIGN_OR_RETURN(
      const auto look,
      Ask({.sql = table.LowWaterSql(WhereOf(table)),
           .parameters = {absl::StrCat(low.from().value_or(std::numeric_limits<int64_t>::min()))},
           .answer = postgres::OneRow(2)}));
  const absl::Duration now = clock.Monotonic();
  low.Looked(IdAt(look, 0, 0), look.Get(0, 1), now - began, now);
  return absl::OkStatus();
}

}  // namespace walduct::poll
