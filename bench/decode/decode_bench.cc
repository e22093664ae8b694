// A recorded stream, replayed from memory: how fast its messages are decoded and assembled, and how
// fast they become JSON records without schemas as well. items/s are changes, bytes/s are bytes of
// pgoutput; the last line is the one to quote.
//
//   walduct_decode_bench FILE [Google Benchmark's options]
//   walduct_decode_bench FILE --replay TIMES    only decode, assemble and encode, for a profiler
//
// FILE is what `walduct record` writes: src/replication/recording/recording.h.
//
// The types of PostgreSQL's own are known by their OIDs; any other column is taken for a text.
#include <benchmark/benchmark.h>
#include <time.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "encode/options/encode_options.h"
#include "encode/options/value_options.h"
#include "encode/record_encoder.h"
#include "names/table_filter.h"
#include "pgoutput/assembler.h"
#include "replication/recording/recording.h"
#include "route/options.h"
#include "route/router.h"

namespace walduct {
namespace {

struct KnownType {
  uint32_t oid;
  const char* name;
  uint32_t element = 0;  // of an array
};
constexpr KnownType kTypes[] = {
    {16, "bool"},        {17, "bytea"},         {20, "int8"},        {21, "int2"},
    {23, "int4"},        {114, "json"},         {700, "float4"},     {701, "float8"},
    {1042, "bpchar"},    {1043, "varchar"},     {1082, "date"},      {1083, "time"},
    {1114, "timestamp"}, {1184, "timestamptz"}, {1700, "numeric"},   {2950, "uuid"},
    {3802, "jsonb"},     {1007, "_int4", 23},   {1009, "_text", 25}, {1016, "_int8", 20},
};

std::shared_ptr<const event::Type> TypeOf(uint32_t oid) {
  auto type = std::make_shared<event::Type>();
  type->oid = Oid{oid};
  type->schema = "pg_catalog";
  type->name = "text";
  for (const KnownType& known : kTypes) {
    if (known.oid != oid) continue;
    type->name = known.name;
    if (known.element == 0) continue;
    type->kind = event::TypeKind::kArray;
    type->element = TypeOf(known.element);
  }
  return type;
}

// What the messages tell of a table is all that there is. Each table has one schema.
class RecordedTables final : public event::SchemaResolver {
 public:
  absl::Status Ask(const event::RelationDescription& relation) override {
    event::TableSchemaPtr& schema = tables_[static_cast<uint32_t>(relation.relation)];
    if (schema == nullptr) schema = MakeSchema(relation);
    asked_ = schema;
    return absl::OkStatus();
  }
  absl::StatusOr<event::TableSchemaPtr> Poll() override { return asked_; }

 private:
  static event::TableSchemaPtr MakeSchema(const event::RelationDescription& relation) {
    auto schema = std::make_shared<event::TableSchema>();
    schema->relation = relation.relation;
    schema->schema = relation.schema;
    schema->table = relation.table;
    schema->replica_identity = relation.replica_identity;
    for (const event::RelationColumn& from : relation.columns) {
      // With REPLICA IDENTITY FULL all are, whatever the primary key is.
      const bool full = relation.replica_identity == event::ReplicaIdentity::kFull;
      if (full ? schema->columns.empty() : from.part_of_identity)
        schema->key_columns.push_back(static_cast<uint16_t>(schema->columns.size()));
      event::Column column;
      column.name = from.name;
      column.type = TypeOf(static_cast<uint32_t>(from.type));
      column.typmod = from.typmod;
      schema->columns.push_back(std::move(column));
    }
    return schema;
  }

  std::map<uint32_t, event::TableSchemaPtr> tables_;
  event::TableSchemaPtr asked_;
};

class Counting : public event::ChangeHandler {
 public:
  absl::Status OnBegin(const event::TransactionInfo& /*transaction*/) override {
    return absl::OkStatus();
  }
  absl::Status OnChange(const event::ChangeEvent& change) override {
    benchmark::DoNotOptimize(change.after);
    ++changes;
    return absl::OkStatus();
  }
  absl::Status OnCommit(const event::TransactionInfo& /*transaction*/,
                        const event::Position& /*boundary*/) override {
    return absl::OkStatus();
  }

  int64_t changes = 0;
};

class Encoding final : public Counting {
 public:
  Encoding() : router_(Routing(), filter_) {
    encode::EncodeOptions options;
    options.topic_prefix = "bench";
    options.database = "bench";
    options.key.schemas_enable = options.value.schemas_enable = false;
    encoder_ = *encode::RecordEncoder::Create(options, Clock::Real(), "01a1fbb7", nullptr);
  }
  absl::Status OnChange(const event::ChangeEvent& change) override {
    absl::Status status = router_.Route(change, &emissions_);
    for (const event::Emission& emission : emissions_) {
      if (status.ok()) status = encoder_->Encode(emission, &record_);
      benchmark::DoNotOptimize(record_.value);
    }
    ++changes;
    return status;
  }

