// `transforms` and `predicates`: every mistake is found while the configuration is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/chain_config.h"
#include "transform/registry/registry.h"
#include "transform/template/stage.h"

namespace walduct::transform {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Read = test::ChainReading;

Read ReadLines(const std::string& lines) { return test::ReadChain(test::ParseLines(lines)); }

// One transform `a` of that class.
Read ReadOne(const std::string& type, const std::string& options = "") {
  return ReadLines("transforms=a\ntransforms.a.type=" + type + "\n" + options);
}

std::string TopicAfter(const TransformSpec& spec, const std::string& topic) {
  event::RecordTemplate record;
  record.topic = topic;
  Questions questions({});
  EXPECT_TRUE(spec.make()->Apply(&record, &questions).ok());
  return record.topic;
}

// The options of the class as its own rules leave them, with defaults.
OptionValues Modernized(const std::string& type, const test::PropertyList& options) {
  const TransformClass& found = *FindTransformClass(type);
  OptionValues values(found.options, found.older_options);
  for (const auto& [name, value] : options) values.Put(name, value);
  found.modernize(&values);
  for (const OptionRow& row : found.options) {
    if (row.default_value && !values.Has(row.name)) values.PutDefault(row.name, *row.default_value);
  }
  return values;
}

constexpr char kConnect[] = "org.apache.kafka.connect.transforms.";

TEST(Transforms, AreReadInOrderWithTheirPredicates) {
  const Read read = ReadLines(
      "transforms=route, key\n"
      "transforms.route.type=org.apache.kafka.connect.transforms.RegexRouter\n"
      "transforms.route.regex=(.*)\ntransforms.route.replacement=x-$1\n"
      "transforms.route.predicate=tomb\ntransforms.route.negate=true\n"
      "transforms.key.type=ExtractField$Key\ntransforms.key.field=id\n"
      "predicates=tomb\npredicates.tomb.type=RecordIsTombstone\n");
  EXPECT_THAT(read.errors, IsEmpty());
  ASSERT_EQ(read.chain.transforms.size(), 2u);
  const TransformSpec& route = read.chain.transforms[0];
  EXPECT_EQ(route.class_name, "org.apache.kafka.connect.transforms.RegexRouter");
  EXPECT_EQ(TopicAfter(route, "a"), "x-a");
  ASSERT_NE(route.predicate, nullptr);
  Questions questions({});
  EXPECT_EQ(route.predicate->Test({}, &questions), true);  // without a value
  EXPECT_TRUE(route.negate);
  const TransformSpec& key = read.chain.transforms[1];
  EXPECT_EQ(key.class_name, "org.apache.kafka.connect.transforms.ExtractField$Key");
  EXPECT_EQ(key.predicate, nullptr);
}

constexpr char kStrict[] = "\nwalduct.strict=true";

// As Kafka Connect does; walduct.strict=true refuses it.
TEST(Transforms, AnOptionThatTheClassDoesNotHaveHasNoEffect) {
  const std::string unwrap = "io.debezium.transforms.ExtractNewRecordState";
  const std::string misspelt = "transforms.a.add.field=op";
  const auto named = AllOf(HasSubstr("'transforms.a.add.field'"), HasSubstr("no such option"),
                           HasSubstr("did you mean 'transforms.a.add.fields'?"));
  const Read read = ReadOne(unwrap, misspelt);
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(AllOf(named, HasSubstr("it has no effect"))));
  EXPECT_EQ(read.chain.transforms.size(), 1u);
  EXPECT_THAT(ReadOne(unwrap, misspelt + kStrict).errors, ElementsAre(named));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "RegexRouter",
                      "transforms.a.regex=a\ntransforms.a.replacement=b\ntransforms.a.c=x")
                  .warnings,
              ElementsAre(HasSubstr("its options are regex, replacement")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "Filter", "transforms.a.condition=x").warnings,
              testing::Contains(HasSubstr("it has none: remove it")));
  const std::string predicate =
      "predicates=p\npredicates.p.type=org.apache.kafka.connect.transforms.predicates."
      "TopicNameMatches\npredicates.p.pattern=a\npredicates.p.patern=b";
  EXPECT_THAT(ReadLines(predicate).errors, IsEmpty());
  EXPECT_THAT(ReadLines(predicate).warnings, ElementsAre(HasSubstr("mean 'predicates.p.pattern'")));
  EXPECT_THAT(ReadLines(predicate + kStrict).errors, ElementsAre(HasSubstr("no such option")));
}

