#include "poll/session/poll_session.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/start_turns.h"
#include "outbox/options.h"
#include "poll/layouts/id_range.h"
#include "poll/session/array_text.h"
#include "poll/session/row_name.h"
#include "poll/session/rows_apart.h"
#include "poll/session/rows_left.h"
#include "poll/session/run_identity.h"
#include "registry/open_clients.h"

namespace walduct::poll {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(20);
// Of a batch that is published: then acknowledgements and answers are taken.
constexpr int kRowsATurn = 128;
constexpr absl::Duration kStatementTurn = absl::Seconds(1);
constexpr absl::Duration kHurriedTurn = absl::Milliseconds(50);
// Of ids of one statement of marks: each row is compared with each.
constexpr size_t kMostMissingOfMarks = 100;
// A statement that takes longer is told as what is waited for: for a lock, as a rule.
constexpr absl::Duration kSlowStatement = absl::Seconds(2);

absl::string_view DoneBy(const OutboxTable& table) {
  if (!table.layout.xact.empty()) return "position";
  if (!table.archive.empty()) return "archive";
  return table.layout.mark.empty() ? "delete" : "mark";
}

absl::string_view OrderWord(const OutboxTable& table) {
  if (!table.layout.key.empty()) return "of each key";
  return table.layout.shown_key.empty() ? "of the table" : "none";
}

absl::Status NotMarked(const OutboxTable& table, absl::string_view rows) {
  return Error(absl::StatusCode::kFailedPrecondition, "outbox_not_marked",
               absl::StrCat(rows, " rows of outbox table ", table.name,
                            " were published and are still open after the statement that ",
                            table.layout.mark.empty() ? "deletes" : "marks",
                            " them: they would be published again and again"),
               "look for a trigger BEFORE UPDATE or DELETE that returns NULL, a rule, or a policy "
               "of row security that hides the rows from it");
}

engine::WaitReason WaitOf(bool slow) {
  return slow ? engine::WaitReason::kDatabase : engine::WaitReason::kNothing;
}

absl::Status NoTimeToMark() {
  return Error(absl::StatusCode::kDeadlineExceeded, "query_timeout",
               "the server does not mark the rows that were published within the time to stop in: "
               "they are published again at the next start",
               "raise walduct.shutdown.timeout.ms, or look in pg_stat_activity for who has them "
               "locked");
}

}  // namespace

absl::Status PollSession::Run() {
  parts_.attempt.board->Show(engine::Activity::kConnecting);
  RETURN_IF_ERROR(Open());
  RETURN_IF_ERROR(Build());
  parts_.attempt.metrics->connected.Set(1);
  const absl::Cleanup disconnected = [this] { parts_.attempt.metrics->connected.Set(0); };
  RETURN_IF_ERROR(AwaitOwnership());
  if (duties_->interrupted()) return absl::OkStatus();
  RETURN_IF_ERROR(OpenPositions());
  RETURN_IF_ERROR(Listen());
  began_ = true;
  metrics::BacklogBoard& backlog = parts_.attempt.metrics->backlog;
  backlog.Begin(parts_.attempt.world->clock().Monotonic());
  const absl::Cleanup lapsed = [this, &backlog] {
    backlog.Lapse();
    parts_.attempt.metrics->outbox_server.Forget();
  };
  parts_.attempt.board->Show(engine::ConnectorState::kRunning, engine::Activity::kStreaming);
  log::Info("streaming", {{"source", "poll"},
                          {"tables", tables_.size()},
                          {"wakes", listens_ ? "notify" : "interval"}});
  const absl::Status polled = Poll();
  // A statement that was under way ends with it.
  if (polled.ok() || (absl::IsCancelled(polled) && duties_->interrupted())) TellPositions();
  return polled;
}

