// Rows per second of RecordEncoder: the 15-column row of mixed types that the project measures
// itself by, with and without schemas, and each family of types beside text.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
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

void EncodeRows(benchmark::State& state, const std::vector<BenchColumn>& columns, bool schemas,
                const event::TransformChain* chain = nullptr,
                ConverterKind kind = ConverterKind::kJson, bool transactions = false,
                bool events = false) {
  const auto table = MakeTable(columns);
  std::vector<event::Value> row;
  for (const BenchColumn& c : columns) row.push_back(event::Value::Text(c.text));
  EncodeOptions options;
  options.topic_prefix = "srv";
  options.database = "shop";
  options.key.schemas_enable = schemas;
  options.value.schemas_enable = schemas;
  options.key.kind = options.value.kind = kind;
  if (events) options.value.cloud_events = std::make_shared<const CloudEventsOptions>();
  test::FakeSchemaIds ids;
  auto encoder = *RecordEncoder::Create(
      options, Clock::Real(), "01a1fbb7-2e9e-7014-9793-f370a197befc", chain, {&ids, &ids});
  event::ChangeEvent change;
  change.schema = table.get();
  change.after = row;
  change.lsn = Lsn(2393226040);
  change.xid = 204126;
  change.source_time_us = 1795224449141730;
  event::Emission emission;
  emission.change = &change;
  emission.with_after = true;
  emission.topic = "srv.public.typical";
  event::Record record;
  size_t bytes = 0;
  for (auto _ : state) {
    if (transactions) {
      change.lsn = Lsn(change.lsn.value() + 200);
      change.last_commit_end = Lsn(change.lsn.value() - 56);
      change.xid = *change.xid + 1;
      change.source_time_us += 1000;
    }
    if (!encoder->Encode(emission, &record).ok()) state.SkipWithError("a value was refused");
    bytes += record.value->size();
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

void TypicalRow(benchmark::State& state) { EncodeRows(state, Typical(), state.range(0) != 0); }
BENCHMARK(TypicalRow)->ArgName("schemas")->Arg(0)->Arg(1);

void TypicalRowAsText(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kString);
}
BENCHMARK(TypicalRowAsText);

void TypicalRowAsEvent(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kJson, false, true);
}
BENCHMARK(TypicalRowAsEvent);

void TypicalRowAsAvro(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kAvro);
}
BENCHMARK(TypicalRowAsAvro);

// Each row a transaction of its own.
void TypicalRowAsAvroAlone(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kAvro, true);
}
BENCHMARK(TypicalRowAsAvroAlone);

void TypicalRowAsProtobuf(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kProtobuf);
}
BENCHMARK(TypicalRowAsProtobuf);

void TypicalRowAsProtobufAlone(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kProtobuf, true);
}
BENCHMARK(TypicalRowAsProtobufAlone);

// Each row a transaction of its own.
void TypicalRowAlone(benchmark::State& state) {
  EncodeRows(state, Typical(), false, nullptr, ConverterKind::kJson, true);
}
BENCHMARK(TypicalRowAlone);

void Chained(benchmark::State& state, const test::PropertyList& transforms) {
  const auto chain = transform::Chain::Create(test::ChainOf(transforms));
  EncodeRows(state, Typical(), state.range(0) != 0, chain.get());
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
class OneColumnRecord {
 public:
  OneColumnRecord(const test::TypeSample& sample, absl::string_view text,
                  const ValueOptions& values)
      : row_{event::Value::Text("1"), event::Value::Text(text)} {
    table_ = MakeTable({{"int8", -1, "1"}, {"text", sample.typmod, ""}});
    table_->columns[1].type = test::TypeOf(sample);
    EncodeOptions options;
    options.topic_prefix = "srv";
    options.database = "shop";
    options.key.schemas_enable = false;
    options.value.schemas_enable = false;
    options.values = values;
    encoder_ = *RecordEncoder::Create(options, Clock::Real(), "01a1fbb7");
    change_.schema = table_.get();
    change_.after = row_;
    change_.lsn = Lsn(2393226040);
    change_.xid = 204126;
    change_.source_time_us = 1795224449141730;
    emission_.change = &change_;
    emission_.with_after = true;
    emission_.topic = "srv.public.typical";
  }

  void Encode() { benchmark::DoNotOptimize(encoder_->Encode(emission_, &record_).ok()); }

  // The best of a few rounds: other work on the machine only makes it slower.
  double Nanoseconds() {
    constexpr int kRounds = 2000;
    double best = 0;
    for (int attempt = 0; attempt < 25; ++attempt) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kRounds; ++i) Encode();
      const std::chrono::duration<double, std::nano> took =
          std::chrono::steady_clock::now() - begin;
      if (attempt == 0 || took.count() < best) best = took.count();
    }
    return best / kRounds;
  }

 private:
  std::shared_ptr<event::TableSchema> table_;
  std::vector<event::Value> row_;
  std::unique_ptr<RecordEncoder> encoder_;
  event::ChangeEvent change_;
  event::Emission emission_;
  event::Record record_;
};

void Family(benchmark::State& state, const test::TypeSample& sample, const ValueOptions& options) {
  const std::string plain(std::strlen(sample.text), 'x');
  const test::TypeSample text = {"text", -1, plain.c_str()};
  OneColumnRecord record(sample, sample.text, options), beside(text, plain, options);
  OneColumnRecord empty({"text", -1, ""}, "", options);
  for (auto _ : state) record.Encode();
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
