// The source block remembers what the changes of a transaction share: whatever it remembers, the
// bytes are those of a new one.
#include "encode/records/source_block.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace walduct::encode {
namespace {

event::ChangeEvent Change() {
  event::ChangeEvent change;
  change.lsn = Lsn(2393226040);
  change.xid = 204126;
  change.last_commit_end = Lsn(2393226000);
  change.source_time_us = 1795224449141730;
  return change;
}

TEST(SourceBlockTest, WhatItRemembersDoesNotShow) {
  config::EncodeOptions options;
  options.topic_prefix = "srv";
  options.database = "shop";
  const Texts table = SourceTable("public", "orders");
  const std::vector<std::function<void(event::ChangeEvent*)>> steps = {
      [](event::ChangeEvent*) {},
      [](event::ChangeEvent* c) { c->lsn = Lsn(2393226041); },
      [](event::ChangeEvent* c) { c->xid = 204127; },
      [](event::ChangeEvent* c) { c->xid.reset(); },
      [](event::ChangeEvent* c) { c->last_commit_end = Lsn(2393226020); },
      [](event::ChangeEvent* c) { c->last_commit_end.reset(); },
      [](event::ChangeEvent* c) { c->source_time_us = -1; },
      [](event::ChangeEvent* c) { c->source_time_us = 0; },
      [](event::ChangeEvent* c) { c->snapshot = event::SnapshotMarker::kLast; },
      [](event::ChangeEvent* c) { c->snapshot = event::SnapshotMarker::kFalse; },
      [](event::ChangeEvent* c) { c->lsn = Lsn(); },
      [](event::ChangeEvent* c) { c->origin = "other\"side"; },
      [](event::ChangeEvent* c) { c->origin_lsn = Lsn(17); },
      [](event::ChangeEvent* c) { c->origin = {}; },
  };
  for (const TextFormat format : {TextFormat::kJson, TextFormat::kStruct}) {
    SourceBlock remembers(options);
    event::ChangeEvent change = Change();
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i](&change);
      SourceBlock anew(options);
      std::string expected, got;
      anew.Append(change, table, format, &expected);
      remembers.Append(change, table, format, &got);
      EXPECT_EQ(got, expected) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace walduct::encode
