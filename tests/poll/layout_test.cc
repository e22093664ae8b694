// How the columns of a table tell its layout: of the documents and of published libraries.
#include "poll/layouts/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/error.h"

namespace walduct::poll {
namespace {

using testing::HasSubstr;
using testing::Not;

// "name" is text, "name:type" of that type; with '!' at its end it is NOT NULL.
std::vector<LayoutColumn> Table(absl::string_view text) {
  std::vector<LayoutColumn> columns;
  for (absl::string_view one : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const bool nullable = !absl::ConsumeSuffix(&one, "!");
    const std::vector<std::string> parts = absl::StrSplit(one, ':');
    std::string type = parts.size() == 1 ? "text" : parts[1];
    if (type == "at") type = "timestamp with time zone";
    columns.push_back({parts[0], type, nullable});
  }
  return columns;
}

absl::StatusOr<Layout> Of(const std::vector<LayoutColumn>& columns, bool deletes = false,
                          bool narrowed = false, absl::Duration lease = absl::ZeroDuration()) {
  return RecogniseLayout({.table = "public.outbox",
                          .columns = columns,
                          .deletes = deletes,
                          .narrowed = narrowed,
                          .lease = lease});
}

std::string ReasonOf(absl::string_view text, bool deletes = false) {
  return ErrorReason(Of(Table(text), deletes).status());
}

TEST(LayoutTest, ATimeThatIsNullMeansOpen) {
  const auto columns = Table(
      "id:bigint! aggregate_type aggregate_id event_type payload:jsonb metadata:jsonb "
      "created_at:at! published_at:at");
  const auto layout = Of(columns);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(Qualify(layout->open, "o", columns), "o.\"published_at\" IS NULL");
  EXPECT_EQ(Qualify(layout->mark, "", columns), "\"published_at\" = now()");
  EXPECT_EQ(Qualify(layout->order, "o", columns), "o.\"id\"");
  EXPECT_EQ(Qualify(layout->key, "o", columns), "o.\"aggregate_id\"");
  EXPECT_EQ(layout->blocks, "");
}

TEST(LayoutTest, ARowThatWaitsForItsNextTryHoldsItsKeyBack) {
  const auto columns = Table(
      "id:uuid! dedup_key aggregate_type aggregate_id event_type payload:jsonb occurred_at:at! "
      "processed_at:at attempts:integer next_try_at:at error");
  const auto layout = Of(columns);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_THAT(layout->ready, HasSubstr("{nexttryat} <= now()"));
  EXPECT_EQ(layout->blocks, "{processedat} IS NULL AND ({nexttryat} > now())");
  EXPECT_EQ(layout->order, "{occurredat}");
}

TEST(LayoutTest, AColumnOfAttemptsLetsARowBeParked) {
  const auto columns = Table(
      "id:uuid! aggregate_type aggregate_id event_type payload:jsonb created_at:at "
      "published_at:at attempts:integer last_error next_try_at:at");
  LayoutRequest request{.table = "public.outbox", .columns = columns, .max_attempts = 3};
  const auto held = RecogniseLayout(request);
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(held->attempts, "{attempts}");
  EXPECT_EQ(held->error, "{lasterror}");
  EXPECT_EQ(held->due, "{nexttryat}");
  EXPECT_EQ(held->parked, "{attempts} >= 3");
  EXPECT_THAT(held->ready, HasSubstr("({attempts} >= 3) IS NOT TRUE"));
  EXPECT_EQ(held->blocks, "{publishedat} IS NULL AND ({nexttryat} > now() OR {attempts} >= 3)");
  request.parked_holds = false;
  EXPECT_EQ(RecogniseLayout(request)->blocks, "{publishedat} IS NULL AND ({nexttryat} > now())");
  request.max_attempts = 0;
  EXPECT_EQ(RecogniseLayout(request)->attempts, "");
}

TEST(LayoutTest, WithoutAnOrderNoRowWaitsForAnother) {
  const auto columns = Table(
      "id:bigint! aggregate_id payload:jsonb published_at:at attempts:integer next_try_at:at");
  LayoutRequest request{.table = "public.outbox", .columns = columns, .max_attempts = 3};
  const auto ordered = RecogniseLayout(request);
  ASSERT_TRUE(ordered.ok()) << ordered.status();
  request.keeps_order = false;
  const auto layout = RecogniseLayout(request);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->key, "");
  EXPECT_EQ(layout->blocks, "");
  EXPECT_EQ(layout->shown_key, ordered->key) << "it is told all the same";
  EXPECT_EQ(layout->ready, ordered->ready) << "a row waits for its own time";
}

TEST(LayoutTest, APositionNeedsAColumnThatTellsTheTransaction) {
  auto columns = Table("id:bigint! aggregate_id payload created_at:at xact:xid8! published_at:at");
  LayoutRequest request{.table = "public.outbox", .columns = columns, .positions = true};
  EXPECT_EQ(ErrorReason(RecogniseLayout(request).status()), "outbox_needs_xact") << "no default";
  columns[4].fallback = "pg_current_xact_id()";
  const auto layout = RecogniseLayout(request);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->xact, "{xact}");
  EXPECT_EQ(layout->open, "true") << "what says that rows are published is not asked";
  columns[4].nullable = true;
  EXPECT_EQ(ErrorReason(RecogniseLayout(request).status()), "outbox_needs_xact") << "NULL";
}

