#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "names/table_filter.h"
#include "route/options.h"
#include "route/router.h"

namespace walduct::route {
namespace {

// They come and go: those that no row has come of lately are forgotten, but never while a
// transaction counts their records.
TEST(Router, TablesThatAreNotUsedAreForgottenBetweenTransactions) {
  RouteOptions options;
  options.topic_prefix = "srv";
  options.transaction_metadata = true;
  const names::TableFilter filter{names::TableFilterOptions{}};
  Router router(options, filter);
  Router::Emissions out;
  const std::vector<event::Value> row = {event::Value::Text("1")};
  event::TableSchema schema;
  schema.schema = "public";
  schema.table = "orders";
  schema.columns.resize(1);
  const event::TableSchema stays = schema;
  const auto insert = [&](const event::TableSchema& table) {
    event::ChangeEvent change;
    change.operation = event::Operation::kCreate;
    change.schema = &table;
    change.after = row;
    EXPECT_TRUE(router.Route(change, &out).ok());
  };
  size_t most = 0;
  for (int round = 0; round < 8; ++round) {
    router.RouteBegin({}, &out);
    for (uint64_t i = 1; i <= 1000; ++i) {
      schema.version = event::TableVersion();
      schema.table = absl::StrCat("t", round, "_", i);
      insert(schema);
      insert(stays);
      ASSERT_EQ(out[0].order.in_collection, i);
      ASSERT_EQ(out[0].topic, "srv.public.orders");
    }
    most = std::max(most, router.known_tables());
    router.RouteCommit({}, Lsn(), &out);
    ASSERT_EQ(out[0].boundary->collections.size(), 1001u);
  }
  EXPECT_LT(most, 4000u) << "of 8001";
}

}  // namespace
}  // namespace walduct::route