 private:
  static route::RouteOptions Routing() {
    route::RouteOptions options;
    options.topic_prefix = "bench";
    return options;
  }

  const names::TableFilter filter_{names::TableFilterOptions()};
  route::Router router_;
  std::unique_ptr<encode::RecordEncoder> encoder_;
  route::Router::Emissions emissions_;
  event::Record record_;
};

using Messages = std::vector<replication::RecordedMessage>;

absl::Status ReplayOnce(const Messages& messages, RecordedTables& tables, Counting& handler) {
  pgoutput::Assembler assembler(tables, handler, {});
  absl::Status status;
  for (const replication::RecordedMessage& message : messages)
    status.Update(assembler.OnMessage(message.lsn, message.payload));
  return status;
}

int64_t BytesOf(const Messages& messages) {
  int64_t bytes = 0;
  for (const replication::RecordedMessage& message : messages)
    bytes += static_cast<int64_t>(message.payload.size());
  return bytes;
}

// What one of the two has cost: of its repetitions the cheapest, as whatever disturbs adds to it.
struct Cost {
  int64_t changes = 0;  // of the recording
  double seconds = 0;   // CPU time of one replay
};

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void Replay(benchmark::State& state, const Messages& messages, Counting& handler, Cost* cost) {
  RecordedTables tables;
  handler.changes = 0;
  const double begin = CpuSeconds();
  for (auto _ : state) {
    if (const absl::Status status = ReplayOnce(messages, tables, handler); !status.ok())
      return state.SkipWithError(std::string(status.message()).c_str());
  }
  const auto iterations = static_cast<int64_t>(state.iterations());
  const double seconds = (CpuSeconds() - begin) / static_cast<double>(iterations);
  if (cost->changes == 0 || seconds < cost->seconds) cost->seconds = seconds;
  cost->changes = handler.changes / iterations;
  state.SetItemsProcessed(handler.changes);
  state.SetBytesProcessed(iterations * BytesOf(messages));
}

int Refuse(const std::string& error) {
  std::cerr << "walduct_decode_bench: " << error << "\n";
  return 2;
}

// Of use to whoever counts instructions: those of three replays less those of one are those of two.
int ReplayTimes(const Messages& messages, const char* times) {
  int count = 0;
  if (!absl::SimpleAtoi(times, &count) || count < 1)
    return Refuse(absl::StrCat("--replay '", times, "': give a whole number, at least 1"));
  RecordedTables tables;
  Encoding encoding;
  for (int i = 0; i < count; ++i) {
    const absl::Status status = ReplayOnce(messages, tables, encoding);
    if (!status.ok()) return Refuse(std::string(status.message()));
  }
  std::cout << encoding.changes / count << " changes, " << count << " times\n";
  return 0;
}

// To standard error: the standard output may be JSON.
void Quote(const Messages& messages, const Cost& decoded, const Cost& encoded) {
  if (encoded.changes == 0) return;
  const auto changes = static_cast<double>(encoded.changes);
  const double encode_us = 1e6 * encoded.seconds / changes;
  std::cerr << "\n";
  if (decoded.changes > 0) {
    std::cerr << absl::StreamFormat("decode and assemble alone: %.3f us\n",
                                    1e6 * decoded.seconds / changes);
  }
  std::cerr << absl::StreamFormat(
      "walduct: %.3f us of CPU time a change with its JSON record, %.0f changes a second and "
      "core "
      "(%d changes of %.0f bytes)\n",
      encode_us, 1e6 / encode_us, encoded.changes,
      static_cast<double>(BytesOf(messages)) / changes);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const bool only_replays = argc == 4 && std::string(argv[2]) == "--replay";
  if (argc != 2 && !only_replays) {
    return Refuse("name a recording, as walduct record writes it (see bench/decode/README.md)");
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) return Refuse(absl::StrCat("cannot read ", argv[1]));
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const absl::StatusOr<replication::Recording> recording = replication::ReadRecording(bytes);
  if (!recording.ok()) return Refuse(absl::StrCat(argv[1], ": ", recording.status().message()));
  const Messages& messages = recording->messages;
  if (only_replays) return ReplayTimes(messages, argv[3]);
  Counting counting;
  Encoding encoding;
  Cost decoded, encoded;
  benchmark::RegisterBenchmark("decode_assemble", [&](benchmark::State& state) {
    Replay(state, messages, counting, &decoded);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("decode_assemble_encode", [&](benchmark::State& state) {
    Replay(state, messages, encoding, &encoded);
  })->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  Quote(messages, decoded, encoded);
  return 0;
}

}  // namespace
}  // namespace walduct

int main(int argc, char** argv) { return walduct::Main(argc, argv); }
