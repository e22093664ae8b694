#include "postgres/table_key.h"

#include <gtest/gtest.h>

#include <set>

namespace walduct::postgres {
namespace {

TEST(TableKeyTest, IsTheNameOfOneTable) {
  EXPECT_EQ(TableKey("public", "orders"), "public.orders");
  EXPECT_EQ(TableKey("a", "b.c"), "a.b.c");
  EXPECT_EQ(TableKey("a.b", "c"), R"("a.b".c)");
  const std::set<std::string> all = {TableKey("a", "b.c"),      TableKey("a.b", "c"),
                                     TableKey(R"("a.b")", "c"), TableKey(R"("a)", R"(b".c)"),
                                     TableKey(R"(a"b.c)", "d"), TableKey("", "a.b.c")};
  EXPECT_EQ(all.size(), 6u);
}

}  // namespace
}  // namespace walduct::postgres
