// Tables that no layout names: what their columns could say is asked about, and never guessed at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "poll/layouts/column_words.h"
#include "poll/layouts/layout.h"

namespace walduct::poll {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// As in layout_test.cc; "name:type=default" has one.
std::vector<LayoutColumn> Columns(absl::string_view text) {
  std::vector<LayoutColumn> columns;
  for (absl::string_view one : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const bool nullable = !absl::ConsumeSuffix(&one, "!");
    const std::vector<std::string> with_default = absl::StrSplit(one, absl::MaxSplits('=', 1));
    const std::vector<std::string> parts = absl::StrSplit(with_default[0], ':');
    std::string type = parts.size() == 1 ? "text" : parts[1];
    if (type == "at") type = "timestamp with time zone";
    columns.push_back({parts[0], type, nullable, with_default.size() == 2 ? with_default[1] : ""});
  }
  return columns;
}

absl::StatusOr<Layout> Read(absl::string_view text, bool deletes = false, bool narrowed = false) {
  const std::vector<LayoutColumn> columns = Columns(text);
  return RecogniseLayout({.table = "public.outbox",
                          .columns = columns,
                          .deletes = deletes,
                          .narrowed = narrowed,
                          .max_attempts = 10});
}

TEST(UnknownLayoutTest, WordsOfAName) {
  EXPECT_THAT(WordsOf("processed_on_utc"), ElementsAre("processed", "on", "utc"));
  EXPECT_THAT(WordsOf("ProcessedOnUtc"), ElementsAre("processed", "on", "utc"));
  EXPECT_THAT(WordsOf("isProcessed"), ElementsAre("is", "processed"));
  EXPECT_TRUE(IsCalled("ProcessedOnUtc", "processedat"));
  EXPECT_TRUE(IsCalled("locked_until_utc", "lockeduntil"));
  EXPECT_FALSE(IsCalled("processed", "processedat"));
  EXPECT_FALSE(IsCalled("version", "versionat"));
}

TEST(UnknownLayoutTest, ATimeIsAMarkWhateverItsEnding) {
  for (const absl::string_view name :
       {"processed_on_utc", "ProcessedOnUtc", "processed_on", "published_date", "sent_time"}) {
    const std::string table =
        absl::StrCat("id:uuid! type content occurred_on_utc:at! ", name, ":at error");
    const auto layout = Read(table);
    ASSERT_TRUE(layout.ok()) << layout.status();
    const std::vector<LayoutColumn> columns = Columns(table);
    EXPECT_EQ(Qualify(layout->open, "", columns), absl::StrCat("\"", name, "\" IS NULL"));
    EXPECT_EQ(layout->order, "{occurredonutc}");
    EXPECT_EQ(Read(table, true)->open, layout->open) << "deleted, too, only if it is open";
  }
  EXPECT_EQ(ErrorReason(Read("id payload published_at:at published_on:at").status()),
            "outbox_unknown_layout");
}

TEST(UnknownLayoutTest, WhatCouldSayThatARowIsPublishedIsAskedAbout) {
  for (const absl::string_view column :
       {"enqueued_at:at", "is_processed:boolean!", "isPublished:boolean!", "was_sent:boolean",
        "relayed_at:at", "handled:boolean", "done:boolean", "acked_at:at", "outbox_status",
        "delivery_state:integer", "exported_on:at", "processed_by"})
    EXPECT_EQ(
        ErrorReason(
            Read(absl::StrCat("id:bigint! topic payload created_at:at ", column), true).status()),
        "outbox_unknown_layout")
        << column;
}

TEST(UnknownLayoutTest, WhatCouldSayThatARowIsNotToBePublishedIsAskedAbout) {
  for (const absl::string_view column : {"is_dead:boolean",
                                         "dead_lettered_at:at",
                                         "cancelled_at:at",
                                         "discarded_on:at",
                                         "deleted_at:at",
                                         "skipped:boolean",
                                         "aborted:boolean",
                                         "failed_on_utc:at",
                                         "expires_at:at",
                                         "claimed_on_utc:at",
                                         "lease_owner",
                                         "processing_id:uuid",
                                         "publishing_started_at:at",
                                         "processing:boolean",
                                         "reserved_at:at",
                                         "lock_id:uuid",
                                         "is_published:boolean",
                                         "next_try_at:bigint",
                                         "locked_until:bigint",
                                         "delay_ms:bigint"})
    EXPECT_EQ(
        ErrorReason(
            Read(absl::StrCat("id:bigint! topic payload created_at:at published_at:at ", column))
                .status()),
        "outbox_unknown_layout")
        << column;
}

TEST(UnknownLayoutTest, WhatSaysNothingOfARowIsLeftAlone) {
  for (const absl::string_view column :
       {"failed_attempts:integer", "failure_reason", "published_by", "event_version:integer",
        "lock_version:integer", "dead_letter_topic", "max_attempts:integer", "enqueued_at:at!",
        "correlation_id:uuid", "tenant", "sending_system", "statement", "sender", "source"})
    EXPECT_TRUE(
        Read(absl::StrCat("id:bigint! topic payload created_at:at published_at:at ", column)).ok())
        << column;
}

TEST(UnknownLayoutTest, WhatALeaseOrATimeSaysIsWaitedFor) {
  for (const absl::string_view column :
       {"lease_until:at", "processing_until:at!", "locked_until_utc:at", "lock_expires_on:at",
        "scheduled_at:at", "process_after:at", "visible_on:at", "run_after:at"}) {
    const std::string table =
        absl::StrCat("id:bigint! aggregate_id payload published_at:at ", column);
    const std::vector<LayoutColumn> columns = Columns(table);
    const auto layout = Read(table);
    ASSERT_TRUE(layout.ok()) << layout.status();
    const std::string name(column.substr(0, column.find(':')));
    EXPECT_THAT(Qualify(layout->ready, "", columns),
                HasSubstr(absl::StrCat("\"", name, "\" <= now()")));
    EXPECT_THAT(Qualify(layout->blocks, "", columns),
                HasSubstr(absl::StrCat("\"", name, "\" > now()")));
  }
}

TEST(UnknownLayoutTest, WhoHasARowMayBeThereIfUntilWhenIsToo) {
  constexpr absl::string_view kOwner =
      "id:bigint! payload published_at:at lease_owner lease_token:uuid locked_by ";
  EXPECT_FALSE(Read(kOwner).ok());
  EXPECT_TRUE(Read(absl::StrCat(kOwner, "lease_until:at")).ok());
}

TEST(UnknownLayoutTest, AConditionSaysWhichRowsAreMeant) {
  constexpr absl::string_view kTable =
      "id:bigint! topic payload created_at:at is_processed:boolean";
  EXPECT_THAT(Read(kTable, true).status().message(), HasSubstr("is_processed"));
  EXPECT_THAT(ErrorHint(Read(kTable, true).status()), HasSubstr("walduct.outbox.where"));
  const auto narrowed = Read(kTable, true, true);
  ASSERT_TRUE(narrowed.ok()) << narrowed.status();
  EXPECT_EQ(narrowed->open, "true");
}

TEST(UnknownLayoutTest, AStatusWhoseFirstWordIsUnknownIsRefused) {
  EXPECT_TRUE(Read("id:uuid! payload status").ok());
  EXPECT_EQ(ErrorReason(Read("id:uuid! payload status='PENDING'::text").status()),
            "outbox_unknown_layout");
  EXPECT_TRUE(Read("id:uuid! payload status='NEW'::text").ok());
}

TEST(UnknownLayoutTest, MoreLibraries) {
  const auto bus = Read(
      "id:uuid! timestamp:at! bus_name message_type message_payload:bytea! headers:jsonb path "
      "lock_instance_id lock_expires_on:at! delivery_attempt:integer! delivery_complete:boolean! "
      "delivery_aborted:boolean!");
  ASSERT_TRUE(bus.ok()) << bus.status();
  EXPECT_EQ(bus->mark, "{deliverycomplete} = true");
  EXPECT_EQ(ErrorReason(Read("id:bigint! split_key format! payload:bytea! created_at:timestamp! "
                             "enqueued_at:timestamp",
                             true)
                            .status()),
            "outbox_not_pollable");
  // Brighter; a Rust library with leases of processing_until; one of Java with processed.
  EXPECT_EQ(Read("Id:bigint! MessageId Topic MessageType Timestamp:at CorrelationId ReplyTo "
                 "ContentType PartitionKey Dispatched:at HeaderBag Body")
                ->open,
            "{dispatched} IS NULL");
  EXPECT_THAT(Read("idempotent_key:uuid! partition_key:uuid! destinations:jsonb headers:jsonb "
                   "payload attempts:integer! created_at:at! processing_until:at! processed_at:at")
                  ->ready,
              HasSubstr("{processinguntil} <= now()"));
  EXPECT_EQ(Read("id:bigint! created:timestamp! processed:timestamp topic key value:bytea "
                 "headers:jsonb")
                ->born,
            "{created}");
}

}  // namespace
}  // namespace walduct::poll
