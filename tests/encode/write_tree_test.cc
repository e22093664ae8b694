// Arrays, maps and structs of functions and constants in each format.
#include <gtest/gtest.h>

#include "encode/formats/write_scalar.h"
#include "encode/readers/read_table.h"
#include "event/tree.h"
#include "tests/encode/toy_reader.h"

namespace walduct::encode {
namespace {

using event::Scalar;
using event::TreeBuilder;
using Kind = Scalar::Kind;

event::ConnectSchemaPtr Of(event::ConnectType type, bool optional = false) {
  event::ConnectSchema schema = event::Schema(type);
  schema.optional = optional;
  return event::Shared(std::move(schema));
}

event::ConnectSchemaPtr Decimal(const char* scale) {
  event::ConnectSchema schema =
      event::Schema(event::ConnectType::kBytes, "org.apache.kafka.connect.data.Decimal");
  schema.parameters = {{"scale", scale}};
  return event::Shared(std::move(schema));
}

event::ConnectSchemaPtr ArrayOf(event::ConnectSchemaPtr items) {
  event::ConnectSchema schema = event::Schema(event::ConnectType::kArray);
  schema.items = std::move(items);
  return event::Shared(std::move(schema));
}

event::ConnectSchemaPtr MapOf(event::ConnectSchemaPtr keys, event::ConnectSchemaPtr values) {
  event::ConnectSchema schema = event::Schema(event::ConnectType::kMap);
  schema.keys = std::move(keys);
  schema.items = std::move(values);
  return event::Shared(std::move(schema));
}

event::ConnectSchemaPtr StructOf(std::vector<event::ConnectField> fields, bool optional = false) {
  event::ConnectSchema schema = event::Schema(event::ConnectType::kStruct);
  schema.fields = std::move(fields);
  schema.optional = optional;
  return event::Shared(std::move(schema));
}

class WriteTreeTest : public ::testing::Test {
 protected:
  std::string Print(TextFormat format, const event::ConnectSchema* schema, bool numeric = false) {
    OutBuffer text;
    const TextTarget target{.out = &text, .format = format, .decimal_numeric = numeric};
    EXPECT_TRUE(WithTextWriter(
        target, [&](auto* out) { return WriteScalar(tree_.value(), schema, &scratch_, out); }));
    return std::string(text.view());
  }
  std::string Json(const event::ConnectSchemaPtr& schema) {
    return Print(TextFormat::kJson, schema.get());
  }
  std::string Java(const event::ConnectSchemaPtr& schema) {
    return Print(TextFormat::kStruct, schema.get());
  }
  std::string Header(const event::ConnectSchemaPtr& schema) {
    return Print(TextFormat::kHeader, schema.get());
  }
  // Written in the binary format, decoded by the schema alone.
  std::string Toy(const event::ConnectSchemaPtr& schema) {
    OutBuffer bytes;
    std::string json;
    ToyWriter writer(&bytes);
    EXPECT_TRUE(WriteScalar(tree_.value(), schema.get(), &scratch_, &writer));
    ToyReader reader(bytes, &json);
    reader.Value(*schema);
    EXPECT_TRUE(reader.done());
    return json;
  }

  void AddField(absl::string_view name, const Scalar& value) {
    tree_.Name(name);
    tree_.Add(value);
  }

  std::string text_;
  TreeBuilder tree_{&text_};
  Scratch scratch_;
};

TEST_F(WriteTreeTest, StructsInArraysInStructs) {
  const auto inner = StructOf(
      {{"a", Of(event::ConnectType::kString, true)}, {"n", Of(event::ConnectType::kInt32)}}, true);
  const auto schema = StructOf({{"id", Of(event::ConnectType::kInt64)},
                                {"gone", Of(event::ConnectType::kBoolean, true)},
                                {"in", inner},
                                {"list", ArrayOf(inner)}});
  tree_.Begin(Kind::kStruct);
  AddField("id", Scalar::Integer(42));
  AddField("gone", {});
  tree_.Name("in");
  tree_.Begin(Kind::kStruct);
  AddField("a", Scalar::Text("x \"y\""));
  AddField("n", Scalar::Integer(1));
  tree_.End();
  tree_.Name("list");
  tree_.Begin(Kind::kArray);
  tree_.Begin(Kind::kStruct);
  AddField("a", {});
  AddField("n", Scalar::Integer(2));
  tree_.End();
  tree_.Add({});
  tree_.End();
  tree_.End();
  const char json[] =
      R"({"id":42,"gone":null,"in":{"a":"x \"y\"","n":1},"list":[{"a":null,"n":2},null]})";
  EXPECT_EQ(Json(schema), json);
  EXPECT_EQ(Json(nullptr), json);
  EXPECT_EQ(Toy(schema), json);
  EXPECT_EQ(Java(schema), "Struct{id=42,in=Struct{a=x \"y\",n=1},list=[Struct{n=2}, null]}");
}

