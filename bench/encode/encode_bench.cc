// Rows per second of RecordEncoder: the 15-column row of mixed types that the project measures
// itself by, with and without schemas, and each family of types beside text.
#include <benchmark/benchmark.h>

#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "encode/options/cloud_events_options.h"
#include "encode/options/converter_options.h"
#include "encode/options/encode_options.h"
#include "encode/options/value_options.h"
#include "encode/record_encoder.h"
#include "encode/types/type_table.h"
#include "tests/support/chain_config.h"
#include "tests/support/fake_schema_ids.h"
#include "tests/support/type_samples.h"
#include "transform/chain/chain.h"

namespace walduct::encode {
namespace {

struct BenchColumn {
  const char* type;
  int32_t typmod;
  const char* text;
};

std::shared_ptr<event::TableSchema> MakeTable(const std::vector<BenchColumn>& columns) {
  auto table = std::make_shared<event::TableSchema>();
  table->schema = "public";
  table->table = "typical";
  table->key_columns = {0};
  for (const BenchColumn& c : columns) {
    auto type = std::make_shared<event::Type>();
    type->schema = "pg_catalog";
    type->name = c.type;
    event::Column column;
    column.name = std::string("column_") + std::to_string(table->columns.size());
    column.type = type;
    column.typmod = c.typmod;
    table->columns.push_back(column);
  }
  return table;
}

double CpuNanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// One row, again and again. Returned where it is made: it points into itself.
class Rows {
 public:
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  Rows(std::shared_ptr<event::TableSchema> table, const std::vector<absl::string_view>& texts,
       EncodeOptions options, const event::TransformChain* chain = nullptr)
      : table_(std::move(table)) {
    for (const absl::string_view text : texts) row_.push_back(event::Value::Text(text));
    options.topic_prefix = "srv";
    options.database = "shop";
    encoder_ = *RecordEncoder::Create(
        options, Clock::Real(), "01a1fbb7-2e9e-7014-9793-f370a197befc", chain, {&ids_, &ids_});
    change_.schema = table_.get();
    change_.after = row_;
    change_.lsn = Lsn(2393226040);
    change_.xid = 204126;
    change_.source_time_us = 1795224449141730;
    emission_.change = &change_;
    emission_.with_after = true;
    emission_.topic = "srv.public.typical";
  }

  // The next row is of another transaction.
  void NextTransaction() {
    change_.lsn = Lsn(change_.lsn.value() + 200);
    change_.last_commit_end = Lsn(change_.lsn.value() - 56);
    change_.xid = *change_.xid + 1;
    change_.source_time_us += 1000;
  }
  bool Encode() { return encoder_->Encode(emission_, &record_).ok(); }
  size_t bytes() const { return record_.value->size(); }

  // CPU time of a row, the best of a few rounds: other work on the machine only makes it slower.
  double Nanoseconds() {
    constexpr int kRounds = 2000;
    double best = 0;
    for (int attempt = 0; attempt < 25; ++attempt) {
      const double begin = CpuNanoseconds();
      for (int i = 0; i < kRounds; ++i) benchmark::DoNotOptimize(Encode());
      const double took = CpuNanoseconds() - begin;
      if (attempt == 0 || took < best) best = took;
    }
    return best / kRounds;
  }