absl::Status PollSession::Open() {
  const auto stopping = [control = parts_.attempt.control] {
    control->Take();
    return control->interrupted();
  };
  const auto turn = engine::AwaitTurn(*parts_.attempt.world, *parts_.attempt.board, stopping);
  ASSIGN_OR_RETURN(
      TableSessions opened,
      parts_.world->OpenSessions(config(), parts_.attempt.world->environment(), stopping));
  connection_ = std::move(opened.session);
  owner_ = std::move(opened.owner);
  tables_ = std::move(opened.tables);
  for (const OutboxTable& table : tables_)
    log::Info("outbox table is polled", {{"table", table.name},
                                         {"layout", table.layout.called},
                                         {"done", DoneBy(table)},
                                         {"order", OrderWord(table)}});
  for (const OutboxTable& table : tables_)
    for (const absl::Status& warning : table.warnings)
      log::Warn(warning.message(),
                {{"reason", ErrorReason(warning)}, {"hint", ErrorHint(warning)}});
  return absl::OkStatus();
}

absl::Status PollSession::Build() {
  const engine::AttemptParts& attempt = parts_.attempt;
  const Environment& environment = attempt.world->environment();
  ASSIGN_OR_RETURN(sink_, parts_.world->OpenSink(config(), environment, parts_.refusals));
  RETURN_IF_ERROR(sink_->PrepareTopics({}, [this] {
    parts_.attempt.control->Take();
    return parts_.attempt.control->interrupted();
  }));
  ASSIGN_OR_RETURN(std::tie(key_ids_, value_ids_),
                   registry::OpenClients(engine::RegistriesOf(config()), engine::NameOf(config()),
                                         *environment.clock));
  const event::SchemaIdSources ids{key_ids_.get(), value_ids_.get()};
  duties_ = std::make_unique<DeliveryDuties>(DeliveryDuties::Parts{.environment = environment,
                                                                   .sink = sink_.get(),
                                                                   .tracker = &tracker_,
                                                                   .control = attempt.control,
                                                                   .board = attempt.board,
                                                                   .metrics = attempt.metrics,
                                                                   .schema_ids = ids});
  ASSIGN_OR_RETURN(path_, delivery::RecordPath::Create({.config = attempt.config,
                                                        .run_id = RunId(*attempt.world),
                                                        .clock = environment.clock,
                                                        .schema_ids = ids,
                                                        .sink = sink_.get(),
                                                        .tracker = &tracker_,
                                                        .destinations = &duties_->destinations(),
                                                        .waiter = duties_.get(),
                                                        .metrics = attempt.metrics,
                                                        .warn_once = parts_.warn_once}));
  duties_->SetRefused(&path_->refused());
  duties_->SetBeside([this] { return LookBeside(); },
                     [this] { return asked_ == Asked::kNothing ? -1 : connection_->ready_fd(); });
  duties_->SetBesideFlush([this] { return Speak(true); });
  batch_rows_ = engine::OutboxOf(config()).publish_rows;
  return absl::OkStatus();
}

absl::Status PollSession::LookAround() {
  // Whoever waits for the server may have the tables by now: nothing more is sent.
  const absl::Status alive = CheckAlive();
  if (!alive.ok()) duties_->Doubt();
  RETURN_IF_ERROR(alive);
  RETURN_IF_ERROR(Speak(false));
  return Verify();
}

absl::Status PollSession::LookBeside() {
  RETURN_IF_ERROR(Pump());
  RETURN_IF_ERROR(LookAround());
  RETURN_IF_ERROR(LookAtServer());
  return LookAtBacklog();
}

absl::StatusOr<postgres::Result> PollSession::AskOn(TableSession& connection,
                                                    const postgres::Statement& statement) {
  RETURN_IF_ERROR(FinishAsked(connection, false));
  RETURN_IF_ERROR(connection.Send(statement));
  return Await(connection);
}

absl::StatusOr<postgres::Result> PollSession::AskHurried(TableSession& connection,
                                                         const postgres::Statement& statement,
                                                         bool hurries) {
  RETURN_IF_ERROR(FinishAsked(connection, hurries));
  RETURN_IF_ERROR(connection.Send(statement));
  return AwaitHurried(connection, hurries);
}

