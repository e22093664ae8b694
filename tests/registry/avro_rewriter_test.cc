// AvroRewriter: which schemas may stand for a table's, and what becomes of its values.
#include "registry/avro_rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::registry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kEnvelope[] =
    R"({"type":"record","name":"Envelope","namespace":"srv.t","fields":[)"
    R"({"name":"before","type":["null",{"type":"record","name":"Value","fields":[)"
    R"({"name":"id","type":"int"}],"connect.name":"srv.t.Value"}],"default":null},)"
    R"({"name":"after","type":["null","Value"],"default":null}]})";

std::string Record(absl::string_view fields) {
  return absl::StrCat(R"({"type":"record","name":"R","fields":[)", fields, "]}");
}

std::string Field(absl::string_view name, absl::string_view type) {
  return absl::StrCat(R"({"name":")", name, R"(","type":)", type, "}");
}

absl::StatusOr<std::shared_ptr<const AvroRewriter>> Make(absl::string_view own,
                                                         absl::string_view known,
                                                         bool strict = true) {
  return AvroRewriter::Make(own, known, strict);
}

// Of a value as hex.
std::string Rewritten(absl::string_view own, absl::string_view known, absl::string_view value,
                      bool strict = true) {
  const auto rewriter = Make(own, known, strict);
  if (!rewriter.ok()) return std::string(rewriter.status().message());
  EXPECT_FALSE((*rewriter)->keeps_bytes());
  std::string out;
  const absl::Status status = (*rewriter)->Rewrite(absl::HexStringToBytes(value), &out);
  return status.ok() ? absl::BytesToHexString(out) : std::string(status.message());
}

TEST(AvroRewriter, LetsASchemaStandForOneOfTheSameValues) {
  const char* const same =
      R"({"type":"record","name":"Other","namespace":"srv.t","doc":"ours","fields":[)"
      R"({"name":"before","type":["null",{"type":"record","name":"Value",)"
      R"("namespace":"srv.t","fields":[{"name":"id","doc":"x",)"
      R"("type":{"type":"int","connect.version":1}}]}]},)"
      R"({"name":"after","type":["null","srv.t.Value"]}]})";
  EXPECT_TRUE((*Make(kEnvelope, same))->keeps_bytes());
  EXPECT_TRUE((*Make(R"({"type":"int","logicalType":"date"})", R"("int")"))->keeps_bytes());
  EXPECT_TRUE((*Make(R"("int")", "int"))->keeps_bytes());
  EXPECT_THAT((*Make(kEnvelope, same))->left_out(), IsEmpty());
}

TEST(AvroRewriter, KnowsWhatDecidesBytes) {
  const std::string schemas[] = {kEnvelope,
                                 R"(["null","int"])",
                                 R"(["int","null"])",
                                 R"({"type":"array","items":"int"})",
                                 R"({"type":"map","values":"int"})",
                                 Record(Field("a", R"("int")") + "," + Field("b", R"("int")")),
                                 Record(Field("b", R"("int")") + "," + Field("a", R"("int")")),
                                 Record(Field("a", R"("int")")),
                                 Record(Field("a", R"(["null","int"])")),
                                 R"(["null",{"type":"record","name":"R","fields":[]}])",
                                 R"(["null",{"type":"record","name":"S","fields":[]}])",
                                 R"({"type":"enum","name":"E","symbols":["A","B"]})",
                                 R"({"type":"enum","name":"E","symbols":["B","A"]})",
                                 R"({"type":"fixed","name":"F","size":4})",
                                 R"({"type":"fixed","name":"F","size":5})"};
  for (const std::string& one : schemas) {
    for (const std::string& other : schemas) {
      const auto made = Make(one, other);
      EXPECT_EQ(made.ok() && (*made)->keeps_bytes(), one == other) << one << other;
    }
  }
}

TEST(AvroRewriter, LeavesOutWhatStandsBehindTheLastField) {
  const std::string own =
      Record(Field("id", R"("int")") + "," + Field("a", R"(["null","string"])") + "," +
             Field("n", R"(["null","bytes"])"));
  const std::string known =
      Record(Field("id", R"("int")") + "," + Field("a", R"(["null","string"])"));
  EXPECT_EQ(Rewritten(own, known, "0202066f6e65020141"), "an Avro value does not fit its schema");
  EXPECT_EQ(Rewritten(own, known, "0202066f6e65020241"), "0202066f6e65");
  EXPECT_EQ(Rewritten(own, known, "020000"), "0200");
  EXPECT_THAT((*Make(own, known))->left_out(), ElementsAre("n"));
}

