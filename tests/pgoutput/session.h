// Session: an Assembler with fakes around it, and the messages of the walsender to feed it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pgoutput/assembler.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/pgoutput_fakes.h"

namespace walduct::test {

inline constexpr uint32_t kOrders = 16384;
inline constexpr uint32_t kItems = 16390;
inline constexpr int64_t kTimeUs = 1'795'224'383'000'000;

inline RelationSpec OrdersSpec(char identity = 'd') {
  return {.oid = kOrders,
          .table = "orders",
          .identity = identity,
          .columns = {{"id", 23, true}, {"note", 25, identity == 'f'}}};
}

// Opened at a commit boundary.
inline pgoutput::AssemblerOptions StartAt(uint64_t commit_end,
                                          std::optional<Lsn> last_commit_end = {}) {
  pgoutput::AssemblerOptions options;
  options.start.commit_end = Lsn(commit_end);
  options.start.change_lsn = Lsn(commit_end);
  options.last_commit_end = last_commit_end;
  return options;
}
// Opened inside a transaction.
inline pgoutput::AssemblerOptions StartAt(const event::Position& start) {
  pgoutput::AssemblerOptions options;
  options.start = start;
  return options;
}

class Session {
 public:
  explicit Session(pgoutput::AssemblerOptions options = {})
      : assembler(resolver, handler, options) {}

  absl::Status Send(uint64_t lsn, const std::string& payload) {
    return assembler.OnMessage(Lsn(lsn), payload);
  }
  void Ok(uint64_t lsn, const std::string& payload) {
    const absl::Status status = Send(lsn, payload);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Begin(uint64_t lsn, uint64_t final_lsn, uint32_t xid) {
    final_lsn_ = final_lsn;
    Ok(lsn, BeginBytes(final_lsn, kTimeUs + xid, xid));
  }
  void Relation(const RelationSpec& spec) { Ok(0, RelationBytes(spec)); }
  void Insert(uint64_t lsn, const std::string& id, uint32_t relation = kOrders) {
    Ok(lsn, InsertBytes(relation, {Text(id), Null()}));
  }
  void Commit(uint64_t end_lsn) { Ok(end_lsn, CommitBytes(final_lsn_, end_lsn, kTimeUs)); }

  FakeResolver resolver;
  RecordingHandler handler;
  pgoutput::Assembler assembler;

 private:
  uint64_t final_lsn_ = 0;
};

}  // namespace walduct::test
