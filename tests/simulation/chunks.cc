#include "tests/simulation/chunks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/catalog.h"

namespace walduct::simulation {

using incremental::Chunk;
using incremental::ChunkRequest;

Chunks::Chunks(World* world, Process* process) : state_(std::make_shared<State>()) {
  state_->world = world;
  state_->process = process;
  state_->fd = world->time.NewDescriptor();
  state_->timeline = world->database.timeline();
  for (size_t table = 0; table < kTables; ++table) {
    event::RelationDescription relation;
    const test::RelationSpec spec = Database::Relation(table);
    relation.relation = Oid{spec.oid};
    relation.schema = spec.schema;
    relation.table = spec.table;
    for (const test::RelationColumnSpec& column : spec.columns)
      relation.columns.push_back(
          {.name = column.name, .type = Oid{column.type}, .part_of_identity = column.key});
    state_->schemas[table] = Catalog::Schema(relation);
  }
}

void Chunks::Later(const Shared& state, absl::Duration most, std::function<void()> what) {
  World& world = *state->world;
  world.time.After(world.random.UpTo(most), [state, what = std::move(what)] {
    if (state->closed || state->process->dead()) return;
    World& there = *state->world;
    const absl::Duration now = there.time.Monotonic();
    if (!state->process->runs()) {
      there.time.After(state->process->stands_until() - now,
                       [state, what] { Later(state, absl::ZeroDuration(), what); });
    } else if (state->timeline != there.database.timeline() || now < there.promoted) {
      Reply(state, {.status = absl::UnavailableError("the server is gone")});
    } else {
      what();
    }
  });
}

void Chunks::Reply(const Shared& state, Answer answer) {
  state->answer = std::move(answer);
  state->world->time.SetReadable(state->fd, true);
}

std::optional<Chunks::Answer> Chunks::Poll() {
  World& world = *state_->world;
  world.time.SetReadable(state_->fd, false);
  if (state_->process->Step("a chunk")) return std::nullopt;
  return std::exchange(state_->answer, std::nullopt);
}

void Chunks::Write(const Shared& state, const Signal& signal) {
  const bool fails = state->world->Happens(Fault::kDisconnect);
  const bool lands = !fails || state->world->random.OneIn(2);
  Later(state, absl::Milliseconds(300), [state, signal, fails, lands] {
    if (lands) state->world->WriteSignal(signal);
    Later(state, absl::Milliseconds(100), [state, fails] {
      Reply(state, {.status = fails ? absl::UnavailableError("lost") : absl::OkStatus()});
    });
  });
}

void Chunks::WriteOpen(const std::string& window) {
  Write(state_, {.id = absl::StrCat(window, "-open"), .type = "snapshot-window-open"});
}

void Chunks::WriteClose(const std::string& window) {
  if (state_->world->policy.windows == Policy::Windows::kInsertDelete)
    return Write(state_, {.id = absl::StrCat(window, "-open"), .deletes = true});
  Write(state_, {.id = absl::StrCat(window, "-close"), .type = "snapshot-window-close"});
}

void Chunks::Read(const ChunkRequest& request) {
  World& world = *state_->world;
  const bool fails = world.Happens(Fault::kDisconnect);
  const bool locked = world.Happens(Fault::kLock);
  Later(state_, absl::Milliseconds(300), [=, state = state_] {
    World& there = *state->world;
    state->held.Take(there.database.RunningAt(there.time.Monotonic()), there.time.Monotonic());
    Later(state, locked ? absl::Minutes(1) : absl::Milliseconds(100), [=] {
      Answer answer;
      if (fails) answer.status = absl::UnavailableError("lost");
      if (!fails) answer.chunk = Take(state.get(), request);
      Later(state, absl::Milliseconds(500), [=] { Reply(state, answer); });
    });
  });
}

Chunk Chunks::Take(State* state, const ChunkRequest& request) {
  World& world = *state->world;
  const absl::Duration now = world.time.Monotonic();
  const size_t table = request.table.table.table == Database::TableName(0) ? 0 : 1;
  Chunk chunk;
  static_cast<incremental::TransactionView&>(chunk) = world.database.ViewAt(now);
  if (world.defect == Defect::kBlindView)
    static_cast<incremental::TransactionView&>(chunk) = incremental::TransactionView();
  if (world.defect != Defect::kForgetHeld) chunk.held = state->held.held();
  const bool early = world.defect == Defect::kSeenTooEarly;
  if (world.policy.windows == Policy::Windows::kReadOnly && !early)
    chunk.seen = world.database.WalEnd(now);
  chunk.schema = state->schemas[table];
  chunk.record_key = chunk.shown = {0};
  AddRows(*state, request, table, &chunk);
  if (!chunk.maximum) chunk.outcome = Chunk::Outcome::kEmpty;
  world.Note(absl::StrCat("read: a chunk of ", Database::TableName(table), ", ", chunk.rows.size(),
                          " rows"));
  return chunk;
}

void Chunks::AddRows(const State& state, const ChunkRequest& request, size_t table, Chunk* chunk) {
  const World& world = *state.world;
  const bool stale = world.defect == Defect::kChunkBeforeWindow;
  absl::Duration at = state.world->time.Monotonic();
  if (stale) at -= absl::Seconds(3);
  chunk->maximum = request.maximum;
  const std::vector<std::optional<Change>> rows = world.database.RowsShown(at, table);
  for (const std::optional<Change>& row : rows) {
    if (row && !request.maximum) chunk->maximum = incremental::Key{absl::StrCat(row->key)};
  }
  for (const std::optional<Change>& row : rows) {
    if (!row) continue;
    const std::string key = absl::StrCat(row->key);
    const bool behind = !request.after || key > *request.after->front();
    if (!behind || key > *chunk->maximum->front()) continue;
    if (chunk->rows.size() == static_cast<size_t>(request.most_rows)) break;
    incremental::ChunkRow& read = chunk->rows.emplace_back();
    read.Add(false, key);
    read.Add(false, Database::Value(*row));
    chunk->end = incremental::Key{key};
  }
}

}  // namespace walduct::simulation
