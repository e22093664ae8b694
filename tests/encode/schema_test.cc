// Schemas as JsonConverter writes them. The literals were recorded from Debezium 3.6.1.
#include <string>

#include "encode/formats/schema_json.h"
#include "encode/options/encode_options.h"
#include "encode/table/table_plan.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

// The schema of one column, as a member of its row.
std::string FieldSchema(const TestColumn& column, const ValueOptions& values = {}) {
  EncodeOptions options;
  options.values = values;
  const auto table = MakeTable("t", {column}, {});
  const TablePlan plan = CompileTable({.schema = table.get(), .topic = "srv.public.t"}, options);
  const event::ConnectSchema& row = *plan.envelope_schema->fields[0].schema;
  if (row.fields.empty()) return "<dropped>";
  OutBuffer json;
  AppendSchemaJson(*row.fields[0].schema, {.out = &json});
  return std::string(json.view());
}

std::string FieldSchema(const std::string& type, int32_t typmod = -1) {
  return FieldSchema({"c", MakeType(type), typmod});
}

std::string DefaultOf(const TestColumn& column, const ValueOptions& values = {}) {
  const std::string json = FieldSchema(column, values);
  const size_t at = json.find("\"default\":");
  return at == std::string::npos ? "<none>" : json.substr(at + 10, json.size() - at - 11);
}

std::string DefaultOf(const std::string& type, const std::string& expression, int32_t typmod = -1) {
  return DefaultOf({"c", MakeType(type), typmod, true, expression});
}

TEST(Schema, Scalars) {
  EXPECT_EQ(FieldSchema("bool"), R"({"type":"boolean","optional":true})");
  EXPECT_EQ(FieldSchema("int2"), R"({"type":"int16","optional":true})");
  EXPECT_EQ(FieldSchema("int4"), R"({"type":"int32","optional":true})");
  EXPECT_EQ(FieldSchema("int8"), R"({"type":"int64","optional":true})");
  EXPECT_EQ(FieldSchema("oid"), R"({"type":"int64","optional":true})");
  EXPECT_EQ(FieldSchema("float4"), R"({"type":"float","optional":true})");
  EXPECT_EQ(FieldSchema("float8"), R"({"type":"double","optional":true})");
  EXPECT_EQ(FieldSchema("bytea"), R"({"type":"bytes","optional":true})");
}

TEST(Schema, Decimals) {
  EXPECT_EQ(
      FieldSchema("numeric", NumericTypmod(9, 2)),
      R"({"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,)"
      R"("parameters":{"scale":"2","connect.decimal.precision":"9"}})");
  EXPECT_EQ(
      FieldSchema("numeric", NumericTypmod(5, -2)),
      R"({"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,)"
      R"("parameters":{"scale":"2046","connect.decimal.precision":"5"}})");
  EXPECT_EQ(
      FieldSchema("numeric"),
      R"({"type":"struct","fields":[{"type":"int32","optional":false,"field":"scale"},)"
      R"({"type":"bytes","optional":false,"field":"value"}],"optional":true,)"
      R"("name":"io.debezium.data.VariableScaleDecimal","version":1,"doc":"Variable scaled decimal"})");
  EXPECT_EQ(
      FieldSchema("money"),
      R"({"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,)"
      R"("parameters":{"scale":"2"}})");
}

TEST(Schema, NamedStrings) {
  const auto named = [](absl::string_view name) {
    return "{\"type\":\"string\",\"optional\":true,\"name\":\"io.debezium.data." +
           std::string(name) + "\",\"version\":1}";
  };
  EXPECT_EQ(FieldSchema("json"), named("Json"));
  EXPECT_EQ(FieldSchema("jsonb"), named("Json"));
  EXPECT_EQ(FieldSchema("hstore"), named("Json"));
  EXPECT_EQ(FieldSchema("xml"), named("Xml"));
  EXPECT_EQ(FieldSchema("uuid"), named("Uuid"));
  EXPECT_EQ(FieldSchema("ltree"), named("Ltree"));
  EXPECT_EQ(FieldSchema("tsvector"), named("Tsvector"));
  EXPECT_EQ(FieldSchema("citext"), R"({"type":"string","optional":true})");
}

