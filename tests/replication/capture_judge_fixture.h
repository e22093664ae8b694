// What is known of tables and publications, as JudgeCapture is told it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "replication/capture/capture_judge.h"
#include "replication/capture/capture_map.h"
#include "replication/slot_share.h"

namespace walduct::replication {

class CaptureJudgeTest : public testing::Test {
 protected:
  CaptureJudgeTest() {
    facts_.publications.push_back({.name = "pub", .exists = true});
    wish_.admits = &admits_;
    wish_.share = &share_;
    wish_.lists_given = true;
  }

  TableFacts& Table(uint32_t oid, const std::string& name, uint32_t parent = 0) {
    facts_.tables.push_back(
        {.relation = Oid{oid}, .schema = "public", .table = name, .parent = Oid{parent}});
    return facts_.tables.back();
  }
  void Root(uint32_t oid, const std::string& name) { Table(oid, name).partitioned = true; }
  TableFacts& At(uint32_t oid) {
    return *std::find_if(facts_.tables.begin(), facts_.tables.end(),
                         [oid](const TableFacts& table) { return table.relation == Oid{oid}; });
  }
  void Publish(uint32_t oid) { own().members[Oid{oid}] = {}; }
  void Admit(const std::string& name) { names_.insert("public." + name); }
  PublicationFacts& own() { return facts_.publications[0]; }

  // "reason table", with a question mark where it is only worth knowing.
  std::vector<std::string> Judge() {
    verdict_ = JudgeCapture(facts_, wish_, memory_);
    std::vector<std::string> found;
    for (const CaptureFinding& finding : verdict_.findings) {
      found.push_back(absl::StrCat(finding.reason, finding.table.empty() ? "" : " ", finding.table,
                                   finding.loses ? "" : "?"));
    }
    return found;
  }
  // What is so now is how it was.
  void Remember() {
    EXPECT_THAT(Judge(), testing::IsEmpty());
    RememberCapture(facts_, wish_, verdict_, &memory_);
  }
  const CaptureFinding& finding() { return verdict_.findings.front(); }
  std::vector<std::string> Uncovered() {
    std::vector<std::string> names;
    for (const PublishedTable& table : verdict_.uncovered) names.push_back(table.table);
    return names;
  }

  std::set<std::string> names_;
  const std::function<bool(const TableFacts&)> admits_ = [this](const TableFacts& table) {
    return names_.contains(NameOf(table));
  };
  SlotShare share_;
  CaptureFacts facts_;
  CaptureWish wish_;
  CaptureMemory memory_;
  CaptureVerdict verdict_;
};

}  // namespace walduct::replication