TEST_F(WriteTreeTest, StructsOfNothingButNulls) {
  const auto schema = StructOf({{"in", Of(event::ConnectType::kString, true)},
                                {"list", ArrayOf(Of(event::ConnectType::kString))}});
  tree_.Begin(Kind::kStruct);
  AddField("in", {});
  AddField("list", Scalar::Tree(Kind::kArray, ""));
  tree_.End();
  EXPECT_EQ(Java(schema), "Struct{list=[]}");
  EXPECT_EQ(Toy(schema), R"({"in":null,"list":[]})");
}

TEST_F(WriteTreeTest, Maps) {
  const auto schema = MapOf(Of(event::ConnectType::kString), Of(event::ConnectType::kString, true));
  tree_.Begin(Kind::kMap);
  tree_.Add(Scalar::Text("k"));
  tree_.Add(Scalar::Text("v"));
  tree_.Add(Scalar::Text("n"));
  tree_.Add({});
  tree_.End();
  EXPECT_EQ(Json(schema), R"({"k":"v","n":null})");
  EXPECT_EQ(Json(nullptr), R"({"k":"v","n":null})");
  EXPECT_EQ(Toy(schema), R"({"k":"v","n":null})");
  EXPECT_EQ(Java(schema), "{k=v, n=null}");
}

TEST_F(WriteTreeTest, MapsOfNumbersAreArraysOfPairsInJson) {
  const auto schema = MapOf(Of(event::ConnectType::kInt16), Of(event::ConnectType::kDouble));
  tree_.Begin(Kind::kMap);
  tree_.Add(Scalar::Integer(3));
  tree_.Add(Scalar::Real(20.5));
  tree_.End();
  EXPECT_EQ(Json(schema), "[[3,20.5]]");
  EXPECT_EQ(Toy(schema), "[[3,20.5]]");
}

TEST_F(WriteTreeTest, ValuesAreWrittenByTheirSchema) {
  const auto schema = ArrayOf(Decimal("2"));
  tree_.Begin(Kind::kArray);
  tree_.Add(Scalar::Decimal("1.5"));
  tree_.End();
  EXPECT_EQ(Json(schema), "[\"AJY=\"]");
  EXPECT_EQ(Print(TextFormat::kJson, schema.get(), true), "[1.50]");
  EXPECT_EQ(Header(schema), "[1.50]");
  EXPECT_EQ(Java(schema), "[1.50]");
  tree_.Clear();
  tree_.Begin(Kind::kArray);
  tree_.Add(Scalar::Real(3.3));
  tree_.End();
  EXPECT_EQ(Json(ArrayOf(Of(event::ConnectType::kFloat))), "[3.3]");
  EXPECT_EQ(Toy(ArrayOf(Of(event::ConnectType::kFloat))), "[3.3]");
}

TEST_F(WriteTreeTest, AnItemThatDoesNotFitIsNotWritten) {
  tree_.Begin(Kind::kArray);
  tree_.Add(Scalar::Decimal("1.555"));
  tree_.End();
  OutBuffer bytes;
  ToyWriter writer(&bytes);
  EXPECT_FALSE(WriteScalar(tree_.value(), ArrayOf(Decimal("2")).get(), &scratch_, &writer));
}

TEST_F(WriteTreeTest, HalvesOfPairs) {
  const std::string half =
      "a\xED\xA0\x80"
      "b";
  const auto schema = StructOf({{half, Of(event::ConnectType::kString)}});
  tree_.Begin(Kind::kStruct);
  AddField(half, Scalar::Text(half + "\xED\x9F\xBF"));
  tree_.End();
  EXPECT_EQ(Json(schema), "{\"a\\uD800b\":\"a\\uD800b\xED\x9F\xBF\"}");
  EXPECT_EQ(Java(schema), "Struct{a?b=a?b\xED\x9F\xBF}");
}

TEST_F(WriteTreeTest, OneValueAlone) {
  tree_.Add(Scalar::Real(-0.5));
  EXPECT_EQ(tree_.value().real, -0.5);
  tree_.Clear();
  tree_.Add(Scalar::Bytes("\x01"));
  EXPECT_EQ(tree_.value().kind, Kind::kBytes);
  EXPECT_EQ(tree_.value().text, "\x01");
}

}  // namespace
}  // namespace walduct::encode
