#include "loader/all_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "config/properties/names.h"
#include "config/properties/validators.h"
#include "java/text/text_lists.h"

namespace walduct::loader {
namespace {

TEST(AllProperties, DefaultsPassTheirOwnChecks) {
  for (const config::PropertyDefinition* definition : AllProperties().all()) {
    if (!definition->default_value.has_value()) continue;
    EXPECT_EQ(config::CheckValue(*definition, *definition->default_value), "") << definition->name;
  }
}

TEST(AllProperties, EveryRowIsDocumentedAndGivesReasons) {
  for (const config::PropertyDefinition* definition : AllProperties().all()) {
    EXPECT_FALSE(definition->doc.empty()) << definition->name;
    EXPECT_EQ(definition->doc.back(), '.') << definition->name;
    EXPECT_TRUE(definition->support == config::Support::kHonoured || !definition->note.empty())
        << definition->name;
    EXPECT_EQ(definition->type == config::PropertyType::kEnum, !definition->allowed.empty())
        << definition->name;
  }
}

TEST(AllProperties, RefusedAndAliasedValuesAreAmongTheAllowedOnes) {
  for (const config::PropertyDefinition* definition : AllProperties().all()) {
    for (const std::string& value : java::SplitCommaList(definition->refused)) {
      EXPECT_TRUE(java::ListContains(definition->allowed, value))
          << definition->name << " " << value;
    }
    for (const std::string& alias : java::SplitCommaList(definition->value_aliases)) {
      const std::string old_value = alias.substr(0, alias.find('='));
      EXPECT_EQ(config::CheckValue(*definition, old_value), "") << definition->name << " " << alias;
    }
  }
}

TEST(AllProperties, NamesAreUniqueAndEachFindsItsRow) {
  std::set<absl::string_view> seen;
  for (const config::PropertyDefinition* definition : AllProperties().all()) {
    EXPECT_TRUE(seen.insert(definition->name).second) << definition->name;
    EXPECT_TRUE(definition->is_pattern() || AllProperties().Find(definition->name) == definition)
        << definition->name;
    for (const std::string& alias : java::SplitCommaList(definition->aliases)) {
      EXPECT_EQ(AllProperties().Find(alias), definition) << alias;
      EXPECT_EQ(AllProperties().CurrentName(alias), definition->name);
    }
  }
}

TEST(AllProperties, PatternsMatchPlaceholdersAndRests) {
  EXPECT_TRUE(config::MatchesName("column.mask.with.<n>.chars", "column.mask.with.12.chars"));
  EXPECT_FALSE(config::MatchesName("column.mask.with.<n>.chars", "column.mask.with..chars"));
  EXPECT_TRUE(
      config::MatchesName("topic.creation.<group>.partitions", "topic.creation.a.b.partitions"));
  EXPECT_TRUE(config::MatchesName("producer.override.*", "producer.override.linger.ms"));
  EXPECT_FALSE(config::MatchesName("producer.override.*", "producer.linger.ms"));
}

TEST(AllProperties, ExactNamesAndSpecificPatternsComeFirst) {
  EXPECT_EQ(AllProperties().Find("database.hostname")->name, "database.hostname");
  EXPECT_EQ(AllProperties().Find("database.loginTimeout")->name, "database.*");
  EXPECT_EQ(AllProperties().Find("column.mask.hash.v2.SHA-256.with.salt.x.y")->name,
            "column.mask.hash.v2.<algorithm>.with.salt.<salt>");
  EXPECT_EQ(AllProperties().Find("producer.override.linger.ms")->name, "producer.override.*");
  EXPECT_EQ(AllProperties().Find("snapshot.select.statement.overrides.public.a")->name,
            "snapshot.select.statement.overrides.*");
  EXPECT_EQ(AllProperties().Find("no.such.property"), nullptr);
}

TEST(AllProperties, NearestNameForgivesSlipsButNotNonsense) {
  EXPECT_EQ(AllProperties().NearestName("tabel.include.list"), "table.include.list");
  EXPECT_EQ(AllProperties().NearestName("slot.nam"), "slot.name");
  EXPECT_EQ(AllProperties().NearestName("database.host"), "database.hostname");
  EXPECT_EQ(AllProperties().NearestName("completely.unrelated.thing.altogether"), "");
}

TEST(AllProperties, OldNamesOfDebezium1AreKnown) {
  for (const char* name :
       {"database.server.name", "table.whitelist", "table.blacklist", "schema.whitelist",
        "schema.blacklist", "column.whitelist", "column.blacklist", "slot.drop_on_stop"}) {
    EXPECT_TRUE(AllProperties().CurrentName(name).has_value()) << name;
  }
}

struct BadValue {
  const char* name;
  const char* value;
  const char* text;
};
class BadValues : public testing::TestWithParam<BadValue> {};

TEST_P(BadValues, HasDebeziumsText) {
  const config::PropertyDefinition* definition = AllProperties().Find(GetParam().name);
  ASSERT_NE(definition, nullptr);
  EXPECT_THAT(config::CheckValue(*definition, GetParam().value),
              testing::HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Contract, BadValues,
    testing::Values(
        BadValue{"database.port", "abc", "An integer is expected"},
        BadValue{"database.port", "70000", "not a port"},
        BadValue{"database.port", "", "An integer is expected"},
        BadValue{"max.batch.size", "0", "A positive, non-zero integer value is expected"},
        BadValue{"snapshot.fetch.size", "-1", "An non-negative integer is expected"},
        BadValue{"poll.interval.ms", "x", "A positive, non-zero long value is expected"},
        BadValue{"snapshot.delay.ms", "-5", "A non-negative long value is expected"},
        BadValue{"tombstones.on.delete", "yes", "Either 'true' or 'false' is expected"},
        BadValue{"snapshot.mode", "sometimes", "Value must be one of always, initial"},
        BadValue{"database.sslmode", "on", "Value must be one of disable, allow"},
        BadValue{"table.include.list", "a.(b",
                 "A comma-separated list of valid regular expressions"},
        BadValue{"custom.sanitize.pattern", "(", "A valid regular expression is expected"},
        BadValue{"database.hostname", "a b", "has invalid format"},
        BadValue{"topic.prefix", "a/b", "has invalid format"},
        BadValue{"slot.name", "xx-aa", "must contain only digits, lowercase"},
        BadValue{"skipped.operations", "c,x", "Invalid operation"},
        BadValue{"skipped.operations", "none,c", "'none' cannot be specified"},
        BadValue{"message.key.columns", "nocolon", "has an invalid format"},
        BadValue{"replica.identity.autoset.values", "t:SOME", "has an invalid format"},
        BadValue{"signal.data.collection", "s.a,s.b", "only one signal data collection"},
        BadValue{"connector.class", "com.acme.Sink", "not the PostgreSQL connector"},
        BadValue{"topic.creation.default.partitions", "0", "-1 or greater than 0"},
        BadValue{"offset.storage", "ConfigMapOffsetStore", "not a supported offset store"}));

std::string Check(absl::string_view property, absl::string_view value) {
  return config::CheckValue(*AllProperties().Find(property), value);
}

TEST(Validators, AcceptWhatDebeziumAccepts) {
  EXPECT_EQ(Check("slot.name", std::string(63, 'a')), "");
  EXPECT_NE(Check("slot.name", std::string(64, 'a')), "");
  EXPECT_EQ(Check("slot.name", "12345"), "") << "CFG-04: digits alone are a valid name";
  EXPECT_EQ(Check("replica.identity.autoset.values", "t:FULL, s.t:INDEX idx , .*:default"), "");
  EXPECT_EQ(Check("message.key.columns", "s.t:a,b;s.u:c"), "");
}

TEST(Validators, EnumsAndBooleansIgnoreCaseAndBlanks) {
  EXPECT_EQ(config::CheckValue(*AllProperties().Find("snapshot.mode"), " INITIAL "), "");
  EXPECT_EQ(config::NormalizeValue(*AllProperties().Find("snapshot.mode"), "Schema_Only"),
            "no_data");
  EXPECT_EQ(config::NormalizeValue(*AllProperties().Find("tombstones.on.delete"), " True"), "true");
}

TEST(Validators, ConvertersByFullSimpleOrShortName) {
  for (const char* name :
       {"org.apache.kafka.connect.json.JsonConverter", "JsonConverter", "Json", "StringConverter",
        "org.apache.kafka.connect.converters.ByteArrayConverter",
        "io.confluent.connect.json.JsonSchemaConverter"}) {
    EXPECT_EQ(Check("value.converter", name), "") << name;
  }
  EXPECT_THAT(Check("value.converter", "com.acme.Foo"),
              testing::AllOf(testing::HasSubstr("not a known converter"),
                             testing::HasSubstr("JsonConverter")));
}

}  // namespace
}  // namespace walduct::loader
