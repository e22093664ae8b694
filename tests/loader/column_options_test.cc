// Column lists, masks by property name, message keys, naming strategies.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "encode/options/encode_options.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"
#include "route/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ColumnOptionsTest : public LoadFixture {
 protected:
  encode::ColumnOptions Columns(const std::string& lines) {
    LoadResult result = LoadWith(lines);
    EXPECT_THAT(result.errors, IsEmpty());
    return result.options.encode->columns;
  }
  std::vector<std::string> Errors(const std::string& lines) { return LoadWith(lines).errors; }
};

TEST_F(ColumnOptionsTest, MasksAreOrderedByKind) {
  const encode::ColumnOptions columns = Columns(
      "column.mask.hash.v2.sha-512/256.with.salt.a.b.with.salt.c=public.t.h2\n"
      "column.mask.hash.SHA.with.salt.s=public.t.h1\n"
      "column.mask.with.0.chars=public.t.m\n"
      "column.truncate.to.20.chars=public.t.c,public.t.d");
  ASSERT_EQ(columns.masks.size(), 4u);
  EXPECT_EQ(columns.masks[0].kind, encode::ColumnMaskKind::kTruncate);
  EXPECT_EQ(columns.masks[0].length, 20u);
  EXPECT_TRUE(columns.masks[0].columns->Matches("PUBLIC.T.D"));
  EXPECT_EQ(columns.masks[1].kind, encode::ColumnMaskKind::kStars);
  EXPECT_EQ(columns.masks[1].length, 0u);
  EXPECT_EQ(columns.masks[2].kind, encode::ColumnMaskKind::kHash);
  EXPECT_EQ(columns.masks[2].algorithm, "SHA-1");
  EXPECT_EQ(columns.masks[2].salt, "s");
  EXPECT_EQ(columns.masks[3].kind, encode::ColumnMaskKind::kHashV2);
  EXPECT_EQ(columns.masks[3].algorithm, "SHA-512/256");
  EXPECT_EQ(columns.masks[3].salt, "a.b.with.salt.c");
}

TEST_F(ColumnOptionsTest, ValuesThatAreNoExpressionsAreNotTakenForMasks) {
  EXPECT_THAT(Columns("database.password=(a{b\n").masks, IsEmpty());
}

// A mask that nobody knows would hide nothing.
TEST_F(ColumnOptionsTest, MisspeltNamesOfMasksAreRefused) {
  for (const char* name :
       {"column.mask.with.3.chrs", "column.mask.with.4.char", "column.mask.with.chars",
        "column.mask.with.", "column.mask.wth.3.chars", "column.truncate.to.chars",
        "column.truncate.to.3.char", "column.mask.hash.SHA-256", "column.mask.hash.SHA-256.with.",
        "column.mask.hash.SHA-256.with.salt."}) {
    EXPECT_THAT(Errors(absl::StrCat(name, "=a.b.c")),
                ElementsAre(HasSubstr("so that it would hide nothing; write column.")))
        << name;
  }
  EXPECT_THAT(Errors("column.mask.wth.3.chars=a.b.c"),
              ElementsAre(HasSubstr("write column.mask.with.<n>.chars: use a number from 0")));
  const std::vector<std::string> errors = Errors("column.mask.hash.MD5.with.slt.pepper=a.b.c");
  EXPECT_THAT(errors, ElementsAre(HasSubstr("'column.mask.hash.MD5.with.slt.…'")));
  EXPECT_THAT(errors, ElementsAre(Not(HasSubstr("pepper"))));
}

TEST_F(ColumnOptionsTest, NamesThatDebeziumWouldIgnoreAreRefused) {
  EXPECT_THAT(Errors("column.mask.with.ten.chars=a.b.c"),
              ElementsAre(HasSubstr("'ten' is not a length in characters; use a number")));
  EXPECT_THAT(Errors("column.truncate.to.0.chars=a.b.c"),
              ElementsAre(HasSubstr("Maximum length must be positive")));
  EXPECT_THAT(Errors("column.truncate.to.-1.chars=a.b.c"), ElementsAre(HasSubstr("'-1' is not")));
  EXPECT_THAT(Errors("column.mask.hash.MD2.with.salt.x=a.b.c"),
              ElementsAre(HasSubstr("'MD2' is not a known hash algorithm")));
  EXPECT_THAT(Errors("column.mask.hash.v2.with.salt.x=a.b.c"),
              ElementsAre(HasSubstr("is not of the form")));
  EXPECT_THAT(Errors("column.mask.with.5.chars=(a"), ElementsAre(HasSubstr("regular expression")));
  EXPECT_THAT(Errors("column.include.list=a.b.c\ncolumn.exclude.list=a.b.d"),
              ElementsAre(HasSubstr("cannot be combined")));
}