TEST(LayoutTest, WithoutAColumnOfAttemptsNoRowIsParked) {
  const auto columns = Table("id:bigint! topic key payload published_at:at attempts");
  const auto layout =
      RecogniseLayout({.table = "public.outbox", .columns = columns, .max_attempts = 3});
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->attempts, "") << "it is no number";
  EXPECT_EQ(layout->parked, "");
}

TEST(LayoutTest, WordsBelongToALayout) {
  const auto status =
      Of(Table("id:uuid! aggregate_type aggregate_id event_type status payload created_at:at "
               "published_at:at"));
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->open, "{status} = 'NEW'");
  EXPECT_THAT(status->words, testing::ElementsAre("NEW", "PUBLISHED", "FAILED"));
  const auto columns = Table(
      "id:uuid! listener_id event_type serialized_event publication_date:at completion_date:at "
      "status completion_attempts:integer last_resubmission_date:at");
  const auto modulith = Of(columns, false, true);
  ASSERT_TRUE(modulith.ok()) << modulith.status();
  EXPECT_THAT(modulith->open, HasSubstr("{status} IN ('PUBLISHED', 'PROCESSING')"));
  EXPECT_THAT(modulith->ready, HasSubstr("WHEN 'PROCESSING' THEN false ELSE"));
  const auto taken_over = Of(columns, false, true, absl::Minutes(10));
  ASSERT_TRUE(taken_over.ok()) << taken_over.status();
  EXPECT_THAT(taken_over->ready,
              HasSubstr("{lastresubmissiondate}) < now() - interval '600000 ms'"));
}

TEST(LayoutTest, NamesAreComparedWithoutCaseAndUnderscores) {
  const auto columns = Table("Id:bigint! Topic Key Payload PublishedAt:at");
  const auto layout = Of(columns);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(Qualify(layout->open, "o", columns), "o.\"PublishedAt\" IS NULL");
}

TEST(LayoutTest, WhatCouldSayOtherwiseIsAskedAbout) {
  EXPECT_EQ(ReasonOf("id payload published_at:at abandoned_at:at"), "outbox_unknown_layout");
  EXPECT_EQ(ReasonOf("id payload published_at:at processed_at:at"), "outbox_unknown_layout");
  EXPECT_EQ(ReasonOf("id payload status:integer"), "outbox_unknown_layout");
  EXPECT_EQ(ReasonOf("id payload published_at:at locked_by"), "outbox_unknown_layout");
  EXPECT_EQ(ReasonOf("id total:numeric published_at:at"), "outbox_unknown_layout");
}

TEST(LayoutTest, RowsAreDeletedOnlyWhenTold) {
  constexpr absl::string_view kNothing =
      "id:uuid! aggregatetype aggregateid type payload created_at:at";
  EXPECT_EQ(ReasonOf(kNothing), "outbox_needs_delete");
  const auto deleted = Of(Table(kNothing), true);
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(deleted->mark, "");
  EXPECT_EQ(deleted->key, "{aggregateid}");
  const auto router =
      Of(Table("id:uuid! aggregatetype aggregateid type payload timestamp:at"), true);
  ASSERT_TRUE(router.ok()) << router.status();
  EXPECT_EQ(router->key, "{aggregateid}");
  EXPECT_EQ(router->order, "{timestamp}");
  const auto numbered =
      Of(Table("id:bigint! aggregatetype aggregateid type payload timestamp:at"), true);
  ASSERT_TRUE(numbered.ok()) << numbered.status();
  EXPECT_EQ(numbered->order, "{id}");
  EXPECT_EQ(ReasonOf("id:bigint! topic value:bytea key created_at:at"), "outbox_needs_delete");
}