TEST(AvroRewriter, LeavesOutOfRecordsInRecordsAndOfEachItem) {
  const std::string wide = R"({"type":"record","name":"V","fields":[{"name":"x","type":"long"},)"
                           R"({"name":"y","type":{"type":"array","items":"double"}},)"
                           R"({"name":"z","type":{"type":"map","values":"boolean"}}]})";
  const std::string narrow =
      R"({"type":"record","name":"V","fields":[{"name":"x","type":"long"}]})";
  const auto both = [](const std::string& value) {
    return Record(Field("before", R"(["null",)" + value + "]") + "," +
                  Field("all", R"({"type":"array","items":"V"})") + "," +
                  Field("op", R"("string")"));
  };
  const std::string values =
      "02"
      "04"
      "02"
      "0000000000000000"
      "00"
      "02"
      "026b"
      "01"
      "00";
  const std::string item =
      "06"
      "00"
      "00";
  EXPECT_EQ(Rewritten(both(wide), both(narrow), values + "04" + item + item + "00" + "0263"),
            "02"
            "04"
            "04"
            "06"
            "06"
            "00"
            "0263");
  EXPECT_THAT((*Make(both(wide), both(narrow)))->left_out(),
              ElementsAre("before.y", "before.z", "all.[].y", "all.[].z"));
}

TEST(AvroRewriter, WritesTheBranchesThatAreThere) {
  const std::string column = R"(["null","int"])";
  EXPECT_EQ(Rewritten(column, R"(["int","null"])", "0206"), "0006");
  EXPECT_EQ(Rewritten(column, R"(["int","null"])", "00"), "02");
  EXPECT_EQ(Rewritten(column, R"(["null","string","int"])", "0206"), "0406");
  EXPECT_EQ(Rewritten(R"("int")", column, "06"), "0206");
  EXPECT_EQ(Rewritten(Record(Field("a", R"("int")")), Record(Field("a", column)), "06"), "0206");
}

TEST(AvroRewriter, ANullWithoutABranchIsRefusedAtOnceOrWhenItComes) {
  const std::string column = Record(Field("a", R"(["null","int"])"));
  const std::string known = Record(Field("a", R"("int")"));
  EXPECT_EQ(Rewritten(column, known, "0206"),
            "field a is int there, and null or int in the table's");
  EXPECT_EQ(Rewritten(column, known, "0206", false), "06");
  const auto rewriter = Make(column, known, false);
  std::string out;
  const absl::Status status = (*rewriter)->Rewrite(std::string(1, '\0'), &out);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(ErrorReason(status), "schema_differs");
  EXPECT_THAT(status.message(), HasSubstr("field a is NULL"));
}

// As Confluent's serializer 7.0.16 writes them.
TEST(AvroRewriter, WidensNumbers) {
  EXPECT_TRUE((*Make(R"("int")", R"("long")"))->keeps_bytes());
  EXPECT_EQ(Rewritten(R"("int")", R"("double")", "06"), "0000000000000840");
  EXPECT_EQ(Rewritten(R"("long")", R"("float")", "06"), "00004040");
  EXPECT_EQ(Rewritten(R"("float")", R"("double")", "00004040"), "0000000000000840");
  EXPECT_EQ(Rewritten(R"("bytes")", R"(["null","bytes"])", "040102"), "02040102");
}

TEST(AvroRewriter, RefusesWhatWouldBeReadAsSomethingElse) {
  const auto why = [](const std::string& own, const std::string& known) {
    return std::string(Make(own, known, false).status().message());
  };
  const std::string a = Field("a", R"("int")"), b = Field("b", R"("int")");
  EXPECT_EQ(why(Record(a), Record(a + "," + b)), "field b is not in the table's");
  EXPECT_THAT(why(Record(a + "," + b), Record(b + "," + a)),
              HasSubstr("field 1 of the value is b there, and a in the table's"));
  EXPECT_THAT(why(Record(a + "," + b), Record(b)), HasSubstr("under another's name"));
  EXPECT_EQ(why(Record(Field("a", R"("long")")), Record(a)),
            "field a is int there, and long in the table's");
  EXPECT_EQ(why(Record(a), Record(Field("a", R"(["null","long"])"))),
            "field a is null or long there, and int in the table's");
  EXPECT_EQ(why(R"("string")", R"("bytes")"),
            "the value is bytes there, and string in the table's");
  EXPECT_EQ(why(R"(["null","bytes"])", R"("bytes")"),
            "the value is bytes there, and null or bytes in the table's");
}

TEST(AvroRewriter, KnowsWhatIsNoSchema) {
  std::string deep(5000, '['), end(5000, ']');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("{}"), std::string("syntax = \"proto3\";"),
        std::string(R"({"type":"record"})"), std::string("[1]"), std::string(R"({"type":"array"})"),
        std::string(R"({"type":"record","fields":[1]})"), deep + end}) {
    EXPECT_THAT(Make(R"("int")", text).status().message(), HasSubstr("no schema of Avro")) << text;
  }
  EXPECT_THAT(Make(kEnvelope, R"({"type":"record","name":"L","fields":[)"
                              R"({"name":"before","type":["null","L"]}]})")
                  .status()
                  .message(),
              HasSubstr("field before is null or record L there"));
}

}  // namespace
}  // namespace walduct::registry
