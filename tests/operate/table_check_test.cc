#include "operate/commands/table_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::operate {
namespace {

std::string Said(const std::string& table, const std::vector<std::string>& there) {
  const absl::Status status = TableNotFound(table, "shop", there);
  EXPECT_EQ(ErrorReason(status), "table_not_found");
  EXPECT_EQ(status.message(),
            absl::StrCat("--table ", table, " matches no table of database \"shop\""));
  return ErrorHint(status);
}

TEST(TableCheck, NamesThatAreNear) {
  const std::vector<std::string> there = {"public.customers", "public.orders", "sales.orders"};
  constexpr absl::string_view kForm = " written schema.table, a regular expression";
  EXPECT_EQ(Said("public.ordres", there), absl::StrCat("did you mean public.orders? It is", kForm));
  EXPECT_EQ(Said("orders", there),
            absl::StrCat("did you mean public.orders, sales.orders? It is", kForm));
  EXPECT_EQ(Said("xyzzy", there),
            absl::StrCat("there are public.customers, public.orders, sales.orders; it is", kForm));
  EXPECT_EQ(TableNotFound("", "shop", there).message(),
            "--table '' matches no table of database \"shop\"");
  EXPECT_EQ(Said("xyzzy", {}), "the database has no table that could be captured");
}

}  // namespace
}  // namespace walduct::operate
