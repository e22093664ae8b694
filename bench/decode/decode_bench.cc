// A recorded stream of a slot, replayed from memory: how fast its messages are decoded and
// assembled, and how fast they become JSON records without schemas as well. items/s are changes,
// bytes/s are bytes of pgoutput.
//
//   walduct_decode_bench FILE [Google Benchmark's options]
//
// FILE is what psql writes of a slot that was made with pgoutput; it leaves the slot as it is:
//   \copy (select lsn, data from pg_logical_slot_peek_binary_changes('SLOT', null, null,
//     'proto_version', '1', 'publication_names', 'PUBLICATION')) to 'FILE' (format binary)
//
// The types of PostgreSQL's own are known by their OIDs; any other column is taken for a text.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "encode/options/encode_options.h"
#include "encode/options/value_options.h"
#include "encode/record_encoder.h"
#include "names/table_filter.h"
#include "pgoutput/assembler.h"
#include "route/router.h"

namespace walduct {
namespace {

struct Message {
  Lsn lsn;
  std::string payload;
};

// PostgreSQL's binary COPY of (pg_lsn, bytea).
std::optional<std::vector<Message>> ReadRecording(const std::string& bytes) {
  constexpr size_t kSignature = 11, kFlags = 4;
  constexpr uint16_t kEnd = 0xFFFF;
  if (bytes.rfind("PGCOPY\n", 0) != 0) return std::nullopt;
  ByteReader reader(bytes);
  reader.Bytes(kSignature + kFlags);
  reader.Bytes(reader.U32());
  std::vector<Message> messages;
  while (reader.ok()) {
    const uint16_t fields = reader.U16();
    if (fields == kEnd) return messages;
    if (fields != 2 || reader.U32() != sizeof(uint64_t)) return std::nullopt;
    const Lsn lsn(reader.U64());
    messages.push_back({.lsn = lsn, .payload = std::string(reader.Bytes(reader.U32()))});
  }
  return std::nullopt;
}

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
      if (from.part_of_identity)
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

void Replay(benchmark::State& state, const std::vector<Message>& messages, Counting& handler) {
  RecordedTables tables;
  handler.changes = 0;
  int64_t bytes = 0;
  for (const Message& message : messages) bytes += static_cast<int64_t>(message.payload.size());
  for (auto _ : state) {
    pgoutput::Assembler assembler(tables, handler, {});
    absl::Status status;
    for (const Message& message : messages)
      status.Update(assembler.OnMessage(message.lsn, message.payload));
    if (!status.ok()) return state.SkipWithError(std::string(status.message()).c_str());
  }
  state.SetItemsProcessed(handler.changes);
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * bytes);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::cerr << "walduct_decode_bench: name a recording (see bench/decode/README.md)\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::optional<std::vector<Message>> messages = ReadRecording(bytes);
  if (!messages) {
    std::cerr << "walduct_decode_bench: " << argv[1] << " is no binary COPY of (lsn, data)\n";
    return 2;
  }
  Counting counting;
  Encoding encoding;
  benchmark::RegisterBenchmark("decode_assemble", [&](benchmark::State& state) {
    Replay(state, *messages, counting);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("decode_assemble_encode", [&](benchmark::State& state) {
    Replay(state, *messages, encoding);
  })->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace walduct

int main(int argc, char** argv) { return walduct::Main(argc, argv); }
