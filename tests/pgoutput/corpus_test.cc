// Messages recorded from real servers (tests/fuzz/record_pgoutput.py): a witness that the builders
// of the other tests cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "tests/support/pgoutput_decode_any.h"
#include "tests/support/pgoutput_fakes.h"
#include "tests/support/pgoutput_session_file.h"

namespace walduct::pgoutput {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// The recorded files; what a fuzzer has added lies beside them under other names.
std::map<std::string, std::string> Recorded(const std::string& corpus) {
  std::map<std::string, std::string> files;
  const std::filesystem::path folder =
      std::filesystem::path(WALDUCT_SOURCE_DIR) / "tests/fuzz/corpus" / corpus;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("pg", 0) != 0) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[name] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

TEST(RecordedMessages, AllDecodeAndAllKindsAreThere) {
  std::set<MessageKind> kinds;
  test::DecodedMessages decoded;
  for (const auto& [name, bytes] : Recorded("pgoutput")) {
    ASSERT_GE(bytes.size(), 2u) << name;
    const absl::string_view payload = absl::string_view(bytes).substr(1);
    const absl::Status status = DecodeAny(payload, bytes[0] != 0, decoded);
    EXPECT_TRUE(status.ok()) << name << ": " << status;
    kinds.insert(*KindOf(payload));
  }
  EXPECT_EQ(kinds.size(), 19u);
}

TEST(RecordedMessages, ProtocolFourAbortsCarryTheirLsnStr08) {
  test::DecodedMessages decoded;
  int aborts = 0;
  for (const auto& [name, bytes] : Recorded("pgoutput")) {
    if (bytes[1] != 'A') continue;
    ASSERT_TRUE(DecodeAny(absl::string_view(bytes).substr(1), false, decoded).ok());
    EXPECT_EQ(decoded.stream_abort.abort_lsn.has_value(), name.find("-p4-") != std::string::npos);
    ++aborts;
  }
  EXPECT_GT(aborts, 1);
}

class RecordedSession : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    bytes_ = Recorded("pgoutput_assembler")[GetParam()];
    ASSERT_GT(bytes_.size(), 1000u);
  }
  // Feeds the session to an assembler opened at start.
  void Run(const event::Position& start, test::RecordingHandler& handler) {
    test::FakeResolver resolver;
    AssemblerOptions options;
    options.start = start;
    Assembler assembler(resolver, handler, options);
    test::SessionFile session(bytes_);
    while (const auto step = session.Next()) {
      const absl::Status status = assembler.OnMessage(step->lsn, step->message);
      ASSERT_TRUE(status.ok()) << status;
    }
    EXPECT_FALSE(assembler.in_transaction());
  }

  std::string bytes_;
};

TEST_P(RecordedSession, IsAssembled) {
  test::RecordingHandler handler;
  Run({}, handler);
  EXPECT_THAT(handler.log, Contains("c 1|ann|happy|10.50"));
  EXPECT_THAT(handler.log, Contains("c 2|null|sad|0.00"));
  EXPECT_THAT(handler.log, Contains("c empty"));
  EXPECT_THAT(handler.log, Contains("u 2|bob|sad|0.00"));
  EXPECT_THAT(handler.log, Contains("c 400|1|e"));
  EXPECT_THAT(handler.log, Contains("m pfx"));
  std::map<std::string, std::string> before;  // by operation and table, the last
  std::string origin;
  for (const test::SeenChange& change : handler.changes) {
    before[static_cast<char>(change.operation) + change.table] = change.before;
    if (!change.origin.empty()) origin = change.origin;
  }
  EXPECT_EQ(before["urec_items"], "20|absent");
  EXPECT_EQ(before["urec_index"], "absent|c1|absent");
  EXPECT_EQ(before["drec_items"], "100|absent");
  EXPECT_THAT(before["drec_full"], HasSubstr("2|0123456789"));
  EXPECT_EQ(before["trec_orders"], "none");
  EXPECT_EQ(before["trec_items"], "none");
  EXPECT_EQ(origin, "rec_origin");
}

TEST_P(RecordedSession, UnchangedValueIsFilledUnderFullTst10) {
  test::RecordingHandler handler;
  Run({}, handler);
  const std::string row = "u 2|" + [] {
    std::string big;
    for (int i = 0; i < 300; ++i) big += "0123456789";
    return big;
  }();
  EXPECT_THAT(handler.log, Contains(row));
}

TEST_P(RecordedSession, MessageOutsideComesBeforeItsTransactionP2) {
  test::RecordingHandler handler;
  Run({}, handler);
  size_t heartbeat = 0;
  while (handler.changes[heartbeat].prefix != "hb") ++heartbeat;
  const test::SeenChange& row = handler.changes[heartbeat + 1];
  EXPECT_EQ(row.after, "300|1");
  EXPECT_GT(handler.changes[heartbeat].lsn, row.lsn);
  EXPECT_LT(handler.changes[heartbeat].position, row.position);
}

// What the server does after a restart at any position, but for transactions that it would not even
// send.
TEST_P(RecordedSession, ResumesAfterEveryChangeRst04) {
  test::RecordingHandler whole;
  Run({}, whole);
  for (size_t i = 0; i < whole.changes.size(); ++i) {
    if (whole.changes[i].position.ordinal == 0) continue;  // outside a transaction
    test::RecordingHandler rest;
    Run(whole.changes[i].position, rest);
    std::vector<std::string> expected;
    std::vector<std::string> actual;
    for (size_t k = i + 1; k < whole.changes.size(); ++k)
      expected.push_back(whole.changes[k].after);
    for (const test::SeenChange& change : rest.changes) actual.push_back(change.after);
    // Messages outside a transaction are sent again by this fake server, whatever the start.
    const size_t repeated = actual.size() - expected.size();
    ASSERT_LE(repeated, 2u);
    EXPECT_EQ(
        std::vector<std::string>(actual.begin() + static_cast<int64_t>(repeated), actual.end()),
        expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, RecordedSession, ::testing::Values("pg15-p1", "pg18-p1"),
                         [](const auto& server) { return std::string(server.param, 4); });

}  // namespace
}  // namespace walduct::pgoutput