// As they are found in published configurations.
TEST(Transforms, WhatAnOptionProbablyMeant) {
  const auto warned = [](const std::string& option) {
    const Read read =
        ReadOne("io.debezium.transforms.outbox.EventRouter", "transforms.a." + option + "=x");
    EXPECT_THAT(read.errors, IsEmpty()) << option;
    return read.warnings.empty() ? "" : read.warnings[0];
  };
  EXPECT_THAT(warned("table.field.event.payload.id"), HasSubstr("mean 'transforms.a.table.field."));
  EXPECT_THAT(warned("table.field.timestamp"), HasSubstr("a.table.field.event.timestamp'"));
  EXPECT_THAT(warned("route.by.value"), HasSubstr("mean 'transforms.a.route.by.field'"));
  EXPECT_THAT(warned("topic.replacement"), HasSubstr("a.route.topic.replacement'"));
  EXPECT_THAT(warned("route.topic.partition.by"), HasSubstr("no such option"));
}

TEST(Transforms, UnknownAndRefusedClassesSayWhatToUse) {
  EXPECT_THAT(
      ReadOne("com.acme.Upper").errors,
      ElementsAre(AllOf(HasSubstr("not a known transform"),
                        HasSubstr("org.apache.kafka.connect.transforms.Cast$Key and $Value"))));
  EXPECT_THAT(ReadOne("io.confluent.connect.transforms.Filter$Value").errors,
              ElementsAre(HasSubstr("condition=value.op == 'd'")));
  EXPECT_THAT(ReadOne("io.confluent.connect.transforms.ExtractTopic$Value").errors,
              ElementsAre(HasSubstr("topic.expression=value.a")));
  EXPECT_THAT(ReadOne("Filter").errors, ElementsAre(HasSubstr("not a known transform")));
}

TEST(Transforms, OpenLineageChangesNothing) {
  const Read read = ReadOne("io.debezium.transforms.openlineage.OpenLineage");
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("lineage events are not sent")));
  EXPECT_EQ(TopicAfter(read.chain.transforms.at(0), "srv.public.a"), "srv.public.a");
}

TEST(Transforms, OptionsOfGeometriesAreCheckedAtStart) {
  const std::string format = "io.debezium.transforms.GeometryFormatTransformer";
  const std::string swap = "io.debezium.transforms.SwapGeometryCoordinates";
  EXPECT_THAT(ReadOne(format, "transforms.a.format=wkt").errors,
              ElementsAre(HasSubstr("wkb, ewkb")));
  EXPECT_THAT(ReadOne(format, "transforms.a.format=EWKB").warnings,
              ElementsAre(HasSubstr("converts PostGIS's EWKB to WKB")));
  EXPECT_THAT(ReadOne(format, "transforms.a.format=wkb").warnings, IsEmpty());
  const Read read = ReadOne(swap, "transforms.a.srids=3187, -1");
  EXPECT_THAT(read.errors, IsEmpty());
  for (const char* item : {"x", "4326.0", "99999999999"})
    EXPECT_THAT(ReadOne(swap, std::string("transforms.a.srids=4326,") + item).errors,
                ElementsAre(HasSubstr(std::string("'") + item + "', which is not a 32-bit")));
}

TEST(Transforms, KeyOrValueMustBeSaidWhereThereAreBoth) {
  EXPECT_THAT(ReadOne(std::string(kConnect) + "Flatten").errors,
              ElementsAre(HasSubstr("Flatten$Key or ")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "ValueToKey$Key", "transforms.a.fields=id").errors,
              ElementsAre(HasSubstr("has no variant for keys or values")));
}

TEST(Transforms, MissingPiecesAreNamed) {
  EXPECT_THAT(ReadLines("transforms=a").errors,
              ElementsAre(HasSubstr("'transforms.a.type': A value is required")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "RegexRouter", "transforms.a.regex=a").errors,
              ElementsAre(HasSubstr("'transforms.a.replacement': A value is required")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "Filter", "transforms.a.negate=true").errors,
              ElementsAre(HasSubstr("no predicate to negate")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "Filter", "transforms.a.predicate=p").errors,
              ElementsAre(HasSubstr("is not listed in predicates")));
  EXPECT_THAT(
      ReadLines("transforms=a,a\ntransforms.a.type=org.apache.kafka.connect.transforms.Filter")
          .errors,
      testing::Contains(HasSubstr("names 'a' twice")));
}

