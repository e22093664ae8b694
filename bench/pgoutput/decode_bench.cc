// Decode throughput per message kind, and of the assembler with a handler that does nothing.
// items/s are messages (decoders) and rows (assembler), bytes/s are payload bytes.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "base/check.h"
#include "pgoutput/assembler.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/pgoutput_decode_any.h"
#include "tests/support/pgoutput_fakes.h"

namespace walduct::pgoutput {
namespace {

constexpr uint32_t kRelation = 16384;

// 2 columns: a narrow table; 15: the table of the end-to-end benchmark; 100: a wide one.
test::Cells Row(int64_t columns) {
  test::Cells row;
  for (int64_t i = 0; i < columns; ++i) {
    if (i % 5 == 4) {
      row.push_back(test::Null());
    } else {
      row.push_back(test::Text(i % 2 == 0 ? "1234567" : "twenty bytes of text"));
    }
  }
  return row;
}

test::RelationSpec Relation(int64_t columns, char identity) {
  test::RelationSpec spec;
  spec.oid = kRelation;
  spec.identity = identity;
  for (int64_t i = 0; i < columns; ++i) {
    spec.columns.push_back({absl::StrCat("column_", i), 25, i == 0 || identity == 'f', -1});
  }
  return spec;
}

test::OldCells Key(int64_t columns) {
  test::Cells row(static_cast<size_t>(columns), test::Null());
  row[0] = test::Text("1234567");
  return {'K', row};
}

void DecodeLoop(benchmark::State& state, const std::string& payload) {
  test::DecodedMessages decoded;
  const MessageKind kind = *KindOf(payload);
  for (auto _ : state) {
    const absl::Status status = DecodeAs(kind, payload, /*in_stream=*/false, decoded);
    CHECK(status.ok());
    benchmark::DoNotOptimize(decoded);
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(payload.size()));
}

void BM_DecodeInsert(benchmark::State& state) {
  DecodeLoop(state, test::InsertBytes(kRelation, Row(state.range(0))));
}
void BM_DecodeUpdate(benchmark::State& state) {
  DecodeLoop(state, test::UpdateBytes(kRelation, Row(state.range(0))));
}
void BM_DecodeUpdateFull(benchmark::State& state) {
  const test::Cells row = Row(state.range(0));
  DecodeLoop(state, test::UpdateBytes(kRelation, {'O', row}, row));
}
void BM_DecodeDelete(benchmark::State& state) {
  DecodeLoop(state, test::DeleteBytes(kRelation, Key(state.range(0))));
}
void BM_DecodeRelation(benchmark::State& state) {
  DecodeLoop(state, test::RelationBytes(Relation(state.range(0), 'd')));
}
BENCHMARK(BM_DecodeInsert)->Arg(2)->Arg(15)->Arg(100);
BENCHMARK(BM_DecodeUpdate)->Arg(2)->Arg(15)->Arg(100);
BENCHMARK(BM_DecodeUpdateFull)->Arg(2)->Arg(15)->Arg(100);
BENCHMARK(BM_DecodeDelete)->Arg(2)->Arg(15)->Arg(100);
BENCHMARK(BM_DecodeRelation)->Arg(2)->Arg(15)->Arg(100);

const test::PreparedSpec kPrepared = {1, 2, 3, 4, "a global transaction id"};

BENCHMARK_CAPTURE(DecodeLoop, Begin, test::BeginBytes(1, 2, 3));
BENCHMARK_CAPTURE(DecodeLoop, Commit, test::CommitBytes(1, 2, 3));
BENCHMARK_CAPTURE(DecodeLoop, Origin, test::OriginBytes(1, "upstream"));
BENCHMARK_CAPTURE(DecodeLoop, Type, test::TypeBytes(1, "public", "mood"));
BENCHMARK_CAPTURE(DecodeLoop, Truncate, test::TruncateBytes({1, 2, 3}));
BENCHMARK_CAPTURE(DecodeLoop, Message, test::MessageBytes({true, 1, "pfx", std::string(64, 'x')}));
BENCHMARK_CAPTURE(DecodeLoop, StreamStart, test::StreamStartBytes(1, true));
BENCHMARK_CAPTURE(DecodeLoop, StreamStop, test::StreamStopBytes());
BENCHMARK_CAPTURE(DecodeLoop, StreamCommit, test::StreamCommitBytes(1, 2, 3, 4));
BENCHMARK_CAPTURE(DecodeLoop, StreamAbort, test::ParallelStreamAbortBytes(1, 2, 3, 4));
BENCHMARK_CAPTURE(DecodeLoop, BeginPrepare, test::BeginPrepareBytes(kPrepared));
BENCHMARK_CAPTURE(DecodeLoop, Prepare, test::PrepareBytes(kPrepared));
BENCHMARK_CAPTURE(DecodeLoop, StreamPrepare, test::StreamPrepareBytes(kPrepared));
BENCHMARK_CAPTURE(DecodeLoop, CommitPrepared, test::CommitPreparedBytes(kPrepared));
BENCHMARK_CAPTURE(DecodeLoop, RollbackPrepared, test::RollbackPreparedBytes(kPrepared, 5));

class CountingHandler : public event::ChangeHandler {
 public:
  absl::Status OnBegin(const event::TransactionInfo& /*transaction*/) override {
    return absl::OkStatus();
  }
  absl::Status OnChange(const event::ChangeEvent& change) override {
    benchmark::DoNotOptimize(change.after);
    ++rows;
    return absl::OkStatus();
  }
  absl::Status OnCommit(const event::TransactionInfo& /*transaction*/,
                        const event::Position& /*boundary*/) override {
    return absl::OkStatus();
  }
  int64_t rows = 0;
};

// Transactions of kRowsPerTransaction times the same row.
void AssembleLoop(benchmark::State& state, char identity, const std::string& row) {
  constexpr int kRowsPerTransaction = 100;
  test::FakeResolver resolver;
  CountingHandler handler;
  Assembler assembler(resolver, handler, {});
  CHECK(assembler.OnMessage(Lsn(), test::RelationBytes(Relation(state.range(0), identity))).ok());
  uint64_t lsn = 0x1000;
  for (auto _ : state) {
    const uint64_t final_lsn = lsn + 0x1000;
    CHECK(assembler.OnMessage(Lsn(lsn), test::BeginBytes(final_lsn, 1, 2)).ok());
    for (int i = 0; i < kRowsPerTransaction; ++i) {
      CHECK(assembler.OnMessage(Lsn(lsn), row).ok());
    }
    lsn = final_lsn + 0x30;
    CHECK(assembler.OnMessage(Lsn(lsn), test::CommitBytes(final_lsn, lsn, 1)).ok());
  }
  state.SetItemsProcessed(handler.rows);
  state.SetBytesProcessed(handler.rows * static_cast<int64_t>(row.size()));
}

void BM_AssembleInsert(benchmark::State& state) {
  AssembleLoop(state, 'd', test::InsertBytes(kRelation, Row(state.range(0))));
}
void BM_AssembleUpdateFull(benchmark::State& state) {
  const test::Cells row = Row(state.range(0));
  AssembleLoop(state, 'f', test::UpdateBytes(kRelation, {'O', row}, row));
}
void BM_AssembleDelete(benchmark::State& state) {
  AssembleLoop(state, 'd', test::DeleteBytes(kRelation, Key(state.range(0))));
}
BENCHMARK(BM_AssembleInsert)->Arg(2)->Arg(15)->Arg(100);
BENCHMARK(BM_AssembleUpdateFull)->Arg(2)->Arg(15)->Arg(100);
BENCHMARK(BM_AssembleDelete)->Arg(2)->Arg(15)->Arg(100);

}  // namespace
}  // namespace walduct::pgoutput
