#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "replication/capture/capture_judge.h"
#include "replication/capture/capture_map.h"
#include "replication/slot_share.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::function<bool(const TableFacts&)> kAll = [](const TableFacts&) { return true; };
const SlotShare kOneSlot;

// Of one publication that was whole in the beginning.
class Watched {
 public:
  explicit Watched(CaptureFacts before) : facts(std::move(before)) {
    wish.admits = &kAll;
    wish.share = &kOneSlot;
    wish.lists_given = true;
    RememberCapture(facts, wish, JudgeCapture(facts, wish, memory_), &memory_);
  }
  std::vector<std::string> Judge() const {
    std::vector<std::string> found;
    for (const CaptureFinding& finding : JudgeCapture(facts, wish, memory_).findings)
      found.push_back(absl::StrCat(finding.reason, " ", finding.table, finding.loses ? "" : "?"));
    return found;
  }

  std::string Statement() const {
    return JudgeCapture(facts, wish, memory_).findings.front().statement;
  }

  CaptureFacts facts;
  CaptureWish wish;

 private:
  CaptureMemory memory_;
};

// A schema "a.b" with a table c, a schema a with a table "b.c".
TEST(CaptureNames, WithDotsAreNotOne) {
  Watched watched({.publications = {{.name = "pub", .exists = true}},
                   .tables = {{.relation = Oid{1}, .schema = "a.b", .table = "c"},
                              {.relation = Oid{2}, .schema = "a", .table = "b.c"}}});
  watched.facts.publications[0].members = {{Oid{1}, {}}, {Oid{2}, {}}};
  watched = Watched(watched.facts);
  EXPECT_THAT(watched.Judge(), IsEmpty());
  watched.facts.publications[0].members.erase(Oid{2});
  EXPECT_THAT(watched.Judge(), ElementsAre("publication_lacks_tables a.b.c"));
  watched.facts.publications[0].members = {{Oid{2}, {}}};
  EXPECT_THAT(watched.Judge(), ElementsAre(R"(publication_lacks_tables "a.b".c)"));
  watched.wish.signal_table = "a.b.c";
  EXPECT_THAT(watched.Judge(), ElementsAre("signal_table_not_published a.b.c"));
}

TEST(CaptureNames, APublicationThatWasRenamedIsReadOn) {
  CaptureFacts facts{.publications = {{.name = "pub", .exists = true, .oid = Oid{9}}},
                     .tables = {{.relation = Oid{1}, .schema = "public", .table = "a"}}};
  facts.publications[0].members = {{Oid{1}, {}}};
  Watched watched(facts);
  watched.facts.publications[0].exists = false;
  EXPECT_THAT(watched.Statement(), testing::StartsWith("CREATE PUBLICATION"));
  watched.facts.names = {{Oid{8}, "other"}, {Oid{9}, "fresh"}};
  EXPECT_THAT(watched.Statement(), testing::StartsWith("set publication.name=fresh,"));
}

TEST(CaptureNames, APartitionThatIsUnloggedLosesWhatCameAsItsRoot) {
  CaptureFacts facts{
      .publications = {{.name = "pub", .exists = true, .via_root = true}},
      .tables = {{.relation = Oid{1}, .schema = "public", .table = "ev", .partitioned = true},
                 {.relation = Oid{2}, .schema = "public", .table = "ev_1", .parent = Oid{1}}}};
  facts.publications[0].members = {{Oid{1}, {}}};
  Watched watched(facts);
  EXPECT_THAT(watched.Judge(), IsEmpty());
  watched.facts.tables[1].unlogged = true;
  EXPECT_THAT(watched.Judge(), ElementsAre("unlogged_table public.ev_1"));
}

}  // namespace
}  // namespace walduct::replication