TEST(LayoutTest, NoRowIsOpenWhereAColumnCouldSayThatItIsPublished) {
  for (const absl::string_view columns :
       {"id:uuid! payload published:boolean", "id:uuid! payload processed_at:at!",
        "id:uuid! payload published:boolean published_at:at",
        "id:bigint! topic key value delivered:boolean",
        "id:uuid! aggregatetype aggregateid type payload created_at:at published:boolean",
        "id:uuid! aggregatetype aggregateid type payload created_at:at state",
        "id:uuid! aggregatetype aggregateid type payload timestamp:at failed:boolean",
        "id:uuid! aggregatetype aggregateid type payload timestamp:at completed_at:at!"})
    EXPECT_EQ(ReasonOf(columns, true), "outbox_unknown_layout") << columns;
  const auto waits =
      Of(Table("id:uuid! aggregatetype aggregateid type payload created_at:at next_attempt_at:at"),
         true);
  ASSERT_TRUE(waits.ok()) << waits.status();
  EXPECT_THAT(waits->ready, HasSubstr("{nextattemptat} <= now()"));
}

TEST(LayoutTest, WhatCannotBePublishedIsRefusedByName) {
  for (const absl::string_view columns :
       {"id invocation nextattempttime:at blocked version",
        "MessageId Dispatched DispatchedAt Operations",
        "id owner_id destination deliver_by body message_type",
        "id messageable_id messageable_type lock_version status",
        ("Id:bigint! Version Name Group Content Retries:integer Added:timestamp "
         "ExpiresAt:timestamp StatusName"),
        "id event_name event_payload ready_to_retry_after delivered_to_listeners",
        "offset uuid payload metadata transaction_id"})
    EXPECT_EQ(ReasonOf(columns), "outbox_not_pollable") << columns;
  EXPECT_EQ(ReasonOf("id record_key record_type handler_id partition_no status completed_at:at "
                     "next_retry_at:at created_at:at"),
            "outbox_needs_where");
}

TEST(LayoutTest, ALeaseIsTakenOverOnlyAfterATimeThatIsGiven) {
  const auto columns = Table(
      "id:bigint! queue payload:bytea deliveries_count next_attempt_at:at acquired_at:at "
      "acquired_token:uuid");
  EXPECT_THAT(Of(columns, true)->ready, HasSubstr("OR false"));
  EXPECT_THAT(Of(columns, true, false, absl::Minutes(1))->ready, HasSubstr("interval '60000 ms'"));
}

TEST(LayoutTest, ATableWithoutStateCountsAttemptsToo) {
  const auto columns = Table(
      "id:uuid! aggregatetype aggregateid type timestamp:bigint payload:jsonb attempts:integer");
  LayoutRequest request{
      .table = "public.outbox", .columns = columns, .deletes = true, .max_attempts = 3};
  auto layout = RecogniseLayout(request);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->called, "Debezium's EventRouter");
  EXPECT_EQ(layout->attempts, "{attempts}");
  EXPECT_THAT(layout->ready, HasSubstr("{attempts} >= 3"));
  EXPECT_THAT(layout->blocks, HasSubstr("{attempts} >= 3")) << "later rows of its key wait";
  request.parked_holds = false;
  layout = RecogniseLayout(request);
  EXPECT_THAT(layout->blocks, Not(HasSubstr(">= 3")));
}

TEST(LayoutTest, WhatWouldLetARowBeParkedIsSaidWhereItWould) {
  const auto parking = [](absl::string_view text, int64_t attempts, bool positions = false) {
    const auto columns = Table(text);
    const auto layout = RecogniseLayout({.table = "public.outbox",
                                         .columns = columns,
                                         .deletes = true,
                                         .positions = positions,
                                         .max_attempts = attempts});
    EXPECT_TRUE(layout.ok()) << layout.status();
    return layout.ok() ? layout->parking : "";
  };
  EXPECT_EQ(parking("id:bigint! payload published_at:at", 10),
            "ALTER TABLE public.outbox ADD COLUMN attempts integer NOT NULL DEFAULT 0, ADD COLUMN "
            "last_error text, ADD COLUMN next_try_at timestamptz");
  EXPECT_EQ(parking("id:bigint! payload published_at:at attempts:integer", 0),
            "set walduct.outbox.max.attempts to more than 0");
  EXPECT_EQ(parking("id:bigint! payload published_at:at attempts", 10), "") << "it is a text";
  EXPECT_THAT(parking("id:uuid! aggregatetype aggregateid type timestamp:bigint payload:jsonb", 10),
              Not(HasSubstr("next_try_at")))
      << "it would be another layout";
  EXPECT_EQ(parking("destination headers payload published:smallint creation_time:bigint", 10), "")
      << "a library's own rules";
}

}  // namespace
}  // namespace walduct::poll
