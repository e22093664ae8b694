// Every message cut at every byte, and with a byte too many: an error, whatever the kind. Run under
// asan, it also says that nothing is read behind the end: each cut message lies in a buffer of
// exactly its size.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <ostream>

#include "base/error.h"
#include "tests/support/pgoutput_builder.h"
#include "tests/support/pgoutput_decode_any.h"

namespace walduct::pgoutput {
namespace {

using test::Null;
using test::Text;
using test::Unchanged;

struct Sample {
  std::string name;
  std::string bytes;
  bool in_stream = false;
  // Sizes at which a cut message is a whole message of another template.
  size_t valid_cut = 0;
};
void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

std::vector<Sample> Samples() {
  const test::Cells row = {Text("1"), Null(), Unchanged(), Text(""), Text("long enough")};
  const test::PreparedSpec prepared = {1, 2, 3, 4, "gid"};
  const test::RelationSpec relation = {.columns = {{"id", 23, true}, {"note", 25}}};
  std::vector<Sample> samples = {
      {"Begin", test::BeginBytes(1, 2, 3)},
      {"Commit", test::CommitBytes(1, 2, 3)},
      {"Origin", test::OriginBytes(1, "origin")},
      {"StreamStart", test::StreamStartBytes(1, true)},
      {"StreamStop", test::StreamStopBytes()},
      {"StreamCommit", test::StreamCommitBytes(1, 2, 3, 4)},
      {"StreamAbort", test::StreamAbortBytes(1, 2)},
      {"ParallelStreamAbort", test::ParallelStreamAbortBytes(1, 2, 3, 4), false, 9},
      {"BeginPrepare", test::BeginPrepareBytes(prepared)},
      {"Prepare", test::PrepareBytes(prepared)},
      {"StreamPrepare", test::StreamPrepareBytes(prepared)},
      {"CommitPrepared", test::CommitPreparedBytes(prepared)},
      {"RollbackPrepared", test::RollbackPreparedBytes(prepared, 5)}};
  for (const test::OptionalXid xid : {test::OptionalXid(), test::OptionalXid(77)}) {
    const bool stream = xid.has_value();
    const std::string suffix = stream ? "InStream" : "";
    samples.push_back({"Relation" + suffix, test::RelationBytes(relation, xid), stream});
    samples.push_back({"Type" + suffix, test::TypeBytes(1, "public", "mood", xid), stream});
    samples.push_back({"Insert" + suffix, test::InsertBytes(1, row, xid), stream});
    samples.push_back({"Update" + suffix, test::UpdateBytes(1, row, xid), stream});
    samples.push_back({"UpdateKey" + suffix, test::UpdateBytes(1, {'K', row}, row, xid), stream});
    samples.push_back({"UpdateFull" + suffix, test::UpdateBytes(1, {'O', row}, row, xid), stream});
    samples.push_back({"DeleteKey" + suffix, test::DeleteBytes(1, {'K', row}, xid), stream});
    samples.push_back({"DeleteFull" + suffix, test::DeleteBytes(1, {'O', row}, xid), stream});
    samples.push_back({"Truncate" + suffix, test::TruncateBytes({1, 2}, 3, xid), stream});
    samples.push_back(
        {"Message" + suffix, test::MessageBytes({true, 1, "pfx", "content"}, xid), stream});
  }
  return samples;
}

class Truncation : public ::testing::TestWithParam<Sample> {
 protected:
  // In a heap block of its own.
  absl::Status Decode(absl::string_view bytes) {
    const auto exact = std::make_unique<char[]>(bytes.size());
    std::memcpy(exact.get(), bytes.data(), bytes.size());
    const MessageKind kind = *KindOf(GetParam().bytes);
    return DecodeAs(kind, {exact.get(), bytes.size()}, GetParam().in_stream, decoded_);
  }
  test::DecodedMessages decoded_;
};

TEST_P(Truncation, WholeMessageDecodes) {
  const absl::Status status = Decode(GetParam().bytes);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(Truncation, CutAtEachByteIsDataLoss) {
  const std::string& bytes = GetParam().bytes;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status status = Decode(absl::string_view(bytes).substr(0, size));
    if (size == GetParam().valid_cut && size != 0) {
      EXPECT_TRUE(status.ok());
      continue;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << "cut to " << size;
    EXPECT_EQ(ErrorReason(status), "malformed_message") << "cut to " << size;
  }
}

TEST_P(Truncation, OneByteMoreIsDataLoss) {
  EXPECT_EQ(Decode(GetParam().bytes + '\0').code(), absl::StatusCode::kDataLoss);
}

INSTANTIATE_TEST_SUITE_P(EveryKind, Truncation, ::testing::ValuesIn(Samples()),
                         [](const auto& sample) { return sample.param.name; });

}  // namespace
}  // namespace walduct::pgoutput