// Waits for the answer, and does the other duties meanwhile.
absl::StatusOr<postgres::Result> PollSession::Await(TableSession& connection) {
  Clock& clock = parts_.attempt.world->clock();
  const absl::Duration slow = clock.Monotonic() + kSlowStatement;
  while (true) {
    ASSIGN_OR_RETURN(std::optional<postgres::Result> result, connection.PollResult());
    if (result) return *std::move(result);
    if (duties_->interrupted()) {
      connection.Cancel();
      return absl::CancelledError("interrupted");
    }
    if (&connection != &Owner()) RETURN_IF_ERROR(Speak(false));
    RETURN_IF_ERROR(duties_->TurnAndWait(connection.ready_fd(), kStatementTurn,
                                         WaitOf(clock.Monotonic() >= slow)));
  }
}

// Of marks: an interruption leaves them the rest of the time to stop in. Hurried, the sink that has
// failed is not asked.
absl::StatusOr<postgres::Result> PollSession::AwaitHurried(TableSession& connection, bool hurries) {
  Clock& clock = parts_.attempt.world->clock();
  const absl::Duration most = engine::RuntimeOf(config()).shutdown_timeout * (1 - kSettleShare);
  std::optional<absl::Duration> until;
  const absl::Duration slow = clock.Monotonic() + kSlowStatement;
  while (true) {
    ASSIGN_OR_RETURN(std::optional<postgres::Result> result, connection.PollResult());
    if (result) return *std::move(result);
    if (&connection != &Owner()) RETURN_IF_ERROR(Speak(hurries));
    DoubtSilence();
    const absl::Duration now = clock.Monotonic();
    if (!until && (hurries || duties_->interrupted())) until = now + most;
    if (until && now >= *until) {
      connection.Cancel();
      return NoTimeToMark();
    }
    const absl::Duration turn = hurries ? kHurriedTurn : kStatementTurn;
    const absl::Duration wait = until ? std::min(turn, *until - now) : turn;
    if (hurries) {
      parts_.attempt.board->Beat();
      parts_.attempt.world->poller().WaitReadable({connection.ready_fd()}, wait);
    } else {
      RETURN_IF_ERROR(duties_->TurnAndWait(connection.ready_fd(), wait, WaitOf(now >= slow)));
    }
  }
}

absl::Status PollSession::CheckAlive() {
  RETURN_IF_ERROR(connection_->CheckAlive());
  return owner_ == nullptr ? absl::OkStatus() : owner_->CheckAlive();
}

absl::Status PollSession::Listen() {
  if (connection_->shared()) {
    log::Info(
        "a pooler hands each transaction to another session: it is not listened for NOTIFY",
        {{"asks_every_ms", absl::ToInt64Milliseconds(engine::OutboxOf(config()).longest_pause)},
         {"hint", "connect to the server itself, or set the pooler to session mode"}});
    return absl::OkStatus();
  }
  for (const OutboxTable& table : tables_) {
    for (const std::string& channel : table.channels) {
      RETURN_IF_ERROR(Ask(absl::StrCat("LISTEN ", postgres::QuoteIdentifier(channel))).status());
    }
  }
  listens_ = std::all_of(tables_.begin(), tables_.end(),
                         [](const OutboxTable& table) { return !table.channels.empty(); });
  return absl::OkStatus();
}

absl::Status PollSession::Poll() {
  absl::Duration pause = kFirstPause;
  const absl::Duration longest = engine::OutboxOf(config()).longest_pause;
  while (!duties_->interrupted()) {
    RETURN_IF_ERROR(duties_->Turn());
    RETURN_IF_ERROR(Speak(false));
    RETURN_IF_ERROR(Verify());
    if (parts_.attempt.control->holding()) {
      RETURN_IF_ERROR(duties_->TurnAndWait(-1, kStatementTurn, engine::WaitReason::kCommand));
      continue;
    }
    size_t published = 0;
    const bool left_before = std::exchange(left_, false);
    for (const OutboxTable& table : tables_) {
      if (duties_->interrupted()) {
        left_ = left_ || left_before;  // of those that are not looked at any more
        break;
      }
      ASSIGN_OR_RETURN(const size_t of_table, PollTable(table));
      published += of_table;
    }
    parts_.attempt.metrics->backlog.Comes(left_);
    RETURN_IF_ERROR(LookAtServer());
    idle_ = published == 0;
    RETURN_IF_ERROR(LookAtBacklog());
    RETURN_IF_ERROR(DropPartitions());
    path_->pipeline().CountFiltered();
    path_->pipeline().ReportNotices();
    if (published > 0) {
      pause = kFirstPause;
      continue;
    }
    if (parts_.attempt.goal.until_caught_up) {
      goal_reached_ = true;
      break;
    }
    const absl::Duration before = pause;
    pause = std::min(pause * 2, longest);
    RETURN_IF_ERROR(Pause(before));
    if (connection_->TakeNotifications()) pause = kFirstPause;
    stood_ = true;
  }
  return absl::OkStatus();
}

