#include "transform/outbox/column_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "config/files/connect_json.h"
#include "transform/outbox/placements.h"
#include "transform/properties/outbox_routing.h"

namespace walduct::transform {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Columns = std::vector<std::string>;

absl::StatusOr<OutboxColumns> Map(const Columns& columns, OutboxColumnOptions options = {},
                                  bool strict = false) {
  return MapOutboxColumns({.options = std::move(options),
                           .table = "public.outbox",
                           .transform = "outbox",
                           .columns = columns,
                           .strict = strict});
}

std::vector<std::string> Lines(const std::vector<Guess>& guesses) {
  std::vector<std::string> lines;
  for (const Guess& guess : guesses) lines.push_back(guess.line);
  return lines;
}

TEST(ColumnMapping, DebeziumsOwnLayoutNeedsNoGuess) {
  const auto mapped = Map({"id", "aggregatetype", "aggregateid", "type", "payload"}, {}, true);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->key, "aggregateid");
  EXPECT_EQ(mapped->route, "aggregatetype");
  EXPECT_THAT(mapped->guesses, IsEmpty());
}

TEST(ColumnMapping, TheDefaultColumnWinsOverItsAliases) {
  const auto mapped =
      Map({"id", "uuid", "aggregatetype", "event_type", "aggregateid", "key", "payload", "data"});
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->id + mapped->route + mapped->key + mapped->payload,
            "idaggregatetypeaggregateidpayload");
  EXPECT_THAT(mapped->guesses, IsEmpty());
}

TEST(ColumnMapping, TheOnlyAliasIsTakenAndTold) {
  const auto mapped = Map({"event_id", "topic", "key", "body"});
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_THAT(Lines(mapped->guesses),
              ElementsAre("transforms.outbox.table.field.event.id=event_id",
                          "transforms.outbox.table.field.event.key=key",
                          "transforms.outbox.route.by.field=topic",
                          "transforms.outbox.table.field.event.payload=body"));
  EXPECT_EQ(mapped->guesses[1].text,
            "table public.outbox has no column 'aggregateid'; 'key' is used for the key");
}

TEST(ColumnMapping, TwoAliasesAreNoAnswer) {
  const auto mapped = Map({"id", "event_type", "topic", "aggregate_id", "payload"});
  EXPECT_EQ(ErrorReason(mapped.status()), "outbox_columns");
  EXPECT_THAT(std::string(mapped.status().message()),
              HasSubstr("set transforms.outbox.route.by.field=event_type or topic"));
}

TEST(ColumnMapping, TheDefaultsOwnNameWithAnUnderscoreWinsOverOthers) {
  const auto mapped =
      Map({"id", "event_type", "aggregate_type", "key", "aggregate_id", "payload", "event_id"});
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_THAT(Lines(mapped->guesses),
              ElementsAre("transforms.outbox.table.field.event.key=aggregate_id",
                          "transforms.outbox.route.by.field=aggregate_type"));
}

TEST(ColumnMapping, AGivenColumnIsNeverReplaced) {
  OutboxColumnOptions options;
  options.key = {"order_id", true};
  const auto mapped = Map({"id", "aggregatetype", "aggregate_id", "payload"}, options);
  EXPECT_EQ(ErrorReason(mapped.status()), "outbox_columns");
  EXPECT_THAT(std::string(mapped.status().message()),
              AllOf(HasSubstr("no column 'order_id' for the key"), HasSubstr("=aggregate_id")));
}

TEST(ColumnMapping, AllThatIsMissingIsToldAtOnce) {
  const auto mapped = Map({"a", "b"});
  EXPECT_THAT(std::string(mapped.status().message()),
              AllOf(HasSubstr("for the event id"), HasSubstr("for the key"),
                    HasSubstr("for the routed value"), HasSubstr("for the payload"),
                    HasSubstr("its columns are a, b")));
}

