// Rows per second of RecordEncoder: the 15-column row of mixed types that the project measures itself by, with and without
// schemas, and one column of each family of types.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "encode/record_encoder.h"

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

void EncodeRows(benchmark::State& state, const std::vector<BenchColumn>& columns, bool schemas) {
  const auto table = MakeTable(columns);
  std::vector<event::Value> row;
  for (const BenchColumn& c : columns) row.push_back(event::Value::Text(c.text));
  config::EncodeOptions options;
  options.topic_prefix = "srv";
  options.database = "shop";
  options.key.schemas_enable = schemas;
  options.value.schemas_enable = schemas;
  auto encoder =
      *RecordEncoder::Create(options, Clock::Real(), "01a1fbb7-2e9e-7014-9793-f370a197befc");
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

void OneColumn(benchmark::State& state, BenchColumn column) {
  EncodeRows(state, {{"int8", -1, "1"}, column}, false);
}
BENCHMARK_CAPTURE(OneColumn, int8, BenchColumn{"int8", -1, "1234567890123"});
BENCHMARK_CAPTURE(OneColumn, float8, BenchColumn{"float8", -1, "3.14159265358979"});
BENCHMARK_CAPTURE(OneColumn, numeric_12_2, BenchColumn{"numeric", kNumeric12Dot2, "12345.67"});
BENCHMARK_CAPTURE(OneColumn, numeric_38_digits,
                  BenchColumn{"numeric", -1, "1234567890123456789012345678.1234567891"});
BENCHMARK_CAPTURE(OneColumn, money, BenchColumn{"money", -1, "$1,234.56"});
BENCHMARK_CAPTURE(OneColumn, text,
                  BenchColumn{"text", -1, "a note of some length, as people write them"});
BENCHMARK_CAPTURE(OneColumn, bytea,
                  BenchColumn{"bytea", -1, "\\x00112233445566778899aabbccddeeff"});
BENCHMARK_CAPTURE(OneColumn, bits, BenchColumn{"varbit", -1, "10110111011101110111"});
BENCHMARK_CAPTURE(OneColumn, date, BenchColumn{"date", -1, "2024-02-29"});
BENCHMARK_CAPTURE(OneColumn, timestamp, BenchColumn{"timestamp", -1, "2024-02-29 13:51:30.123456"});
BENCHMARK_CAPTURE(OneColumn, timestamptz,
                  BenchColumn{"timestamptz", -1, "2024-02-29 13:51:30.123456+00"});
BENCHMARK_CAPTURE(OneColumn, interval,
                  BenchColumn{"interval", -1, "1 year 2 mons 3 days 04:05:06.78"});
BENCHMARK_CAPTURE(OneColumn, hstore,
                  BenchColumn{"hstore", -1, "\"a\"=>\"1\", \"b\"=>NULL, \"c\"=>\"three\""});

}  // namespace
}  // namespace walduct::encode
