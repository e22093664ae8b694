// Every class of transforms and predicates: found by its names, and made of options as its rows
// describe them.
#include "transform/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "java/text/text_lists.h"

namespace walduct::transform {
namespace {

using testing::HasSubstr;

// A value for options that must be given; words otherwise.
std::string ValueFor(const OptionRow& row) {
  static const auto* const values = new std::map<std::string, std::string, std::less<>>{
      {"regex", "(.*)"},
      {"topic.regex", "(.*)"},
      {"spec", "a:int32"},
      {"language", "jsr223.groovy"},
      {"condition", "value.op == 'c'"},
      {"topic.expression", "topic"},
      {"converted.timezone", "Europe/Berlin"},
      {"schema.change.event.exclude.list", "DROP"}};
  const auto found = values->find(std::string(row.name));
  if (found != values->end()) return found->second;
  if (row.type == OptionType::kInteger) return "3";
  if (row.type == OptionType::kEnum) return java::SplitCommaList(row.allowed).front();
  return "word";
}

OptionValues OptionsOf(absl::Span<const OptionRow> rows, absl::string_view older) {
  OptionValues options(rows, older);
  for (const OptionRow& row : rows) {
    if (row.required) options.Put(row.name, ValueFor(row));
    if (row.default_value) options.PutDefault(row.name, *row.default_value);
  }
  return options;
}

TEST(Registry, EveryClassCanBeMade) {
  for (const TransformClass* type : TransformClasses()) {
    if (!type->refused.empty()) {
      EXPECT_EQ(type->make, nullptr) << type->name;
      continue;
    }
    ASSERT_NE(type->make, nullptr) << type->name;
    EXPECT_FALSE(type->doc.empty()) << type->name;
    const StageFactory factory =
        type->make({.alias = "t", .options = OptionsOf(type->options, type->older_options)});
    const StagePtr first = factory(), second = factory();
    EXPECT_TRUE(first != nullptr && second != nullptr && first != second) << type->name;
  }
  for (const PredicateClass* type : PredicateClasses())
    EXPECT_NE(type->make(OptionsOf(type->options, "")), nullptr) << type->name;
}

TEST(Registry, RowsOfAClassHaveNamesOfTheirOwnAndAreDocumented) {
  for (const TransformClass* type : TransformClasses()) {
    std::set<std::string> names;
    for (const OptionRow& row : type->options) {
      EXPECT_TRUE(names.insert(std::string(row.name)).second) << type->name << " " << row.name;
      EXPECT_FALSE(row.doc.empty()) << type->name << " " << row.name;
      EXPECT_EQ(row.type == OptionType::kEnum, !row.allowed.empty())
          << type->name << " " << row.name;
      EXPECT_FALSE(row.required && row.default_value) << type->name << " " << row.name;
    }
  }
}

TEST(Registry, ASimpleNameIsEnoughWhereItIsUnique) {
  EXPECT_EQ(FindTransformClass("Cast"),
            FindTransformClass("org.apache.kafka.connect.transforms.Cast"));
  ASSERT_NE(FindTransformClass("EventRouter"), nullptr);
  EXPECT_EQ(FindTransformClass("EventRouter")->name, "io.debezium.transforms.outbox.EventRouter");
  EXPECT_EQ(FindTransformClass("Filter"), nullptr);  // Connect's or Debezium's
  EXPECT_EQ(FindTransformClass("Cast$Key"), nullptr);
  ASSERT_NE(FindPredicateClass("HasHeaderKey"), nullptr);
  EXPECT_THAT(AdviseTransformClass("org.acme.RegexRouter"),
              HasSubstr("did you mean 'org.apache.kafka.connect.transforms.RegexRouter'?"));
}

TEST(OptionValues, KnowTheirDefaultsFromWhatWasGiven) {
  static constexpr OptionRow kRows[] = {{.name = "a", .default_value = "1"}, {.name = "b"}};
  OptionValues options(kRows, "old");
  options.PutDefault("a", "1");
  options.Put("old", "x, y,");
  EXPECT_TRUE(options.Has("a"));
  EXPECT_FALSE(options.Given("a"));
  EXPECT_EQ(options.Integer("a"), 1);
  EXPECT_FALSE(options.Has("b"));
  EXPECT_EQ(options.Text("b"), "");
  EXPECT_TRUE(options.Given("old"));
  EXPECT_THAT(options.List("old"), testing::ElementsAre("x", "y"));
}

TEST(OptionValuesDeathTest, ANameThatNoRowHasIsAMistakeOfOurs) {
  static constexpr OptionRow kRows[] = {{.name = "a"}};
  const OptionValues options(kRows);
  EXPECT_DEATH(options.Text("b"), "");
}

}  // namespace
}  // namespace walduct::transform