TEST(ColumnMapping, AListedTableIsNotToBeListed) {
  EXPECT_THAT(ErrorHint(Map({"a"}).status()), HasSubstr("list the outbox tables"));
  const auto mapped = MapOutboxColumns({.options = {},
                                        .table = "public.outbox",
                                        .transform = "outbox",
                                        .columns = Columns{"a"},
                                        .listed = true});
  EXPECT_THAT(ErrorHint(mapped.status()), HasSubstr("take it out of walduct.outbox.tables"));
}

TEST(ColumnMapping, StrictRefusesGuesses) {
  const auto mapped = Map({"id", "aggregatetype", "aggregate_id", "payload"}, {}, true);
  EXPECT_EQ(ErrorReason(mapped.status()), "outbox_strict");
  EXPECT_EQ(ErrorHint(mapped.status()), "transforms.outbox.table.field.event.key=aggregate_id");
}

// --- configurations as they are published: tests/outbox/published ---

std::string ReadFixture(const std::string& name) {
  std::ifstream file(WALDUCT_SOURCE_DIR "/tests/outbox/published/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Columns ColumnsOfOutbox(const std::string& sql) {
  const size_t begin = sql.find("CREATE TABLE outbox (");
  const std::string body = sql.substr(begin, sql.find("\n);", begin) - begin);
  const std::regex column("\n  ([a-z_]+) ");
  Columns columns;
  for (std::sregex_iterator it(body.begin(), body.end(), column), end; it != end; ++it)
    columns.push_back((*it)[1]);
  return columns;
}

class Published : public ::testing::Test {
 protected:
  void Load(const std::string& name) {
    const auto parsed = config::ParseConnectJson(ReadFixture(name + ".json"));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    for (const auto& [key, value] : parsed->values) properties_[key] = value;
    columns_ = ColumnsOfOutbox(ReadFixture(name + ".sql"));
    ASSERT_THAT(columns_, ::testing::Contains("payload"));
    Give("table.field.event.id", &options_.id);
    Give("table.field.event.key", &options_.key);
    Give("route.by.field", &options_.route);
    Give("table.field.event.payload", &options_.payload);
  }
  std::string Option(const std::string& option) {
    return properties_["transforms.outbox." + option];
  }

  std::map<std::string, std::string> properties_;
  Columns columns_;
  OutboxColumnOptions options_;

 private:
  void Give(const std::string& option, ColumnOption* to) {
    if (!Option(option).empty()) *to = {Option(option), true};
  }
};

TEST_F(Published, GoNeedsOneGuess) {
  Load("go");
  const auto mapped = Map(columns_, options_);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->key, "aggregate_id");
  EXPECT_THAT(Lines(mapped->guesses),
              ElementsAre("transforms.outbox.table.field.event.key=aggregate_id"));
  EXPECT_EQ(ErrorReason(Map(columns_, options_, true).status()), "outbox_strict");
  EXPECT_FALSE(
      ParsePlacements(Option("table.fields.additional.placement"), "outbox")->guess.has_value());
}

TEST_F(Published, DjangoNeedsThreeGuesses) {
  Load("django");
  const auto mapped = Map(columns_, options_);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_THAT(Lines(mapped->guesses),
              ElementsAre("transforms.outbox.table.field.event.key=aggregate_id"));
  const auto placed =
      ParsePlacements(Option("table.fields.additional.placement"), "outbox").value();
  ASSERT_TRUE(placed.guess.has_value());
  EXPECT_EQ(placed.guess->line,
            "transforms.outbox.table.fields.additional.placement="
            "aggregate_type:header,aggregate_id:header");
  EXPECT_TRUE(properties_.find("topic.prefix") == properties_.end());
  std::string prefix;
  DeriveTopicPrefix("outbox-connector", &prefix);
  EXPECT_EQ(prefix, "outbox-connector");
}

TEST_F(Published, DirectsOutboxWouldNeedTwo) {
  Load("direct");
  const auto mapped = Map(columns_, options_);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->route, "event_type");
  EXPECT_EQ(mapped->key, "aggregate_id");
  EXPECT_EQ(mapped->guesses.size(), 2u);
}

}  // namespace
}  // namespace walduct::transform