TEST_F(ColumnOptionsTest, KEY05MessageKeysChooseColumnsInOrder) {
  const route::MessageKeys keys = *route::MessageKeys::Parse(
      "public.a:c,id;PUBLIC.NOPK:x; (.*).full1:d,c ;public.uq:.*;public.a:id");
  const std::vector<absl::string_view> columns = {"id", "c", "d", "e"};
  EXPECT_THAT(keys.Choose("public.a", columns), ElementsAre(1, 0));
  EXPECT_THAT(keys.Choose("other.full1", columns), ElementsAre(2, 1));
  EXPECT_THAT(keys.Choose("public.uq", columns), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(keys.Choose("public.other", columns), IsEmpty());
  EXPECT_THAT(keys.Choose("a", columns), IsEmpty()) << "a table's name has its schema";
}

TEST_F(ColumnOptionsTest, KEY05MisspeltColumnsAreFound) {
  const route::MessageKeys keys = *route::MessageKeys::Parse("public.a:nosuch,id;public.b:x");
  EXPECT_THAT(keys.Unmatched("public.a", {"id", "c"}), ElementsAre("public.a:nosuch"));
}

TEST_F(ColumnOptionsTest, MessageKeysOfTheWrongFormAreRefused) {
  for (const char* bad :
       {"public.a", "public.a:", ":id", "public.a:id,,c", "public.a:id:c", "a:( "})
    EXPECT_THAT(Errors(std::string("message.key.columns=") + bad).size(), 1u) << bad;
}

TEST_F(ColumnOptionsTest, NamingStrategies) {
  const auto naming = [&](const std::string& lines) {
    LoadResult result = LoadWith(lines);
    EXPECT_THAT(result.errors, IsEmpty()) << lines;
    return result.options.route->naming;
  };
  EXPECT_TRUE(naming("").with_schema);
  EXPECT_FALSE(
      naming("topic.naming.strategy=io.debezium.schema.DefaultTopicNamingStrategy").with_schema);
  EXPECT_TRUE(naming("topic.naming.strategy=SchemaUnicodeTopicNamingStrategy").unicode);
  const std::string regex =
      "topic.naming.strategy=io.debezium.schema.SchemaRegexTopicNamingStrategy\n"
      "topic.regex=srv.(.*)\ntopic.replacement=$1\n";
  EXPECT_TRUE(naming(regex).rewrite.has_value());
  EXPECT_EQ(naming(regex).key_field, "__dbz__physicalTableIdentifier");
  EXPECT_EQ(naming(regex + "topic.key.enforce.uniqueness=false").key_field, "");
}

TEST_F(ColumnOptionsTest, NamingStrategiesAskForTheirOptions) {
  const std::string strategy =
      "topic.naming.strategy=io.debezium.schema.DefaultRegexTopicNamingStrategy\n";
  EXPECT_THAT(Errors(strategy), ElementsAre(HasSubstr("'topic.regex'")));
  EXPECT_THAT(Errors(strategy + "topic.regex=(a)"), ElementsAre(HasSubstr("'topic.replacement'")));
  EXPECT_THAT(Errors(strategy + "topic.regex=(a)\ntopic.replacement=$2"),
              ElementsAre(HasSubstr("there is no group 2")));
  EXPECT_THAT(Errors("topic.naming.strategy=com.example.Mine"),
              ElementsAre(HasSubstr("is not a known topic naming strategy")));
  EXPECT_THAT(LoadWith("topic.regex=a").warnings, ElementsAre(HasSubstr("has no effect")));
}

}  // namespace
}  // namespace walduct::loader