absl::Status PollSession::DropPartitions() {
  const outbox::OutboxOptions& options = engine::OutboxOf(config());
  // Of several workers one does it; what the others have not published is not.
  if (options.cleanup != outbox::OutboxCleanup::kDropPartitions || options.worker != 0)
    return absl::OkStatus();
  const absl::Duration now = parts_.attempt.world->clock().Monotonic();
  if (now < next_drop_) return absl::OkStatus();
  next_drop_ = now + options.interval;
  return DropPartitionsPast(options.retention);
}

absl::Status PollSession::Pause(absl::Duration longest) {
  Clock& clock = parts_.attempt.world->clock();
  const absl::Duration until = clock.Monotonic() + longest;
  if (connection_->TakeNotifications()) return absl::OkStatus();
  while (!duties_->interrupted() && clock.Monotonic() < until) {
    const absl::Duration before = clock.Monotonic();
    RETURN_IF_ERROR(duties_->TurnAndWait(connection_->ready_fd(), until - before,
                                         engine::WaitReason::kNothing));
    RETURN_IF_ERROR(CheckAlive());
    RETURN_IF_ERROR(Speak(false));
    if (connection_->TakeNotifications()) break;
  }
  return absl::OkStatus();
}

void PollSession::GrowBatch() {
  batch_rows_ = std::min(batch_rows_ * 2, engine::OutboxOf(config()).publish_rows);
}

absl::Status PollSession::Publish(const postgres::Result& rows, Batch* batch) {
  const OutboxTable& table = *batch->table;
  NoteClaimed(table, rows);
  held_.clear();
  path_->pipeline().BeginBatch();
  const absl::Cleanup ended = [this] { path_->pipeline().EndBatch(); };
  for (int row = 0; row < rows.rows(); ++row) {
    if (row % kRowsATurn == kRowsATurn - 1) {
      RETURN_IF_ERROR(duties_->Turn());
      RETURN_IF_ERROR(Pump());
    }
    const auto key = [&] { return rows.Get(row, batch->key_column); };
    const auto has_key = [&] { return !rows.is_null(row, batch->key_column); };
    if (!held_.empty() && has_key() && held_.contains(key())) continue;
    const bool locked = rows.Get(row, table.free_column()) != "t";
    if (locked) {
      batch->locked.push_back(KeyOf(rows, row, table));
    } else {
      const absl::Status published = PublishRow(rows, row, batch);
      if (published.ok()) continue;
      batch->next_id = std::string(rows.Get(row, table.key_at.front()));
      RETURN_IF_ERROR(Fail(rows, row, published, batch));
    }
    if (has_key()) held_.insert(std::string(key()));
  }
  return absl::OkStatus();
}

absl::Status PollSession::PublishRow(const postgres::Result& rows, int row, Batch* batch) {
  const OutboxTable& table = *batch->table;
  values_.clear();
  const int columns = static_cast<int>(table.schema->columns.size());
  for (int column = 0; column < columns; ++column) {
    values_.push_back(rows.is_null(row, column) ? event::Value::Null()
                                                : event::Value::Text(rows.Get(row, column)));
  }
  event::ChangeEvent change;
  change.operation = event::Operation::kCreate;
  change.schema = table.schema.get();
  change.after = event::RowView(values_);
  change.source_time_us = absl::ToUnixMicros(parts_.attempt.world->clock().Now());
  // No place in the WAL: the number of the row in this session.
  change.position.commit_end = Lsn(number_ + 1);
  change.row_name = RowNameOf(table, rows, row);
  RETURN_IF_ERROR(path_->pipeline().OnChange(change));
  ++number_;
  ++batch->rows;
  if (table.counts_attempts()) {
    tracker_.EndGroup();
    batch->attempts.push_back(AttemptsOf(rows, row, batch->attempts_column));
    std::optional<std::string>& key = batch->order_keys.emplace_back();
    if (!rows.is_null(row, batch->key_column)) key = std::string(rows.Get(row, batch->key_column));
  }
  for (size_t i = 0; i < table.key_at.size(); ++i)
    batch->keys[i].emplace_back(rows.Get(row, table.key_at[i]));
  return absl::OkStatus();
}

