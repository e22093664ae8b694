// PollSession: rows that cannot be published, and rows that wait.
#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "names/called.h"
#include "outbox/options.h"
#include "poll/position/position_sql.h"
#include "poll/rows/row_sql.h"
#include "poll/session/poll_session.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kLook = absl::Seconds(10);
constexpr absl::Duration kIdleLook = absl::Minutes(1);
constexpr absl::Duration kSeldomLook = absl::Minutes(10);
constexpr absl::Duration kLongestLook = absl::Seconds(3);
constexpr absl::Duration kWordOfParked = absl::Minutes(10);
constexpr absl::Duration kPassLocked = absl::Seconds(1);
// A look at a table with many rows takes its time.
constexpr double kShareOfLooks = 50;

// What leaves it out for good.
std::string LeaveOutSql(const OutboxTable& table, const std::vector<std::string>& key) {
  std::string sql = table.layout.mark.empty()
                        ? absl::StrCat("DELETE FROM ", table.name)
                        : absl::StrCat("UPDATE ", table.name, " SET ",
                                       Qualify(table.layout.mark, "", table.columns));
  for (size_t i = 0; i < key.size(); ++i)
    absl::StrAppend(&sql, i == 0 ? " WHERE " : " AND ", table.key_names[i], " = ",
                    postgres::QuoteLiteral(key[i]));
  return sql;
}

// What tries it again. several: the connector has other tables, too.
std::string RetryCommand(const names::Called& called, const OutboxTable& table, bool several,
                         const std::vector<std::string>& key) {
  const std::string row = RowText(table, key);
  // A word of its own would be a flag.
  std::string flags = absl::StrCat(absl::StartsWith(row, "-") ? "--row=" : "", ShellWord(row));
  if (several)
    absl::StrAppend(&flags, " --table ",
                    ShellWord(absl::StrCat(table.schema->schema, ".", table.schema->table)));
  return names::Command(called, "outbox retry", flags);
}

// The row itself, and what would let it be parked.
absl::Status WithAttemptsAdvice(const absl::Status& why, const OutboxTable& table,
                                const std::vector<std::string>& key) {
  const std::string hint = ErrorHint(why);
  const std::string& parking = table.layout.parking;
  return Error(why.code(), ErrorReason(why), why.message(),
               absl::StrCat(hint, hint.empty() ? "" : "; or ",
                            "correct the row, or leave it out for good: ", LeaveOutSql(table, key),
                            parking.empty() ? "" : "; or ", parking,
                            parking.empty() ? ""
                                            : ", so that such a row is parked while others are "
                                              "published"));
}

absl::Status NotCounted(const OutboxTable& table) {
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_not_marked",
               absl::StrCat("rows of outbox table ", table.name,
                            " could not be published and have the attempts that they had after the "
                            "statement that counts them: they would be tried again and again"),
               "look for a trigger BEFORE UPDATE that returns NULL, a rule, or a policy of row "
               "security that hides the rows from it");
}

}  // namespace

absl::Status PollSession::Fail(const postgres::Result& rows, int row, const absl::Status& why,
                               Batch* batch) {
  const OutboxTable& table = *batch->table;
  // Another row has ended the sink: see TakeRefused.
  if (!FailedRows::IsOfRow(why) || sink_->spoilt() || duties_->unsettled() || pump_failed_)
    return why;
  if (!table.counts_attempts()) return WithAttemptsAdvice(why, table, KeyOf(rows, row, table));
  batch->failed.push_back(
      {KeyOf(rows, row, table), AttemptsOf(rows, row, batch->attempts_column), why});
  return absl::OkStatus();
}

// They and what waits behind them may be all that a claim has room for.
void PollSession::PassLocked(const Batch& batch) {
  parts_.failed_rows->Pass(*batch.table, batch.locked,
                           parts_.attempt.world->clock().Monotonic() + kPassLocked);
}

void PollSession::TakeRefused(Batch* batch) {
  const auto& refused = duties_->unsettled();
  if (!refused || !batch->table->counts_attempts() || !FailedRows::IsOfRow(refused->why)) return;
  if (refused->number < batch->first || refused->number - batch->first >= batch->rows) return;
  const size_t at = refused->number - batch->first;
  FailedRow failed{.key = {}, .attempts = batch->attempts[at], .why = refused->why};
  for (const std::vector<std::string>& column : batch->keys) failed.key.push_back(column[at]);
  batch->failed.push_back(std::move(failed));
  batch->handed_back = true;
}

