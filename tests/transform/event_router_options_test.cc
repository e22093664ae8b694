// Options of the EventRouter: what is refused, what is read as what was meant.
#include "transform/outbox/event_router_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/chain_config.h"
#include "tests/transform/outbox_records.h"
#include "transform/chain/chain.h"
#include "transform/properties/option_reader.h"

namespace walduct::transform {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kRouter[] = "io.debezium.transforms.outbox.EventRouter";

std::vector<std::string> ErrorsOf(const test::PropertyList& options) {
  return test::ReadChain(test::OneTransform("outbox", kRouter, options)).errors;
}

// As a chain reads them.
RouterOptions Read(const test::PropertyList& options) {
  const config::PropertySet properties =
      test::PropertiesOf(test::OneTransform("outbox", kRouter, options));
  const config::Masking masking(properties);
  config::Findings findings(properties, masking);
  const Section section{.prefix = "transforms.outbox.",
                        .options = kEventRouterRows,
                        .generic = {"type"},
                        .older = kEventRouterOlderOptions};
  OptionValues values = ReadOptions(properties, section, &findings);
  ModernizeEventRouter(&values);
  GuessEventRouter("outbox", &values);
  AddDefaults(section, &values, &findings);
  EXPECT_THAT(findings.TakeErrors(), IsEmpty());
  return ReadRouterOptions({.alias = "outbox", .options = std::move(values)});
}

TEST(EventRouterOptions, OBX06_WrongValuesAreRefused) {
  for (const char* line :
       {"route.topic.regex=(", "table.fields.additional.placement=type",
        "table.fields.additional.placement=type:", "table.fields.additional.placement=type:body",
        "table.op.invalid.behavior=ignore", "table.field.additional.missing=maybe",
        "table.expand.json.payload=yes", "route.topic.replacement=${nosuch}",
        "table.json.payload.null.behavior=keep"})
    EXPECT_THAT(ErrorsOf(test::ParseLines(line)), Not(IsEmpty())) << line;
}

TEST(EventRouterOptions, OlderNamesAreReadAsWhatTheyMeant) {
  const RouterOptions options = Read({{"table.field.payload", "data"},
                                      {"debezium.op.invalid.behavior", "fatal"},
                                      {"table.fields.additional.error.on.missing", "false"}});
  EXPECT_EQ(options.columns.payload.column, "data");
  EXPECT_EQ(options.updates, UpdateBehavior::kFatal);
  EXPECT_TRUE(options.ignore_missing);
  EXPECT_TRUE(options.columns.payload.given);
  EXPECT_FALSE(options.columns.id.given);
}

TEST(EventRouterOptions, PythonsGroupsAreTaken) {
  const test::PropertyList options = {{"route.topic.regex", "(?P<x>.*)"},
                                      {"route.topic.replacement", "${x}.events"}};
  EXPECT_EQ(Read(options).topic.Replace("orders"), "orders.events");
  test::PropertyList properties = test::OneTransform("outbox", kRouter, options);
  EXPECT_THAT(test::ReadChain(properties).warnings,
              Contains(HasSubstr("better write transforms.outbox.route.topic.regex=(?<x>.*)")));
  properties.emplace_back("walduct.strict", "true");
  EXPECT_THAT(test::ReadChain(properties).errors,
              Contains(HasSubstr("write transforms.outbox.route.topic.regex=(?<x>.*)")));
}

TEST(EventRouterOptions, TheRouterOfOutboxTablesHasDebeziumsDefaults) {
  const auto chain = Chain::Create(test::ChainOf({{"walduct.outbox.tables", "public.outbox"}}));
  const event::ChainOutcome outcome = chain->Start(OutboxRecords::Make("outbox"));
  EXPECT_EQ(outcome.by, "outbox");
  ASSERT_EQ(outcome.kind, event::ChainOutcome::Kind::kQuestion);
  EXPECT_EQ(outcome.question.name, "aggregatetype");
}

}  // namespace
}  // namespace walduct::transform
