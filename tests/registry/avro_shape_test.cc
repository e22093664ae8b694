// AvroShape: what decides the bytes of a value, and what does not.
#include "registry/avro_shape.h"

#include <gtest/gtest.h>

namespace walduct::registry {
namespace {

constexpr char kEnvelope[] =
    R"({"type":"record","name":"Envelope","namespace":"srv.t","fields":[)"
    R"({"name":"before","type":["null",{"type":"record","name":"Value","fields":[)"
    R"({"name":"id","type":"int"}],"connect.name":"srv.t.Value"}],"default":null},)"
    R"({"name":"after","type":["null","Value"],"default":null}]})";

TEST(AvroShape, LeavesOutWhatDecidesNothing) {
  EXPECT_EQ(
      AvroShape(kEnvelope),
      AvroShape(R"({"type":"record","name":"Other","namespace":"srv.t","doc":"ours","fields":[)"
                R"({"name":"before","type":["null",{"type":"record","name":"Value",)"
                R"("namespace":"srv.t","fields":[{"name":"id","doc":"x",)"
                R"("type":{"type":"int","connect.version":1}}]}]},)"
                R"({"name":"after","type":["null","srv.t.Value"]}]})"));
  EXPECT_EQ(AvroShape(R"({"type":"int","logicalType":"date"})"), AvroShape(R"("int")"));
  EXPECT_EQ(AvroShape("int"), AvroShape(R"("int")"));
}

TEST(AvroShape, KeepsWhatDecidesBytes) {
  const char* const kSchemas[] = {
      kEnvelope,
      R"(["null","int"])",
      R"(["int","null"])",
      R"({"type":"array","items":"int"})",
      R"({"type":"map","values":"int"})",
      R"({"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"b","type":"int"}]})",
      R"({"type":"record","name":"R","fields":[{"name":"b","type":"int"},{"name":"a","type":"int"}]})",
      R"({"type":"record","name":"R","fields":[{"name":"a","type":"int"}]})",
      R"({"type":"record","name":"R","fields":[{"name":"a","type":["null","int"]}]})",
      R"(["null",{"type":"record","name":"R","fields":[]}])",
      R"(["null",{"type":"record","name":"S","fields":[]}])",
      R"({"type":"enum","name":"E","symbols":["A","B"]})",
      R"({"type":"enum","name":"E","symbols":["B","A"]})",
      R"({"type":"fixed","name":"F","size":4})",
      R"({"type":"fixed","name":"F","size":5})"};
  for (const char* one : kSchemas) {
    EXPECT_NE(AvroShape(one), "") << one;
    for (const char* other : kSchemas) {
      if (one == other) continue;
      EXPECT_NE(AvroShape(one), AvroShape(other)) << one << other;
    }
  }
}

TEST(AvroShape, KnowsWhatIsNone) {
  for (const char* text : {"", "{", "{}", "syntax = \"proto3\";", R"({"type":"record"})", "[1]",
                           R"({"type":"array"})", R"({"type":"record","fields":[1]})"})
    EXPECT_EQ(AvroShape(text), "") << text;
}

}  // namespace
}  // namespace walduct::registry