absl::Status PollSession::NoteFailed(Batch* batch, bool hurries) {
  if (batch->failed.empty()) return absl::OkStatus();
  const OutboxTable& table = *batch->table;
  const outbox::OutboxOptions& options = engine::OutboxOf(config());
  const std::vector<FailedRow> failed = std::exchange(batch->failed, {});
  engine::Host& world = *parts_.attempt.world;
  const double chance = static_cast<double>(world.Random() >> 32) / (1ULL << 32);
  for (const FailedRow& row : failed) {
    const absl::Duration pause = FailedRows::Backoff(options, row.attempts, chance);
    const bool last = row.attempts + 1 >= options.max_attempts;
    if (table.layout.due.empty() && !last)
      parts_.failed_rows->Add(table, row, world.clock().Monotonic() + pause);
    parts_.attempt.metrics->outbox_failed.Add(ErrorReason(row.why));
    log::Warn(last ? "row of an outbox table is parked: it could not be published"
                   : "row of an outbox table could not be published: it is tried again",
              {{"table", table.name},
               {"row", absl::StrJoin(row.key, ", ")},
               {"attempts", row.attempts + 1},
               {"reason", ErrorReason(row.why)},
               {"error", row.why.message()},
               {"hint", last ? absl::StrCat("once mended: ",
                                            RetryCommand(engine::RuntimeOf(config()).called, table,
                                                         tables_.size() > 1, row.key))
                             : ErrorHint(row.why)}});
  }
  postgres::Statement statement = FailedRows::Note(table, options, failed, chance);
  ASSIGN_OR_RETURN(const auto noted, AskOfMarks(statement, hurries));
  if (NumberAt(noted, 0) < failed.size()) {
    // Those that were noted are open still.
    statement.sql = table.StillOpenSql();
    statement.parameters.resize(table.key_names.size());
    statement.answer = postgres::OneRow(1);
    ASSIGN_OR_RETURN(const auto open, AskOfMarks(statement, hurries));
    if (NumberAt(open, 0) > NumberAt(noted, 0)) return NotCounted(table);
    log::Warn("rows that could not be published were marked or removed by somebody else meanwhile",
              {{"table", table.name}, {"rows", failed.size() - NumberAt(noted, 0)}});
  }
  // What is not counted anywhere would come again at once, and with it what was in flight.
  noted_ |= batch->handed_back && NumberAt(noted, 0) > 0;
  next_look_ = absl::ZeroDuration();
  return absl::OkStatus();
}

postgres::Statement PollSession::BacklogOf(const OutboxTable& table) {
  const std::string where = WhereOf(table);
  postgres::Statement statement{.sql = "", .parameters = {}, .answer = postgres::OneRow(3)};
  if (!positions()) {
    statement.sql = table.BacklogSql(where);
    return statement;
  }
  const TablePosition& at = positions_[table.name];
  const bool window = !at.window.empty();
  statement.sql = BehindSql(table, where);
  statement.parameters = {at.seen, window ? at.window : kNothingSeen, window ? at.last : "0"};
  return statement;
}

// Absent: not within a few seconds, and it is cancelled; or not at all.
absl::StatusOr<std::optional<postgres::Result>> PollSession::AskBriefly(
    const postgres::Statement& statement, absl::Status* why) {
  Clock& clock = parts_.attempt.world->clock();
  RETURN_IF_ERROR(connection_->Send(statement));
  const absl::Duration until = clock.Monotonic() + kLongestLook;
  while (true) {
    absl::StatusOr<std::optional<postgres::Result>> result = connection_->PollResult();
    if (!result.ok()) {
      RETURN_IF_ERROR(connection_->CheckAlive());
      *why = result.status();
      return std::nullopt;
    }
    if (*result) return *std::move(result);
    const absl::Duration now = clock.Monotonic();
    if (duties_->interrupted() || now >= until) {
      connection_->Cancel();
      if (duties_->interrupted()) return absl::CancelledError("interrupted");
      return std::nullopt;
    }
    RETURN_IF_ERROR(
        duties_->TurnAndWait(connection_->ready_fd(), until - now, engine::WaitReason::kNothing));
  }
}

void PollSession::CountFails(const OutboxTable& table, const absl::Status& why) {
  next_look_ = parts_.attempt.world->clock().Monotonic() + kSeldomLook;
  parts_.attempt.metrics->backlog.Lapse();
  if (why.ok())
    log::Warn("rows of an outbox table take too long to be counted: metrics lack them",
              {{"table", table.name},
               {"hint", "an index of the rows that are not published (docs/outbox.md)"}});
  else
    log::Warn("rows of an outbox table cannot be counted: metrics lack them",
              {{"table", table.name}, {"error", why.message()}, {"hint", ErrorHint(why)}});
}

// Each was told when it was parked: maybe by another process, or days ago.
void PollSession::TellParked(const metrics::BacklogView& view, absl::Duration now) {
  if (view.parked == 0 || now < next_word_) return;
  next_word_ = now + kWordOfParked;
  log::Warn("rows of outbox tables are parked: they are not published, and tried no more",
            {{"rows", view.parked}, {"hint", view.hint}});
}

absl::Status PollSession::LookAtBacklog() {
  Clock& clock = parts_.attempt.world->clock();
  metrics::BacklogBoard& board = parts_.attempt.metrics->backlog;
  const absl::Duration began = clock.Monotonic();
  // What was counted is published by now.
  const bool over = idle_ && unpublished_ && began >= next_look_ - kIdleLook + kLook;
  if (looks_ || asked_ != Asked::kNothing || (began < next_look_ && !over)) return absl::OkStatus();
  looks_ = true;
  const absl::Cleanup looked = [this] { looks_ = false; };
  metrics::BacklogView view{
      .counted_at = began,
      .hint = names::Command(engine::RuntimeOf(config()).called, "outbox list")};
  for (const OutboxTable& table : tables_) {
    absl::Status why;
    ASSIGN_OR_RETURN(const std::optional<postgres::Result> counts,
                     AskBriefly(BacklogOf(table), &why));
    if (!counts) {
      CountFails(table, why);
      return absl::OkStatus();
    }
    view.unpublished += NumberAt(*counts, 0);
    view.parked += NumberAt(*counts, 1);
    view.oldest = std::max(view.oldest, absl::Seconds(NumberAt(*counts, 2)));
  }
  // A row that is tried again by hand is seen soon.
  unpublished_ = view.unpublished > 0 || view.parked > 0;
  const absl::Duration now = clock.Monotonic();
  TellParked(view, now);
  next_look_ = now + std::max(idle_ ? kIdleLook : kLook, (now - began) * kShareOfLooks);
  // The next one takes its time, too.
  board.Show(view, next_look_ + kLook);
  return absl::OkStatus();
}

}  // namespace walduct::poll
