// Texts of JSON Schemas, to the character.
#include "encode/json_schema/json_schema.h"

#include <gtest/gtest.h>

#include "encode/table/table_plan.h"
#include "tests/encode/every_type.h"

namespace walduct::encode {
namespace {

class JsonSchemaTest : public EveryTypeTest {
 protected:
  std::shared_ptr<const event::ConnectSchema> AfterOf(std::vector<TestColumn> columns) {
    const auto table = MakeTable("t", std::move(columns), {});
    const TablePlan plan = CompileTable({.schema = table.get(), .topic = "srv.public.t"}, options_);
    return plan.envelope_schema->Find("after")->schema;
  }
  std::string TextOf(const std::string& type, int32_t typmod, bool optional) {
    const auto schema = AfterOf({{"c", MakeType(type), typmod, optional}});
    return MakeJsonSchema(*schema->Find("c")->schema, form_).text;
  }
  JsonSchemaForm form_;
};

TEST_F(JsonSchemaTest, TypesOfColumns) {
  EXPECT_EQ(TextOf("bool", -1, false), R"({"type":"boolean"})");
  EXPECT_EQ(TextOf("int4", -1, true),
            R"({"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int32"}]})");
  EXPECT_EQ(TextOf("text", -1, false), R"({"type":"string"})");
  EXPECT_EQ(TextOf("bytea", -1, false), R"({"type":"string","connect.type":"bytes"})");
  EXPECT_EQ(TextOf("date", -1, false),
            R"({"type":"integer","title":"io.debezium.time.Date","connect.version":1,)"
            R"("connect.type":"int32"})");
  EXPECT_EQ(TextOf("numeric", NumericTypmod(38, 10), false),
            R"({"type":"number","title":"org.apache.kafka.connect.data.Decimal",)"
            R"("connect.version":1,"connect.type":"bytes",)"
            R"("connect.parameters":{"scale":"10","connect.decimal.precision":"38"}})");
}

TEST_F(JsonSchemaTest, AMapWithTextKeysIsAnObject) {
  options_.values.hstore_map = true;
  EXPECT_EQ(TextOf("hstore", -1, false),
            R"({"type":"object","connect.type":"map","additionalProperties":)"
            R"({"oneOf":[{"type":"null"},{"type":"string"}]}})");
}

TEST_F(JsonSchemaTest, StructuresListTheirFieldsAsAHashMapDoes) {
  EXPECT_EQ(TextOf("numeric", -1, false),
            R"({"type":"object","title":"io.debezium.data.VariableScaleDecimal",)"
            R"("description":"Variable scaled decimal","connect.version":1,"properties":{)"
            R"("scale":{"type":"integer","connect.index":0,"connect.type":"int32"},)"
            R"("value":{"type":"string","connect.index":1,"connect.type":"bytes"}}})");
  form_.additional_properties = false;
  EXPECT_NE(TextOf("numeric", -1, false).find(R"({"type":"object","additionalProperties":false,)"),
            std::string::npos);
}

TEST_F(JsonSchemaTest, DefaultsLoseTheZerosAtTheirEnds) {
  const auto of = [&](const std::string& number, const std::string& type) {
    return MakeJsonSchema(*AfterOf({{"c", MakeType(type), -1, false, "'" + number + "'::" + type}}),
                          form_)
        .text;
  };
  EXPECT_NE(of("12345678.901", "float8").find(R"("default":12345678.901,)"), std::string::npos);
  EXPECT_NE(of("12345678.901", "float4").find(R"("default":12345679,)"), std::string::npos);
  EXPECT_NE(of("1e-7", "float8").find(R"("default":1.0E-7,)"), std::string::npos);
  EXPECT_NE(of("10.50", "float8").find(R"("default":10.5,)"), std::string::npos);
}

TEST_F(JsonSchemaTest, OnlyARequiredRecordHasATitleOfItsOwn) {
  const auto after = AfterOf({{"c", MakeType("int4"), -1, false}});
  EXPECT_EQ(MakeJsonSchema(*after, form_).title, "");
  event::ConnectSchema required = *after;
  required.optional = false;
  EXPECT_EQ(MakeJsonSchema(required, form_).title, "srv.public.t.Value");
}

}  // namespace
}  // namespace walduct::encode