TEST(Schema, EnumListsItsLabels) {
  EXPECT_EQ(FieldSchema({"c", EnumOf({"sad", "ok", "happy 'quoted'"})}),
            R"({"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,)"
            R"("parameters":{"allowed":"sad,ok,happy 'quoted'"}})");
}

TEST(Schema, Bits) {
  EXPECT_EQ(FieldSchema("bit", 1), R"({"type":"boolean","optional":true})");
  EXPECT_EQ(
      FieldSchema("bit", 5),
      R"({"type":"bytes","optional":true,"name":"io.debezium.data.Bits","version":1,"parameters":{"length":"5"}})");
  EXPECT_EQ(FieldSchema("varbit"),
            R"({"type":"bytes","optional":true,"name":"io.debezium.data.Bits","version":1,)"
            R"("parameters":{"length":"2147483647"}})");
}

TEST(Schema, TimesFollowThePrecision) {
  const auto time = [](absl::string_view type, absl::string_view name) {
    return "{\"type\":\"" + std::string(type) +
           "\",\"optional\":true,\"name\":\"io.debezium.time." + std::string(name) +
           "\",\"version\":1}";
  };
  EXPECT_EQ(FieldSchema("date"), time("int32", "Date"));
  EXPECT_EQ(FieldSchema("time"), time("int64", "MicroTime"));
  EXPECT_EQ(FieldSchema("time", 0), time("int32", "Time"));
  EXPECT_EQ(FieldSchema("time", 3), time("int32", "Time"));
  EXPECT_EQ(FieldSchema("time", 4), time("int64", "MicroTime"));
  EXPECT_EQ(FieldSchema("timetz"), time("string", "ZonedTime"));
  EXPECT_EQ(FieldSchema("timestamp"), time("int64", "MicroTimestamp"));
  EXPECT_EQ(FieldSchema("timestamp", 3), time("int64", "Timestamp"));
  EXPECT_EQ(FieldSchema("timestamptz", 3), time("string", "ZonedTimestamp"));
  EXPECT_EQ(FieldSchema("interval"), time("int64", "MicroDuration"));
}

TEST(Schema, Arrays) {
  EXPECT_EQ(
      FieldSchema({"c", ArrayOf(MakeType("numeric")), NumericTypmod(10, 2)}),
      R"({"type":"array","items":{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal",)"
      R"("version":1,"parameters":{"scale":"2","connect.decimal.precision":"10"}},"optional":true})");
  EXPECT_EQ(
      FieldSchema({"c", ArrayOf(EnumOf({"red", "green"}))}),
      R"({"type":"array","items":{"type":"string","optional":false,"name":"io.debezium.data.Enum","version":1,)"
      R"("parameters":{"allowed":"red,green"}},"optional":true})");
}

TEST(Schema, RequiredColumn) {
  EXPECT_EQ(FieldSchema({"c", MakeType("text"), -1, false}),
            R"({"type":"string","optional":false})");
}

