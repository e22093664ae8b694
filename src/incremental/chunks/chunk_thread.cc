#include "incremental/chunks/chunk_thread.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "event/same_schema.h"
#include "incremental/chunks/place.h"
#include "incremental/chunks/signal_rights.h"
#include "incremental/chunks/transaction_view.h"
#include "incremental/chunks/walk_operators.h"
#include "postgres/sizes/row_estimate.h"
#include "postgres/sizes/table_layout.h"

namespace walduct::incremental {
namespace {

// Whether it may be tried again as it is: nothing is wrong with the statement.
bool IsPassing(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsAborted(status) || absl::IsCancelled(status) || absl::IsUnauthenticated(status);
}

constexpr int kVersionWithNotValid = 180000;  // NOT NULL constraints that are NOT VALID
constexpr absl::string_view kFind =
    "SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = "
    "c.relnamespace WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p')";

// A standby shows what it has replayed.
constexpr absl::string_view kWritten =
    "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() "
    "ELSE pg_catalog.pg_current_wal_lsn() END";

// With what tells equal keys apart.
Key KeyOfLast(const Chunk& chunk, const PlaceWalk::Table& table) {
  std::vector<event::Value> values;
  chunk.rows.back().View(&values);
  Key key;
  for (const WalkColumn& column : table.walk.columns) {
    if (column.of_system) {
      const std::string& place = chunk.places.back();
      key.emplace_back(place.substr(0, place.find(' ')));
      continue;
    }
    const auto at = std::find(table.columns.begin(), table.columns.end(), column.name);
    const event::Value& value = values[static_cast<size_t>(at - table.columns.begin())];
    key.push_back(value.is_text() ? std::optional(std::string(value.text())) : std::nullopt);
  }
  return key;
}

Chunk Failed(Chunk::Outcome outcome, const absl::Status& error) {
  Chunk chunk;
  chunk.outcome = outcome;
  chunk.error = error;
  return chunk;
}

// NOT NULL is sure for a key that rows cannot share, and for what is no domain on a server that has
// no constraints which are not valid.
bool MayHoldNull(const event::TableSchema& schema, uint16_t index, int server_version) {
  const event::Column& column = schema.columns[index];
  if (column.optional) return true;
  for (const event::Type* type = column.type.get();
       type != nullptr && type->kind == event::TypeKind::kDomain; type = type->base.get()) {
    if (type->not_null) return true;
  }
  const auto& key = schema.key_columns;
  if (std::find(key.begin(), key.end(), index) != key.end()) return !schema.key_risk.empty();
  return server_version >= kVersionWithNotValid;
}

}  // namespace

ChunkThread::ChunkThread(Options options)
    : options_(std::move(options)),
      captured_(options_.captured),
      thread_(mutex_, [this] { Loop(); }) {}

void ChunkThread::Begin(Job job) {
  {
    const MutexLock lock(mutex_);
    job_ = std::move(job);
  }
  thread_.Notify();
}

std::optional<ChunkSource::Answer> ChunkThread::Poll() {
  ready_.Drain();
  const MutexLock lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

void ChunkThread::Loop() {
  log::SetConnector(options_.connector);
  Job job;
  while (AwaitJob(&job)) {
    Answer answer = Run(job);
    {
      const MutexLock lock(mutex_);
      answer_ = std::move(answer);
    }
    ready_.Signal();
  }
}

bool ChunkThread::AwaitJob(Job* job) {
  MutexLock lock(mutex_);
  const bool goes_on = thread_.Await(lock, [this] {
    mutex_.AssertHeld();
    return job_.index() != 0;
  });
  *job = std::exchange(job_, {});
  return goes_on;
}

ChunkSource::Answer ChunkThread::Run(const Job& job) {
  Answer answer;
  answer.status = Connect();
  if (!answer.status.ok()) return answer;
  if (const auto* open = std::get_if<Open>(&job)) {
    answer.status = MayWrite(Write(*open));
  } else if (const auto* closes = std::get_if<Close>(&job)) {
    answer.status = MayWrite(Write(*closes));
  } else {
    absl::StatusOr<Chunk> chunk = ReadChunk(std::get<ChunkRequest>(job));
    answer.status = chunk.status();
    if (chunk.ok()) answer.chunk = *std::move(chunk);
  }
  // Whatever went wrong: a new session has forgotten it.
  if (!answer.status.ok()) connection_.reset();
  return answer;
}

absl::Status ChunkThread::Connect() {
  if (connection_ != nullptr) return absl::OkStatus();
  postgres::ConnectionOptions options = options_.connection;
  options.stopping = [this] { return thread_.stopping(); };
  ASSIGN_OR_RETURN(connection_, postgres::Connection::Open(std::move(options)));
  catalog_ = std::make_unique<postgres::Catalog>(*connection_, options_.schemas);
  // A watermark need not outlive the server: it does not wait for a synchronous standby.
  return connection_->Set("synchronous_commit", "local");
}

std::string ChunkThread::SignalTable() const {
  return postgres::QuoteQualified(options_.incremental.signal_schema,
                                  options_.incremental.signal_table);
}

std::string ChunkThread::Now() const {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E9SZ", options_.connection.environment.clock->Now(),
                          absl::UTCTimeZone());
}

absl::Status ChunkThread::Write(const Open& open) {
  opened_at_ = Now();
  const std::string sql = absl::StrCat("INSERT INTO ", SignalTable(), " VALUES ($1, $2, $3)");
  return connection_->Run(
      {.sql = sql,
       .parameters = {absl::StrCat(open.window, "-open"), "snapshot-window-open",
                      absl::StrCat("{\"openWindowTimestamp\": \"", opened_at_, "\"}")},
       .answer = {}});
}

absl::Status ChunkThread::Write(const Close& close) {
  if (options_.incremental.deletes_watermarks) {
    ASSIGN_OR_RETURN(const postgres::Result deleted,
                     connection_->Query(
                         postgres::Rows(0),
                         absl::StrCat("DELETE FROM ", SignalTable(), " WHERE id = $1 RETURNING 1"),
                         {absl::StrCat(close.window, "-open")}));
    if (deleted.rows() > 0) return absl::OkStatus();
    return Error(absl::StatusCode::kAborted, "watermark_deleted",
                 absl::StrCat("somebody has deleted the row ", close.window, "-open of ",
                              SignalTable(), ", which marks what the chunk shows"),
                 "leave rows of the signal table whose id ends in -open to walduct");
  }
  const std::string data = absl::StrCat("{\"openWindowTimestamp\": \"", opened_at_,
                                        "\", \"closeWindowTimestamp\": \"", Now(), "\"}");
  return connection_->Run(
      {.sql = absl::StrCat("INSERT INTO ", SignalTable(), " VALUES ($1, $2, $3)"),
       .parameters = {absl::StrCat(close.window, "-close"), "snapshot-window-close", data},
       .answer = {}});
}

absl::Status ChunkThread::MayWrite(const absl::Status& written) {
  if (!absl::IsPermissionDenied(written)) return written;
  const absl::Status missing =
      CheckSignalRights(*connection_, options_.incremental.signal_schema,
                        options_.incremental.signal_table, options_.incremental.deletes_watermarks);
  return absl::IsPermissionDenied(missing) ? missing : written;
}

absl::StatusOr<Chunk> ChunkThread::ReadChunk(const ChunkRequest& request) {
  const TableId& table = request.table.table;
  if (table.schema.empty() || !captured_.Includes(table.schema, table.table)) {
    return Failed(Chunk::Outcome::kUnknown,
                  Error(absl::StatusCode::kNotFound, "table_not_captured",
                        absl::StrCat("table ", table.Text(), " is not captured"),
                        table.schema.empty() ? "name it with its schema"
                                             : "see table.include.list and schema.include.list"));
  }
  RETURN_IF_ERROR(held_.Look(*connection_, options_.connection.environment.clock->Monotonic()));
  RETURN_IF_ERROR(hold_.Prepare(*connection_, table));
  TransactionView before;
  if (!request.maximum) RETURN_IF_ERROR(ReadQuiet(*connection_, table, &before));
  Lsn taken_at;
  if (options_.incremental.writes_nothing()) {
    ASSIGN_OR_RETURN(taken_at, Written());
  }
  RETURN_IF_ERROR(connection_->Run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  absl::StatusOr<Chunk> chunk = ReadLocked(request);
  const absl::Status ended = connection_->Run(chunk.ok() ? "COMMIT" : "ROLLBACK");
  if (chunk.ok()) {
    RETURN_IF_ERROR(ended);
    chunk->taken_at = taken_at;
    chunk->quiet = before.quiet;
    chunk->quiet_oldest = before.quiet_oldest;
    return chunk;
  }
  if (!ended.ok() || IsPassing(chunk.status())) return chunk.status();
  const bool begun = request.maximum.has_value();
  const std::string reason = ErrorReason(chunk.status());
  const bool unknown = !begun && (reason == "table_missing" || reason == "schema_missing");
  const absl::Status error = Explained(chunk.status(), request);
  if (IsPassing(error)) return error;
  return Failed(unknown ? Chunk::Outcome::kUnknown : Chunk::Outcome::kFailed, error);
}

absl::Status ChunkThread::Explained(const absl::Status& error, const ChunkRequest& request) {
  if (!absl::IsPermissionDenied(error)) return error;
  ASSIGN_OR_RETURN(const bool changed, hold_.Refresh(*connection_));
  const TableId& table = request.table.table;
  const auto found = connection_->Query(postgres::Rows(1), kFind, {table.schema, table.table});
  uint32_t oid = 0;
  if (!found.ok() || found->rows() != 1 || !absl::SimpleAtoi(found->Get(0, 0), &oid)) return error;
  bool keyless = false;
  const auto reads = [&](const event::TableSchema& schema) {
    keyless = schema.key_columns.empty();
    return ReadsOf(request, schema);
  };
  const std::vector<postgres::TableName> one = {
      {.relation = Oid{oid}, .schema = table.schema, .table = table.table}};
  absl::Status missing = postgres::CheckReadRights(*connection_, one, reads);
  if (keyless) missing = postgres::CheckReadRights(*connection_, one, reads, /*places=*/true);
  if (absl::IsPermissionDenied(missing)) return missing;
  // What it may do now is enough.
  return changed ? absl::UnavailableError(error.message()) : error;
}

absl::StatusOr<Chunk> ChunkThread::ReadLocked(const ChunkRequest& request) {
  RETURN_IF_ERROR(hold_.Take(*connection_));
  Chunk chunk;
  RETURN_IF_ERROR(LookAtTransactions(&chunk));
  ASSIGN_OR_RETURN(chunk.schema, Describe(request.table.table));
  PlaceWalk::Table walked;
  ASSIGN_OR_RETURN(walked.walk, WalkOf(request, &chunk));
  RETURN_IF_ERROR(FindOperators(*connection_, *chunk.schema, &walked.walk));
  for (const event::Column& column : chunk.schema->columns) walked.columns.push_back(column.name);
  walked.reads = ReadsOf(request, *chunk.schema);
  if (chunk.record_key.empty()) RETURN_IF_ERROR(LookAtFiles(&walked, &chunk));
  if (walked.walk.columns.empty() && !chunk.by_place) {
    chunk.outcome = Chunk::Outcome::kNoKey;
    return chunk;
  }
  return ReadOf(walked, request, std::move(chunk));
}

absl::StatusOr<Chunk> ChunkThread::ReadOf(const PlaceWalk::Table& table, ChunkRequest request,
                                          Chunk chunk) {
  const bool moved = !request.storage.empty() && chunk.storage != request.storage;
  if (!request.places.empty() && !moved) {
    RETURN_IF_ERROR(ReadPlaces(*connection_, table, request, &reader_, &chunk));
    return chunk;
  }
  const Walk& walk = table.walk;
  if (request.maximum && !IsSameWalk(request, walk, chunk)) {
    log::Warn(
        "incremental snapshot begins a table again: the key it is read by, or its files, have "
        "changed",
        {{"table", walk.table.Text()}});
    chunk.anew = true;
    request.after.reset();
    request.maximum.reset();
  }
  // What is equal is told apart by places that are not those any more.
  if (moved && request.after) request.after->resize(std::min(request.after->size(), walk.shown));
  RETURN_IF_ERROR(Estimate(walk, chunk.schema->relation));
  chunk.estimated_rows = estimated_rows_;
  last_walk_ = walk;
  if (!request.maximum) RETURN_IF_ERROR(ReadMaximum(table, chunk, &request));
  chunk.maximum = request.maximum;
  if (!chunk.maximum) {
    chunk.outcome = Chunk::Outcome::kEmpty;
    return chunk;
  }
  RETURN_IF_ERROR(chunk.by_place ? places_.Read(*connection_, table, request, &reader_, &chunk)
                                 : ReadByKey(request, table, &chunk));
  return chunk;
}

absl::Status ChunkThread::LookAtFiles(PlaceWalk::Table* table, Chunk* chunk) {
  const Oid relation = chunk->schema->relation;
  ASSIGN_OR_RETURN(const auto layouts,
                   postgres::ReadLayouts(*connection_, {relation}, postgres::LayoutLock::kHeld));
  const auto layout = layouts.find(relation);
  if (layout == layouts.end()) return absl::OkStatus();
  chunk->storage = layout->second.storage;
  table->members = layout->second.members;
  table->blocks = layout->second.blocks;
  chunk->by_place = options_.incremental.reads_by_place && table->walk.columns.empty();
  return absl::OkStatus();
}

// Once for a table. What a condition lets through is not known.
absl::Status ChunkThread::Estimate(const Walk& walk, Oid relation) {
  if (last_walk_.table == walk.table && last_walk_.condition == walk.condition)
    return absl::OkStatus();
  estimated_rows_.reset();
  if (walk.condition) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto estimates, postgres::EstimateRows(*connection_, {relation}));
  if (const auto one = estimates.find(relation); one != estimates.end())
    estimated_rows_ = one->second;
  return absl::OkStatus();
}

// After a restart only the number of columns is known.
bool ChunkThread::IsSameWalk(const ChunkRequest& request, const Walk& walk,
                             const Chunk& chunk) const {
  if (request.by_place || chunk.by_place)
    return request.by_place == chunk.by_place && request.storage == chunk.storage;
  if (request.maximum->size() != walk.shown) return false;
  const size_t bound = request.after ? request.after->size() : walk.shown;
  if (bound != walk.shown && bound != walk.columns.size()) return false;
  return last_walk_.table != walk.table || last_walk_.columns == walk.columns;
}

absl::Status ChunkThread::LookAtTransactions(Chunk* chunk) {
  RETURN_IF_ERROR(ReadView(*connection_, chunk));
  chunk->held = held_.held();
  if (!options_.incremental.writes_nothing()) return absl::OkStatus();
  ASSIGN_OR_RETURN(chunk->seen, Written());
  return absl::OkStatus();
}

absl::StatusOr<Lsn> ChunkThread::Written() {
  ASSIGN_OR_RETURN(const postgres::Result end, connection_->Query(postgres::OneRow(1), kWritten));
  return Lsn::Parse(end.Get(0, 0));
}

// One version as long as nothing changes: plans of the encoder go with it.
absl::StatusOr<event::TableSchemaPtr> ChunkThread::Describe(const TableId& table) {
  ASSIGN_OR_RETURN(const postgres::Result found,
                   connection_->Query(postgres::Rows(1), kFind, {table.schema, table.table}));
  uint32_t oid = 0;
  if (found.rows() != 1 || !absl::SimpleAtoi(found.Get(0, 0), &oid)) {
    return Error(absl::StatusCode::kNotFound, "table_missing",
                 absl::StrCat(table.Text(), " is not a table"));
  }
  ASSIGN_OR_RETURN(event::TableSchemaPtr schema, catalog_->Describe(Oid{oid}));
  if (last_schema_ == nullptr || !SameSchema(*schema, *last_schema_)) last_schema_ = schema;
  return last_schema_;
}

absl::StatusOr<Walk> ChunkThread::WalkOf(const ChunkRequest& request, Chunk* chunk) const {
  const event::TableSchema& schema = *chunk->schema;
  Walk walk{.table = request.table.table, .condition = request.table.condition};
  chunk->record_key = options_.record_key(schema);
  chunk->shown = chunk->record_key;
  if (const auto& name = request.table.surrogate_key) {
    const auto column = std::find_if(schema.columns.begin(), schema.columns.end(),
                                     [&](const event::Column& one) { return one.name == *name; });
    if (column == schema.columns.end()) {
      return Error(absl::StatusCode::kInvalidArgument, "surrogate_key_unknown",
                   absl::StrCat("the surrogate key '", *name, "' is not a column of ",
                                request.table.table.Text()),
                   "name a column of the table in the signal");
    }
    chunk->shown = {static_cast<uint16_t>(column - schema.columns.begin())};
  }
  if (chunk->shown.empty()) return walk;
  std::vector<uint16_t> columns = chunk->shown;
  for (const uint16_t one : schema.key_columns) {
    if (std::find(columns.begin(), columns.end(), one) == columns.end()) columns.push_back(one);
  }
  for (const uint16_t one : columns) {
    const event::Column& column = schema.columns[one];
    walk.columns.push_back({.name = column.name,
                            .nullable = MayHoldNull(schema, one, connection_->server_version()),
                            .type = column.type->name});
  }
  walk.shown = chunk->shown.size();
  if (schema.key_columns.empty()) walk.columns.push_back({.name = "ctid", .of_system = true});
  return walk;
}

std::vector<uint16_t> ChunkThread::ReadsOf(const ChunkRequest& request,
                                           const event::TableSchema& schema) const {
  std::vector<uint16_t> reads = event::ColumnsOf(options_.wanted, schema);
  const std::vector<uint16_t> record_key = options_.record_key(schema);
  reads.insert(reads.end(), record_key.begin(), record_key.end());
  reads.insert(reads.end(), schema.key_columns.begin(), schema.key_columns.end());
  for (size_t i = 0; i < schema.columns.size(); ++i) {
    if (schema.columns[i].name == request.table.surrogate_key)
      reads.push_back(static_cast<uint16_t>(i));
  }
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  return reads;
}

absl::Status ChunkThread::ReadMaximum(const PlaceWalk::Table& table, const Chunk& chunk,
                                      ChunkRequest* request) {
  if (chunk.by_place) {
    if (table.blocks > 0) request->maximum = Key{Place{.block = table.blocks}.Text()};
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const postgres::Result result, connection_->Query(MaximumSql(table.walk)));
  if (result.rows() == 0) return absl::OkStatus();
  Key maximum;
  for (int i = 0; i < static_cast<int>(table.walk.shown); ++i) {
    maximum.push_back(result.is_null(0, i) ? std::nullopt
                                           : std::optional(std::string(result.Get(0, i))));
  }
  request->maximum = std::move(maximum);
  return absl::OkStatus();
}

// The chunk ends early where rows are wide: the next one goes on behind it.
absl::Status ChunkThread::ReadByKey(const ChunkRequest& request, const PlaceWalk::Table& table,
                                    Chunk* chunk) {
  RowReader::Ask ask{.columns = table.columns.size(),
                     .reads = table.reads,
                     .has_places = table.walk.columns.back().of_system};
  const std::vector<std::string> names = table.ReadNames();
  for (postgres::Statement& statement :
       ChunkSql(table.walk, names, request.after, request.maximum, request.most_rows)) {
    ask.statement = std::move(statement);
    ask.most_rows = request.most_rows - static_cast<int64_t>(chunk->rows.size());
    RETURN_IF_ERROR(reader_.Read(*connection_, &ask, chunk));
    const bool full = chunk->rows.size() >= static_cast<size_t>(request.most_rows);
    if (!ask.complete || full) break;
  }
  if (!chunk->rows.empty()) chunk->end = KeyOfLast(*chunk, table);
  return absl::OkStatus();
}

}  // namespace walduct::incremental