 private:
  const std::shared_ptr<event::TableSchema> table_;
  std::vector<event::Value> row_;
  test::FakeSchemaIds ids_;
  std::unique_ptr<RecordEncoder> encoder_;
  event::ChangeEvent change_;
  event::Emission emission_;
  event::Record record_;
};

ConverterOptions Json(bool schemas) { return {.schemas_enable = schemas}; }

EncodeOptions With(const ConverterOptions& key, const ConverterOptions& value) {
  EncodeOptions options;
  options.key = key;
  options.value = value;
  return options;
}

void Run(benchmark::State& state, Rows* rows, bool transactions = false) {
  size_t bytes = 0;
  for (auto _ : state) {
    if (transactions) rows->NextTransaction();
    if (!rows->Encode()) state.SkipWithError("a value was refused");
    bytes += rows->bytes();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}

constexpr int32_t kNumeric12Dot2 = (12 << 16 | 2) + 4;

const std::vector<BenchColumn>& Typical() {
  static const auto* columns =
      new std::vector<BenchColumn>{{"int8", -1, "1234567890"},
                                   {"int4", -1, "42"},
                                   {"int2", -1, "7"},
                                   {"text", -1, "a customer of ordinary name"},
                                   {"varchar", 68, "someone@example.com"},
                                   {"text", -1,
                                    "a note of some length, as people write them into such a field "
                                    "when they have something to say"},
                                   {"numeric", kNumeric12Dot2, "12345.67"},
                                   {"float8", -1, "3.14159265358979"},
                                   {"bool", -1, "t"},
                                   {"timestamptz", -1, "2024-02-29 13:51:30.123456+00"},
                                   {"timestamp", -1, "2024-02-29 13:51:30.123456"},
                                   {"date", -1, "2024-02-29"},
                                   {"uuid", -1, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
                                   {"jsonb", -1, "{\"a\": 1, \"tags\": [\"x\", \"y\"]}"},
                                   {"bytea", -1, "\\x00112233445566778899aabbccddeeff"}};
  return *columns;
}

Rows TypicalRows(const ConverterOptions& key, const ConverterOptions& value,
                 const event::TransformChain* chain = nullptr) {
  std::vector<absl::string_view> texts;
  for (const BenchColumn& column : Typical()) texts.push_back(column.text);
  return Rows(MakeTable(Typical()), texts, With(key, value), chain);
}

void TypicalRow(benchmark::State& state) {
  const ConverterOptions json = Json(state.range(0) != 0);
  Rows rows = TypicalRows(json, json);
  Run(state, &rows);
}
BENCHMARK(TypicalRow)->ArgName("schemas")->Arg(0)->Arg(1);

struct Format {
  const char* name;
  ConverterOptions key, value;
};

std::vector<Format> Formats() {
  ConverterOptions avro = Json(false), protobuf = Json(false), text = Json(false);
  ConverterOptions json_schema = Json(false), with_id = Json(false), event = Json(false);
  avro.kind = ConverterKind::kAvro;
  protobuf.kind = ConverterKind::kProtobuf;
  text.kind = ConverterKind::kString;
  json_schema.json_schema = true;
  with_id.schema_id = true;
  event.cloud_events = std::make_shared<const CloudEventsOptions>();
  ConverterOptions event_of_avro = event, avro_event = event;
  event_of_avro.kind = avro_event.kind = ConverterKind::kAvro;
  CloudEventsOptions in_avro;
  in_avro.avro = true;
  avro_event.cloud_events = std::make_shared<const CloudEventsOptions>(in_avro);
  return {{"json", Json(false), Json(false)},
          {"json_with_schemas", Json(true), Json(true)},
          {"avro", avro, avro},
          {"protobuf", protobuf, protobuf},
          {"json_schema", json_schema, json_schema},
          {"json_with_id", with_id, with_id},
          {"cloud_event", Json(false), event},
          {"cloud_event_of_avro", Json(false), event_of_avro},
          {"avro_cloud_event", avro, avro_event},
          {"text", text, text}};
}

// In one transaction, and each row in one of its own; "of_json" is how many times slower than JSON
// without schemas, "bytes" what a value has.
void AddFormats() {
  for (const Format& format : Formats()) {
    benchmark::RegisterBenchmark(
        absl::StrCat("Format/", format.name).c_str(), [format](benchmark::State& state) {
          Rows rows = TypicalRows(format.key, format.value);
          Run(state, &rows);
          Rows json = TypicalRows(Json(false), Json(false));
          state.counters["of_json"] = rows.Nanoseconds() / json.Nanoseconds();
          state.counters["bytes"] = static_cast<double>(rows.bytes());
        });
    benchmark::RegisterBenchmark(absl::StrCat("Format/", format.name, "/alone").c_str(),
                                 [format](benchmark::State& state) {
                                   Rows rows = TypicalRows(format.key, format.value);
                                   Run(state, &rows, true);
                                 });
  }
}

void Chained(benchmark::State& state, const test::PropertyList& transforms) {
  const auto chain = transform::Chain::Create(test::ChainOf(transforms));
  const ConverterOptions json = Json(state.range(0) != 0);
  Rows rows = TypicalRows(json, json, chain.get());
  Run(state, &rows);
}

// The same record through a chain that changes nothing, unwrapped, and unwrapped to the topic that
// a column names.
void TypicalRowPassed(benchmark::State& state) {
  Chained(state, test::OneTransform("p", "SchemaChangeEventFilter",
                                    {{"schema.change.event.exclude.list", "DROP"}}));
}
BENCHMARK(TypicalRowPassed)->ArgName("schemas")->Arg(0)->Arg(1);

void TypicalRowUnwrapped(benchmark::State& state) {
  Chained(state, test::OneTransform("u", "ExtractNewRecordState"));
}
BENCHMARK(TypicalRowUnwrapped)->ArgName("schemas")->Arg(0)->Arg(1);

void TypicalRowRouted(benchmark::State& state) {
  Chained(
      state,
      test::InOrder(
          {test::OneTransform("u", "ExtractNewRecordState",
                              {{"route.by.field", "column_4"}, {"add.fields", "op,source.ts_ms"}}),
           test::OneTransform("r", "RegexRouter", {{"regex", "(.*)"}, {"replacement", "x-$1"}})}));
}
BENCHMARK(TypicalRowRouted)->ArgName("schemas")->Arg(0)->Arg(1);

// A family of types beside text of the same length, as records with one such column: "of_text" is
// how many times slower its record is, "value_ns" what the value alone takes.
Rows OneColumn(const test::TypeSample& sample, absl::string_view text, const ValueOptions& values) {
  auto table = MakeTable({{"int8", -1, "1"}, {"text", sample.typmod, ""}});
  table->columns[1].type = test::TypeOf(sample);
  EncodeOptions options;
  options.key = options.value = Json(false);
  options.values = values;
  return Rows(std::move(table), {"1", text}, std::move(options));
}

void Family(benchmark::State& state, const test::TypeSample& sample, const ValueOptions& options) {
  const std::string plain(std::strlen(sample.text), 'x');
  const test::TypeSample text = {"text", -1, plain.c_str()};
  Rows record = OneColumn(sample, sample.text, options), beside = OneColumn(text, plain, options);
  Rows empty = OneColumn({"text", -1, ""}, "", options);
  for (auto _ : state) benchmark::DoNotOptimize(record.Encode());
  const double nanoseconds = record.Nanoseconds();
  state.counters["of_text"] = nanoseconds / beside.Nanoseconds();
  state.counters["value_ns"] = nanoseconds - empty.Nanoseconds();
}

struct Form {
  const char* name;
  ValueOptions values;
};

std::vector<Form> Forms() {
  std::vector<Form> forms = {{"", {}}, {"/text", {}}, {"/number", {}}};
  forms[1].values.decimal = DecimalMode::kString;
  forms[1].values.time = TimeMode::kIsoString;
  forms[1].values.binary = BinaryMode::kHex;
  forms[1].values.hstore_map = true;
  forms[1].values.interval_string = true;
  forms[1].values.include_unknown = true;
  forms[2].values.decimal = DecimalMode::kDouble;
  forms[2].values.time = TimeMode::kNanoseconds;
  return forms;
}

[[maybe_unused]] const bool kRegistered = [] {
  AddFormats();
  for (const Form& form : Forms()) {
    for (const test::TypeSample& sample : test::TypeSamples()) {
      TypeMapping mapping, usual;
      if (!MapType(*test::TypeOf(sample), sample.typmod, form.values, &mapping)) continue;
      const bool same = MapType(*test::TypeOf(sample), sample.typmod, {}, &usual) &&
                        usual.plan.reads == mapping.plan.reads &&
                        usual.plan.bytes_as == mapping.plan.bytes_as &&
                        usual.schema.type == mapping.schema.type;
      if (same && form.name[0] != '\0') continue;
      const std::string name = absl::StrCat("Family/", sample.name,
                                            sample.typmod < 0 ? "" : "_with_modifier", form.name);
      benchmark::RegisterBenchmark(name.c_str(), [sample, form](benchmark::State& state) {
        Family(state, sample, form.values);
      });
    }
  }
  return true;
}();

}  // namespace
}  // namespace walduct::encode