TEST(Default, Literals) {
  EXPECT_EQ(DefaultOf("int4", "42"), "42");
  EXPECT_EQ(DefaultOf("int4", "'-5'::integer"), "-5");
  EXPECT_EQ(DefaultOf("int8", "'9223372036854775807'::bigint"), "9223372036854775807");
  EXPECT_EQ(DefaultOf("float8", "1.25"), "1.25");
  EXPECT_EQ(DefaultOf("float8", "'NaN'::double precision"), "\"NaN\"");
  EXPECT_EQ(DefaultOf("numeric", "0", NumericTypmod(19, 19)), R"("AA==")");
  EXPECT_EQ(DefaultOf("numeric", "0.000000032", NumericTypmod(12, 9)), R"("IA==")");
  EXPECT_EQ(DefaultOf("numeric", "1.50", NumericTypmod(6, 2)), "\"AJY=\"");
  EXPECT_EQ(DefaultOf("numeric", "1.5", NumericTypmod(5, 2)), "\"AJY=\"");
  EXPECT_EQ(DefaultOf("bool", "true"), "true");
  EXPECT_EQ(DefaultOf("bpchar", "'x'::bpchar", 7), "\"x\"");
  EXPECT_EQ(DefaultOf("text", "''::text"), "\"\"");
  EXPECT_EQ(DefaultOf("jsonb", R"('{"k": 1}'::jsonb)"), R"("{\"k\": 1}")");
  EXPECT_EQ(DefaultOf("date", "'2020-02-02'::date"), "18294");
  EXPECT_EQ(DefaultOf("time", "'01:02:03'::time without time zone"), "3723000000");
  EXPECT_EQ(DefaultOf("timestamp", "'2020-01-01 00:00:00'::timestamp without time zone"),
            "1577836800000000");
  EXPECT_EQ(DefaultOf("timestamptz", "'2020-01-01 08:00:00+00'::timestamp with time zone"),
            "\"2020-01-01T08:00:00.000000Z\"");
  EXPECT_EQ(DefaultOf("interval", "'1 day'::interval"), "86400000000");
  EXPECT_EQ(DefaultOf("bit", "'101'::\"bit\"", 3), "\"BQ==\"");
}

// Recorded: the expression between the quotes is Java's, whose dot stops at the end of a line.
TEST(Default, LiteralOfSeveralLinesIsNone) {
  EXPECT_EQ(DefaultOf("text", "'a\nb'::text"), "<none>");
  EXPECT_EQ(DefaultOf("text",
                      "'a\xE2\x80\xA8"
                      "b'::text"),
            "<none>");
}

TEST(Default, BooleanExpressionIsFalse) {
  EXPECT_EQ(DefaultOf("bool", "(1 = 1)"), "false");
  EXPECT_EQ(DefaultOf("bool", "('x'::text = 'x'::text)"), "false");
  EXPECT_EQ(DefaultOf("bool", "true"), "true");
}

TEST(Default, LiteralIsCutAtItsFirstQuote) {
  EXPECT_EQ(DefaultOf("text", "'it''s'::text"), "\"it\"");
}

TEST(Default, FirstLiteralWins) {
  EXPECT_EQ(DefaultOf("text", "('a'::text || 'b'::text)"), "\"a\"");
}

TEST(Default, FunctionsBecomeAConstantOfTheType) {
  EXPECT_EQ(DefaultOf("int4", "nextval('def_id_seq'::regclass)"), "0");
  EXPECT_EQ(DefaultOf("text", "lower('ABC'::text)"), "\"\"");
  EXPECT_EQ(DefaultOf("uuid", "gen_random_uuid()"), "\"00000000-0000-0000-0000-000000000000\"");
  EXPECT_EQ(DefaultOf("jsonb", "jsonb_build_object('a', 1)"), "\"{}\"");
  EXPECT_EQ(DefaultOf("timestamptz", "now()"), "\"1970-01-01T00:00:00.000000Z\"");
  EXPECT_EQ(DefaultOf("timestamp", "(now() AT TIME ZONE 'utc'::text)"), "0");
  EXPECT_EQ(DefaultOf("timestamp", "CURRENT_TIMESTAMP"), "0");
  EXPECT_EQ(DefaultOf("date", "CURRENT_DATE"), "0");
  EXPECT_EQ(DefaultOf("time", "LOCALTIME"), "0");
}

TEST(Default, NotPublished) {
  EXPECT_EQ(DefaultOf("int4", "(1 + 1)"), "<none>");
  EXPECT_EQ(DefaultOf("text", "NULL::character varying"), "<none>");
  EXPECT_EQ(DefaultOf("numeric", "1.50"), "<none>");
  EXPECT_EQ(DefaultOf("numeric", "'NaN'::numeric", NumericTypmod(5, 2)), "<none>");
  EXPECT_EQ(DefaultOf("bytea", "'\\x00'::bytea"), "<none>");
  EXPECT_EQ(DefaultOf("inet", "'10.0.0.1'::inet"), "<none>");
  EXPECT_EQ(DefaultOf("text", "CURRENT_USER"), "<none>");
  EXPECT_EQ(DefaultOf("text", "1.5"), R"("1.5")");  // numeric before ALTER TYPE
  EXPECT_EQ(DefaultOf("text", "true"), R"("true")");
  const std::string domain = FieldSchema({"c", DomainOver(MakeType("int4")), -1, true, "5"});
  EXPECT_EQ(domain, R"({"type":"int32","optional":true})");
}

std::vector<bool> HaveDefaults(const event::TableSchema& table, const EncodeOptions& options) {
  const TablePlan plan = CompileTable({.schema = &table, .topic = "srv.public.t"}, options);
  std::vector<bool> have;
  for (const event::ConnectField& field : plan.envelope_schema->fields[0].schema->fields)
    have.push_back(field.schema->default_value.has_value());
  return have;
}

// Debezium takes what generates a column for its DEFAULT.
TEST(Default, IdentityColumnsHaveNoneGeneratedOnesTheirExpression) {
  EncodeOptions options;
  auto table = MakeTable("t",
                         {{"a", MakeType("int4"), -1, false, "5"},
                          {"b", MakeType("int4"), -1, true, "(a * 2)"},
                          {"c", MakeType("text"), -1, true, "upper(t)"},
                          {"d", MakeType("text"), -1, true, "('x'::text || (a)::text)"}},
                         {});
  table->columns[0].identity = true;
  for (size_t i = 1; i < table->columns.size(); ++i) table->columns[i].generated = true;
  EXPECT_EQ(HaveDefaults(*table, options), (std::vector<bool>{false, false, true, true}));
  options.values.keep_lost = true;
  EXPECT_EQ(HaveDefaults(*table, options), std::vector<bool>(4, false));
}

TEST(Default, EndOfDayIsTheLastNanosecond) {
  const char* expression = "'24:00:00'::time without time zone";
  EXPECT_EQ(DefaultOf("time", expression), "86399999999");
  EXPECT_EQ(DefaultOf("time", expression, 3), "86399999");
  const TestColumn column{"c", MakeType("time"), -1, true, expression};
  const auto of = [&](TimeMode mode, bool keep) {
    ValueOptions values;
    values.time = mode;
    values.keep_lost = keep;
    return DefaultOf(column, values);
  };
  EXPECT_EQ(of(TimeMode::kConnect, false), "86399999");
  EXPECT_EQ(of(TimeMode::kNanoseconds, false), "86399999999999");
  EXPECT_EQ(of(TimeMode::kIsoString, false), "\"23:59:59.999999999Z\"");
  EXPECT_EQ(of(TimeMode::kIsoString, true), "\"24:00:00Z\"");
  EXPECT_EQ(of(TimeMode::kNanoseconds, true), "86400000000000");
}

TEST(Default, WhatDebeziumReadsOfOddExpressions) {
  EXPECT_EQ(DefaultOf("int4", "NULLIF(1, 1)"), "0");
  EXPECT_EQ(DefaultOf("bool", "('t'::text)::boolean"), "false");
  EXPECT_EQ(DefaultOf("bool", "('true'::text)::boolean"), "true");
  EXPECT_EQ(DefaultOf("interval", "'infinity'::interval"), "0");
  EXPECT_EQ(DefaultOf("interval", "'-infinity'::interval"), "0");
  EXPECT_EQ(DefaultOf("int4", "f('x'::text,\n1)"), "<none>") << "no call on one line";
}

}  // namespace
}  // namespace walduct::encode
