// A row of an outbox table as an event, beside the same row as a plain table's record: what routing
// costs per row. "bytes" are those of the row as the server sends it, so that both do the same work
// per byte.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "encode/options/converter_options.h"
#include "encode/options/encode_options.h"
#include "encode/record_encoder.h"
#include "tests/support/chain_config.h"
#include "transform/chain/chain.h"

namespace walduct::encode {
namespace {

// Of some hundred bytes, with the quotes that JSON inside JSON has to escape.
std::string Payload(size_t items) {
  std::string payload = R"({"order": 4711, "customer": "someone@example.com", "items": [)";
  for (size_t i = 0; i < items; ++i) {
    payload += i == 0 ? "" : ", ";
    payload += R"({"sku": "A-)" + std::to_string(1000 + i) + R"(", "count": 2, "price": 12.95})";
  }
  return payload + "]}";
}

class OutboxRows {
 public:
  OutboxRows(std::string payload, bool strings)
      : texts_{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "order", "4711", "OrderCreated",
               std::move(payload)} {
    table_.schema = "public";
    table_.table = "outbox";
    table_.key_columns = {0};
    const char* columns[][2] = {{"id", "uuid"},
                                {"aggregatetype", "varchar"},
                                {"aggregateid", "varchar"},
                                {"type", "varchar"},
                                {"payload", "jsonb"}};
    for (const auto& [name, type] : columns) {
      auto of = std::make_shared<event::Type>();
      of->schema = "pg_catalog";
      of->name = type;
      event::Column column;
      column.name = name;
      column.type = std::move(of);
      column.optional = absl::string_view(name) == "payload";
      table_.columns.push_back(column);
    }
    for (const std::string& text : texts_) {
      row_.push_back(event::Value::Text(text));
      row_bytes_ += text.size();
    }
    other_ = texts_.back();
    other_[other_.find('1')] = '2';
    options_.topic_prefix = "srv";
    options_.database = "shop";
    for (ConverterOptions* converter : {&options_.key, &options_.value}) {
      converter->schemas_enable = false;
      if (strings) converter->kind = ConverterKind::kString;
    }
    change_.schema = &table_;
    change_.after = row_;
    change_.xid = 204126;
    change_.source_time_us = 1795224449141730;
    emission_.change = &change_;
    emission_.with_after = true;
    emission_.topic = "srv.public.outbox";
  }

  void Run(benchmark::State& state, const event::TransformChain* chain) {
    auto encoder = *RecordEncoder::Create(options_, Clock::Real(),
                                          "01a1fbb7-2e9e-7014-9793-f370a197befc", chain);
    event::Record record;
    uint64_t lsn = 2393226040;
    size_t bytes = 0;
    bool other = false;
    for (auto _ : state) {
      other = !other;
      row_.back() = event::Value::Text(other ? other_ : texts_.back());
      change_.lsn = Lsn(lsn += 200);
      if (!encoder->Encode(emission_, &record).ok() || record.dropped)
        state.SkipWithError("no record");
      bytes += record.value->size();
    }
    state.SetItemsProcessed(state.iterations());
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(row_bytes_));
    state.counters["value_bytes"] =
        static_cast<double>(bytes) / static_cast<double>(state.iterations());
  }

 private:
  const std::vector<std::string> texts_;
  // a payload of the same structure: every second row has it, as no row is like the one before
  std::string other_;
  event::TableSchema table_;
  std::vector<event::Value> row_;
  size_t row_bytes_ = 0;
  EncodeOptions options_;
  event::ChangeEvent change_;
  event::Emission emission_;
};

// A table is written as an envelope in JSON; events are mostly read as plain strings, sometimes as
// JSON.
void OutboxTablePlain(benchmark::State& state) {
  OutboxRows(Payload(static_cast<size_t>(state.range(0))), false).Run(state, nullptr);
}
BENCHMARK(OutboxTablePlain)->ArgName("items")->Arg(1)->Arg(8)->Arg(64);

void OutboxTableRouted(benchmark::State& state) {
  const auto chain = transform::Chain::Create(test::ChainOf(test::OutboxRouting()));
  OutboxRows(Payload(static_cast<size_t>(state.range(0))), state.range(1) != 0)
      .Run(state, chain.get());
}
BENCHMARK(OutboxTableRouted)->ArgNames({"items", "strings"})->ArgsProduct({{1, 8, 64}, {0, 1}});

test::PropertyList Expanding() {
  test::PropertyList properties = test::OutboxRouting();
  properties.emplace_back("transforms.outbox.table.expand.json.payload", "true");
  return properties;
}

// table.expand.json.payload: the payload as a structure; and one object of many members, which
// costs the same per member.
void OutboxTableExpanded(benchmark::State& state) {
  const auto chain = transform::Chain::Create(test::ChainOf(Expanding()));
  OutboxRows(Payload(static_cast<size_t>(state.range(0))), false).Run(state, chain.get());
}
BENCHMARK(OutboxTableExpanded)->ArgName("items")->Arg(1)->Arg(8)->Arg(64);

void OutboxManyMembers(benchmark::State& state) {
  const auto chain = transform::Chain::Create(test::ChainOf(Expanding()));
  std::string payload = "{";
  for (int64_t i = 0; i < state.range(0); ++i)
    payload += (i == 0 ? "\"" : ", \"") + std::string("member") + std::to_string(i) + "\": 12";
  OutboxRows(payload + "}", false).Run(state, chain.get());
}
BENCHMARK(OutboxManyMembers)->ArgName("members")->Arg(10)->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace walduct::encode
