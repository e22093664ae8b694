// ChunkThread: reads chunks and writes watermarks on a thread and a session of its own, so that the
// stream never waits for either. The session is opened for the first of them, and anew when it
// broke. What is read is one view of the database: lock, structure, greatest key and rows.
//
// Thread-safety: as ChunkSource. The destructor cancels what runs and waits for the thread.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/mutex.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "event/wanted_columns.h"
#include "incremental/chunks/chunk_source.h"
#include "incremental/chunks/chunk_sql.h"
#include "incremental/chunks/held_commits.h"
#include "incremental/chunks/place_walk.h"
#include "incremental/chunks/row_reader.h"
#include "incremental/chunks/table_hold.h"
#include "incremental/options/incremental_options.h"
#include "names/table_filter.h"
#include "postgres/connection_options.h"
#include "postgres/describe/catalog.h"

namespace walduct::incremental {

class ChunkThread final : public ChunkSource {
 public:
  struct Options {
    postgres::ConnectionOptions connection;
    std::string connector;  // whose log lines these are
    IncrementalOptions incremental;
    names::TableFilterOptions captured;
    postgres::SchemaMemory* schemas = nullptr;  // borrowed; learns what is read
    RecordKeyOf record_key;
    event::WantedColumns wanted = nullptr;
  };
  explicit ChunkThread(Options options);

  void WriteOpen(const std::string& window) override { Begin(Open{window}); }
  void Read(const ChunkRequest& request) override { Begin(request); }
  void WriteClose(const std::string& window) override { Begin(Close{window}); }
  std::optional<Answer> Poll() override;
  int ready_fd() const override { return ready_.fd(); }

 private:
  struct Open {
    std::string window;
  };
  struct Close {
    std::string window;
  };
  using Job = std::variant<std::monostate, Open, Close, ChunkRequest>;

  void Begin(Job job);
  void Loop();
  bool AwaitJob(Job* job);
  Answer Run(const Job& job);
  absl::Status Connect();
  absl::Status Write(const Open& open);
  absl::Status Write(const Close& close);
  // A refusal with the GRANT that is missing.
  absl::Status MayWrite(const absl::Status& written);
  absl::StatusOr<Chunk> ReadChunk(const ChunkRequest& request);
  absl::StatusOr<Chunk> ReadLocked(const ChunkRequest& request);
  // The same of what is read.
  absl::Status Explained(const absl::Status& error, const ChunkRequest& request);
  absl::StatusOr<event::TableSchemaPtr> Describe(const TableId& table);
  absl::Status LookAtTransactions(Chunk* chunk);
  absl::StatusOr<Lsn> Written();  // the WAL's end
  absl::StatusOr<Chunk> ReadOf(const PlaceWalk::Table& table, ChunkRequest request, Chunk chunk);
  // What can be read of a table without a key by its places; no members: nothing.
  absl::Status LookAtFiles(PlaceWalk::Table* table, Chunk* chunk);
  // Whether the request's bounds are of this walk.
  bool IsSameWalk(const ChunkRequest& request, const Walk& walk, const Chunk& chunk) const;
  // What the table is walked by; no columns: nothing.
  absl::StatusOr<Walk> WalkOf(const ChunkRequest& request, Chunk* chunk) const;
  // Ascending: what records have, and what the table is walked by.
  std::vector<uint16_t> ReadsOf(const ChunkRequest& request,
                                const event::TableSchema& schema) const;
  absl::Status Estimate(const Walk& walk, Oid relation);
  absl::Status ReadMaximum(const PlaceWalk::Table& table, const Chunk& chunk,
                           ChunkRequest* request);
  absl::Status ReadByKey(const ChunkRequest& request, const PlaceWalk::Table& table, Chunk* chunk);
  std::string SignalTable() const;
  std::string Now() const;

  const Options options_;
  const names::TableFilter captured_;
  Wake ready_;
  Mutex mutex_;
  Job job_ ABSL_GUARDED_BY(mutex_);
  std::optional<Answer> answer_ ABSL_GUARDED_BY(mutex_);
  // The thread's own.
  std::unique_ptr<postgres::Connection> connection_;
  std::unique_ptr<postgres::Catalog> catalog_;
  HeldCommits held_;
  TableHold hold_;
  event::TableSchemaPtr last_schema_;
  Walk last_walk_;
  std::optional<uint64_t> estimated_rows_;  // of last_walk_
  RowReader reader_;
  PlaceWalk places_;
  std::string opened_at_;

  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::incremental
