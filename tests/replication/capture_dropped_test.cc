#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "replication/capture/capture_judge.h"
#include "replication/slot_share.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Captured tables that are dropped; a publication of all tables.
class CaptureDroppedTest : public testing::Test {
 protected:
  CaptureDroppedTest() {
    facts_.publications.push_back({.name = "pub", .exists = true, .all_tables = true});
    wish_.admits = &admits_;
    wish_.share = &share_;
    Make(1, "cust");
    Look();
  }

  void Make(uint32_t oid, const std::string& name, uint32_t parent = 0) {
    facts_.tables.push_back(
        {.relation = Oid{oid}, .schema = "public", .table = name, .parent = Oid{parent}});
  }
  void Drop(const std::string& name) {
    std::erase_if(facts_.tables, [&](const TableFacts& table) { return table.table == name; });
  }
  std::vector<std::string> Look() {
    const CaptureVerdict verdict = JudgeCapture(facts_, wish_, memory_);
    RememberCapture(facts_, wish_, verdict, &memory_);
    std::vector<std::string> found;
    for (const CaptureFinding& finding : verdict.findings)
      found.push_back(absl::StrCat(finding.reason, " ", finding.table));
    return found;
  }

  const std::function<bool(const TableFacts&)> admits_ = [](const TableFacts& table) {
    return table.table != "unasked";
  };
  SlotShare share_;
  CaptureFacts facts_;
  CaptureWish wish_;
  CaptureMemory memory_;
};

TEST_F(CaptureDroppedTest, IsToldUntilItIsBack) {
  Drop("cust");
  EXPECT_THAT(Look(), ElementsAre("captured_table_dropped public.cust"));
  EXPECT_THAT(Look(), ElementsAre("captured_table_dropped public.cust"));
  Make(7, "cust");
  EXPECT_THAT(Look(), IsEmpty());
  Drop("cust");
  EXPECT_THAT(Look(), ElementsAre("captured_table_dropped public.cust"));
}

TEST_F(CaptureDroppedTest, WhatCameLaterOrIsNotCapturedIsNot) {
  Make(2, "staging");
  Make(3, "unasked");
  EXPECT_THAT(Look(), IsEmpty());
  Drop("staging");
  Drop("unasked");
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(CaptureDroppedTest, NorAPartitionOrTheSignalTable) {
  CaptureMemory fresh;
  std::swap(memory_, fresh);
  Make(2, "days");
  facts_.tables.back().partitioned = true;
  Make(3, "monday", 2);
  Make(4, "signals");
  wish_.signal_table = "public.signals";
  Look();
  Drop("monday");
  Drop("signals");
  EXPECT_THAT(Look(), ElementsAre("signal_table_missing public.signals"));
}

}  // namespace
}  // namespace walduct::replication