TEST(Transforms, ValuesAreChecked) {
  EXPECT_THAT(ReadOne(std::string(kConnect) + "Cast$Value", "transforms.a.spec=id:int33").errors,
              ElementsAre(HasSubstr("one of int8, int16")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "RegexRouter",
                      "transforms.a.regex=(a\ntransforms.a.replacement=x")
                  .errors,
              ElementsAre(HasSubstr("not a valid regular expression")));
  EXPECT_THAT(
      ReadOne(std::string(kConnect) + "RegexRouter",
              "transforms.a.regex=(a)\ntransforms.a.replacement=$2")
          .errors,
      ElementsAre(HasSubstr("'transforms.a.replacement': value '$2' does not fit the regex: "
                            "there is no group 2")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "TimestampConverter$Value",
                      "transforms.a.field=t\ntransforms.a.target.type=string")
                  .errors,
              ElementsAre(HasSubstr("'transforms.a.format': A value is required")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "TimestampConverter$Value",
                      "transforms.a.target.type=string\ntransforms.a.format=YYYY-ww")
                  .errors,
              ElementsAre(HasSubstr("'Y' in 'YYYY-ww' is not supported")));
  EXPECT_THAT(
      ReadOne(std::string(kConnect) + "HeaderFrom$Value",
              "transforms.a.fields=a,b\ntransforms.a.headers=c\ntransforms.a.operation=copy")
          .errors,
      ElementsAre(HasSubstr("'transforms.a.headers': value 'c' and 'fields' must have the same")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "InsertField$Value").errors,
              ElementsAre(HasSubstr("set topic.field, timestamp.field or static.field")));
}

// The option at fault is named, with its value and what to write.
TEST(Transforms, MistakesBetweenOptionsAreThoseOfOneOption) {
  const std::string debezium = "io.debezium.transforms.";
  EXPECT_THAT(
      ReadOne(debezium + "ExtractNewRecordState", "transforms.a.delete.handling.mode=dropp").errors,
      ElementsAre(HasSubstr("'transforms.a.delete.handling.mode': value 'dropp' must be")));
  EXPECT_THAT(
      ReadOne(debezium + "outbox.EventRouter", "transforms.a.route.topic.replacement=${routedBy}")
          .errors,
      ElementsAre(AllOf(HasSubstr("'transforms.a.route.topic.replacement'"),
                        HasSubstr("no group 'routedBy'"), HasSubstr("${routedByValue}"))));
  EXPECT_THAT(ReadOne(debezium + "ByLogicalTableRouter",
                      "transforms.a.topic.regex=(a)\ntransforms.a.topic.replacement=$2")
                  .errors,
              ElementsAre(HasSubstr("'transforms.a.topic.replacement': value '$2' does not fit")));
}

TEST(Transforms, ClassesThatAreNearlyRight) {
  EXPECT_THAT(ReadOne("io.debezium.transforms.ExtractNewRecordStates").errors,
              ElementsAre(HasSubstr("mean 'io.debezium.transforms.ExtractNewRecordState'?")));
  EXPECT_THAT(ReadOne("io.debezium.transforms.EventRouter").errors,
              ElementsAre(HasSubstr("mean 'io.debezium.transforms.outbox.EventRouter'?")));
  EXPECT_THAT(
      ReadLines(std::string("predicates=p\npredicates.p.type=") + kConnect + "RecordIsTombstone")
          .errors,
      ElementsAre(HasSubstr("mean 'org.apache.kafka.connect.transforms.predicates.")));
}

TEST(Transforms, AnEmptyNameIsTold) {
  const std::string type = "\ntransforms.a.type=io.debezium.transforms.ExtractNewRecordState";
  for (const char* list : {"a,", "a , ", ",a"}) {
    const Read read = ReadLines(std::string("transforms=") + list + type);
    EXPECT_THAT(read.errors, IsEmpty());
    EXPECT_EQ(read.chain.transforms.size(), 1u);
    EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("empty item"))) << list;
  }
  EXPECT_THAT(ReadLines("transforms= a " + type).warnings, IsEmpty());
  EXPECT_THAT(ReadLines("transforms= ").warnings, IsEmpty());
}