size_t PollSession::Acknowledged(const Batch& batch) const {
  const auto& safe = tracker_.safe();
  const uint64_t behind = safe ? safe->commit_end.value() : 0;
  return behind < batch.first ? 0 : std::min<size_t>(batch.rows, behind - batch.first + 1);
}

void PollSession::CountDone(size_t rows) {
  done_ += rows;
  parts_.attempt.metrics->outbox_published.Add(rows);
}

// Rows behind one that was refused, which the sink has taken: they would be repeated.
absl::Status PollSession::MarkApart(const Batch& batch, absl::flat_hash_set<std::string>* held) {
  absl::flat_hash_set<size_t> acknowledged;
  for (const event::Position& position : tracker_.acknowledged_apart()) {
    const uint64_t number = position.commit_end.value();
    if (number >= batch.first && number - batch.first < batch.rows)
      acknowledged.insert(number - batch.first);
  }
  std::vector<std::vector<std::string>> keys(batch.keys.size());
  for (const size_t row : RowsApart(batch.marked, batch.order_keys, acknowledged, held))
    for (size_t i = 0; i < keys.size(); ++i) keys[i].push_back(batch.keys[i][row]);
  const size_t rows = keys.empty() ? 0 : keys.front().size();
  return rows == 0 ? absl::OkStatus() : Mark(*batch.table, keys, 0, rows, true);
}

PollSession::Marks PollSession::MarksOf(const OutboxTable& table,
                                        const std::vector<std::vector<std::string>>& all,
                                        size_t from, size_t wanted) {
  const std::optional<IdRange> range =
      table.has_ranges() ? RangeOf(absl::MakeConstSpan(all.front()).subspan(from, wanted),
                                   std::min(kMostMissingOfMarks, wanted))
                         : std::nullopt;
  Marks marks;
  marks.by = range ? OutboxTable::Chosen::kRange : OutboxTable::Chosen::kKeys;
  marks.statement = table.Done(marks.by);
  if (range) {
    for (std::string& parameter : RangeParameters(*range))
      marks.statement.parameters.emplace_back(std::move(parameter));
    return marks;
  }
  for (const std::vector<std::string>& keys : all)
    marks.statement.parameters.emplace_back(
        ArrayText(absl::MakeConstSpan(keys).subspan(from, wanted)));
  return marks;
}

absl::Status PollSession::Mark(const OutboxTable& table,
                               const std::vector<std::vector<std::string>>& all, size_t from,
                               size_t wanted, bool hurries) {
  Marks marks = MarksOf(table, all, from, wanted);
  const absl::Duration began = parts_.attempt.world->clock().Monotonic();
  ASSIGN_OR_RETURN(const auto changed, AskOfMarks(marks.statement, hurries));
  parts_.attempt.metrics->outbox_mark.Observe(parts_.attempt.world->clock().Monotonic() - began);
  return CheckMarked(table, std::move(marks), changed, wanted, hurries);
}

absl::Status PollSession::CheckMarked(const OutboxTable& table, Marks marks,
                                      const postgres::Result& answer, size_t wanted, bool hurries) {
  const uint64_t count = ChangedBy(answer);
  if (count != wanted) {
    marks.statement.sql = table.StillOpenSql(marks.by);
    marks.statement.answer = postgres::OneRow(1);
    ASSIGN_OR_RETURN(const auto open, AskOfMarks(marks.statement, hurries));
    if (open.Get(0, 0) != "0") return NotMarked(table, open.Get(0, 0));
    log::Warn(
        "rows were published that somebody else has marked or removed meanwhile: they may "
        "have been published twice",
        {{"table", table.name}, {"rows", wanted - count}});
  }
  CountDone(wanted);
  return absl::OkStatus();
}

}  // namespace walduct::poll
