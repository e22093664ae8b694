// What is warned of about tables that are polled: the start's words are the doctor's.
#include "poll/layouts/table_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "poll/layouts/notify_trigger.h"

namespace walduct::poll {
namespace {

using testing::HasSubstr;

// Ordered by its key, or by a column.
OutboxTable KeyedBy(const std::string& type, const std::string& order = "") {
  OutboxTable table{.name = "\"public\".\"outbox\"",
                    .columns = {{"id", type, false}, {"created_at", "timestamp with time zone"}},
                    .key_names = {"\"id\""},
                    .key_types = {type}};
  table.layout.key = "{aggregateid}";
  table.layout.order = order;
  return table;
}

TEST(TableWarnings, AnIntegerOfThePrimaryKeyTellsTheOrder) {
  EXPECT_TRUE(OrderWarning("public.outbox", KeyedBy("bigint")).ok());
  EXPECT_TRUE(OrderWarning("public.outbox", KeyedBy("bigint", "{id}")).ok());
  OutboxTable without_key = KeyedBy("uuid");
  without_key.layout.key.clear();
  EXPECT_TRUE(OrderWarning("public.outbox", without_key).ok()) << "no row waits for another";
}

TEST(TableWarnings, AUuidAndATimeDoNot) {
  const absl::Status by_key = OrderWarning("public.outbox", KeyedBy("uuid"));
  EXPECT_EQ(ErrorReason(by_key), "outbox_order");
  EXPECT_THAT(std::string(by_key.message()),
              HasSubstr("rows of outbox table public.outbox are ordered by \"id\", a column"));
  EXPECT_THAT(ErrorHint(by_key), HasSubstr("walduct.outbox.source=slot"));
  const absl::Status by_time = OrderWarning("public.outbox", KeyedBy("bigint", "{createdat}"));
  EXPECT_THAT(std::string(by_time.message()), HasSubstr("are ordered by \"created_at\", a column"));
}

TEST(TableWarnings, ASequenceThatHandsOutBlocksIsToldWithItsName) {
  EXPECT_TRUE(CacheWarning("public.outbox", "id", "", "").ok()) << "it has none";
  EXPECT_TRUE(CacheWarning("public.outbox", "id", "public.outbox_id_seq", "1").ok());
  const absl::Status cached = CacheWarning("public.outbox", "id", "public.outbox_id_seq", "20");
  EXPECT_EQ(ErrorReason(cached), "outbox_ids_cached");
  EXPECT_THAT(std::string(cached.message()), HasSubstr("in blocks of 20"));
  EXPECT_EQ(ErrorHint(cached), "ALTER SEQUENCE public.outbox_id_seq CACHE 1");
}

TEST(TableWarnings, AnIndexThatIsMissingIsTyped) {
  const absl::Status missing = IndexWarning("public.outbox", KeyedBy("bigint"), "\"xact\"");
  EXPECT_EQ(ErrorReason(missing), "outbox_no_index");
  EXPECT_EQ(ErrorHint(missing), "CREATE INDEX ON \"public\".\"outbox\" (\"xact\")");
}

TEST(TableWarnings, AnIndexOfOpenRowsIsTyped) {
  OutboxTable table = KeyedBy("bigint", "{id}");
  table.layout.open = "{createdat} IS NULL";
  const absl::Status missing = OpenIndexWarning("public.outbox", table);
  EXPECT_EQ(ErrorReason(missing), "outbox_no_index");
  EXPECT_EQ(ErrorHint(missing),
            "CREATE INDEX ON \"public\".\"outbox\" (\"id\") WHERE \"created_at\" IS NULL");
}

TEST(TableWarnings, ATriggerThatNotifiesStopsPreparedTransactions) {
  const absl::Status told =
      NotifyWarning("public.outbox", "\"public\".\"outbox\"", "walduct_wake", "5", "2");
  EXPECT_EQ(ErrorReason(told), "outbox_notify_prepared");
  EXPECT_THAT(std::string(told.message()), HasSubstr("(max_prepared_transactions=5, 2 now)"));
  EXPECT_THAT(ErrorHint(told),
              testing::StartsWith("DROP TRIGGER walduct_wake ON \"public\".\"outbox\" "));
}

TEST(TableWarnings, ParkedRowsAreTold) {
  EXPECT_TRUE(ParkedWarning("public.outbox", 0, "list").ok());
  const absl::Status parked = ParkedWarning("public.outbox", 2, "walduct outbox list shop");
  EXPECT_EQ(ErrorReason(parked), "outbox_parked");
  EXPECT_EQ(ErrorHint(parked), "walduct outbox list shop");
}

}  // namespace
}  // namespace walduct::poll