TEST(Transforms, AnEmptyPredicateIsNone) {
  EXPECT_THAT(
      ReadOne(std::string(kConnect) + "Flatten$Value", "transforms.a.predicate= ").errors,
      ElementsAre(HasSubstr("'transforms.a.predicate': value ' ' does not name a predicate")));
  EXPECT_THAT(ReadOne(std::string(kConnect) + "Filter").warnings,
              ElementsAre(HasSubstr("drops every record")));
}

TEST(Transforms, SizesAndSourceSchemasAreChecked) {
  const std::string debezium = "io.debezium.transforms.", size = debezium + "EnforceRecordSize";
  EXPECT_THAT(ReadOne(size).errors, ElementsAre(HasSubstr("'transforms.a.max.bytes': A value")));
  EXPECT_THAT(ReadOne(size, "transforms.a.max.bytes=0").errors,
              ElementsAre(HasSubstr("must be greater than 0")));
  EXPECT_THAT(ReadOne(size, "transforms.a.max.bytes=1\ntransforms.a.compression.ratio=0.0").errors,
              ElementsAre(HasSubstr("must be greater than 0")));
  EXPECT_THAT(ReadOne(size, "transforms.a.max.bytes=1\ntransforms.a.min.field.size=-1").errors,
              ElementsAre(HasSubstr("must not be negative")));
  EXPECT_THAT(ReadOne(debezium + "ExtractSchemaToNewRecord").errors,
              ElementsAre(AllOf(HasSubstr("needs column.propagate.source.type or datatype."),
                                HasSubstr("set column.propagate.source.type=.*"))));
  EXPECT_THAT(
      ReadOne(debezium + "ExtractSchemaToNewRecord", "column.propagate.source.type=.*").errors,
      IsEmpty());
  const std::string filter = debezium + "SchemaChangeEventFilter";
  const std::string excluded = "transforms.a.schema.change.event.exclude.list=";
  EXPECT_THAT(ReadOne(filter, excluded + "drop").errors, ElementsAre(HasSubstr("has 'drop'")));
  const Read read = ReadOne(filter, excluded + "DROP, ALTER");
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("has no effect")));
}

TEST(Transforms, TheOldPairOfUnwrapIsTranslated) {
  const auto mode = [](const std::string& options) {
    const std::string unwrap = "io.debezium.transforms.ExtractNewRecordState";
    const Read read = ReadOne(unwrap, options);
    EXPECT_THAT(read.errors, IsEmpty());
    EXPECT_EQ(read.warnings.size(), options.empty() ? 0u : 1u);
    test::PropertyList given = test::ParseLines(options);
    for (auto& [name, value] : given) name = name.substr(std::string("transforms.a.").size());
    return Modernized(unwrap, given).Text("delete.tombstone.handling.mode");
  };
  EXPECT_EQ(mode(""), "tombstone");
  EXPECT_EQ(mode("transforms.a.drop.tombstones=true"), "drop");
  EXPECT_EQ(mode("transforms.a.drop.tombstones=false"), "delete-to-tombstone");
  EXPECT_EQ(mode("transforms.a.delete.handling.mode=none"), "tombstone");
  EXPECT_EQ(mode("transforms.a.delete.handling.mode=none\ntransforms.a.drop.tombstones=false"),
            "legacy-none");
  EXPECT_EQ(mode("transforms.a.delete.handling.mode=rewrite"), "rewrite");
  EXPECT_EQ(mode("transforms.a.delete.handling.mode=rewrite\ntransforms.a.drop.tombstones=false"),
            "rewrite-with-tombstone");
}

TEST(Transforms, OlderNamesOfOptionsAreTakenWithAWarning) {
  const Read read =
      ReadOne(std::string(kConnect) + "ReplaceField$Value", "transforms.a.blacklist=x");
  EXPECT_THAT(read.errors, IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("use 'transforms.a.exclude'")));
  event::RecordTemplate record;
  record.value =
      event::StructNode(nullptr, {event::NullNode(nullptr, "x"), event::NullNode(nullptr, "y")});
  Questions questions({});
  EXPECT_TRUE(read.chain.transforms.at(0).make()->Apply(&record, &questions).ok());
  ASSERT_EQ(record.value->members.size(), 1u);
  EXPECT_EQ(record.value->members[0].name, "y");
}

TEST(Transforms, WhatNoListNamesHasNoEffect) {
  const Read read = ReadLines("transforms.b.type=org.apache.kafka.connect.transforms.Filter");
  EXPECT_THAT(read.chain.transforms, IsEmpty());
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("transforms does not list it")));
}

}  // namespace
}  // namespace walduct::transform
