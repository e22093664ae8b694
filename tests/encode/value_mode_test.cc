// The JSON of single values under the options that change it. Recorded from Debezium 3.6.1 unless a
// test says that we differ.
#include "encode/options/value_options.h"
#include "tests/encode/value_rendering.h"

namespace walduct::encode {
namespace {

std::string With(ValueOptions values, std::shared_ptr<event::Type> type, absl::string_view text,
                 int32_t typmod = -1) {
  Rendering rendering;
  rendering.values = values;
  return Render(*type, typmod, text, rendering);
}

std::string With(ValueOptions values, const std::string& type, absl::string_view text,
                 int32_t typmod = -1) {
  return With(values, MakeType(type), text, typmod);
}

std::string In(TimeMode mode, const std::string& type, absl::string_view text,
               int32_t typmod = -1) {
  ValueOptions values;
  values.time = mode;
  return With(values, type, text, typmod);
}

event::ConnectSchema SchemaOf(ValueOptions values, std::shared_ptr<event::Type> type,
                              int32_t typmod = -1) {
  TypeMapping mapping;
  EXPECT_TRUE(MapType(*type, typmod, values, &mapping)) << type->name;
  return mapping.schema;
}

ValueOptions Decimals(DecimalMode mode) {
  ValueOptions values;
  values.decimal = mode;
  return values;
}

ValueOptions Binary(BinaryMode mode, bool include_unknown = false) {
  ValueOptions values;
  values.binary = mode;
  values.include_unknown = include_unknown;
  return values;
}

TEST(ValueMode, TYP07_NumericAsString) {
  const ValueOptions strings = Decimals(DecimalMode::kString);
  const int32_t typmod = NumericTypmod(5, 2);
  EXPECT_EQ(SchemaOf(strings, MakeType("numeric"), typmod).type, event::ConnectType::kString);
  EXPECT_EQ(With(strings, "numeric", "1.10", typmod), "\"1.10\"");
  EXPECT_EQ(With(strings, "numeric", "123456.789000"), "\"123456.789000\"");
  EXPECT_EQ(With(strings, "numeric", "-0.00000000000000000001"), "\"-0.00000000000000000001\"");
  EXPECT_EQ(With(strings, "numeric", "0", typmod), "\"0.00\"");  // as its filler is written
  EXPECT_EQ(With(strings, "numeric", "NaN"), "\"NAN\"");
  EXPECT_EQ(With(strings, "numeric", "Infinity"), "\"POSITIVE_INFINITY\"");
  EXPECT_EQ(With(strings, "numeric", "-Infinity"), "\"NEGATIVE_INFINITY\"");
  EXPECT_EQ(With(strings, "numeric", "1e5"), "<malformed>");
}

TEST(ValueMode, TYP08_NumericAsDouble) {
  const ValueOptions doubles = Decimals(DecimalMode::kDouble);
  EXPECT_EQ(SchemaOf(doubles, MakeType("numeric"), NumericTypmod(5, 2)).type,
            event::ConnectType::kDouble);
  EXPECT_EQ(With(doubles, "numeric", "1.50", NumericTypmod(5, 2)), "1.5");
  EXPECT_EQ(With(doubles, "numeric", std::string(38, '9')), "1.0E38");
  EXPECT_EQ(With(doubles, "numeric", "-0.000001"), "-1.0E-6");
  EXPECT_EQ(With(doubles, "numeric", "123456789.1234567890"), "1.2345678912345679E8");
  EXPECT_EQ(With(doubles, "numeric", "-9999999999999999999999999999.9999999999"), "-1.0E28");
  EXPECT_EQ(With(doubles, "numeric", "0.00"), "0.0");
  EXPECT_EQ(With(doubles, "numeric", "NaN"), "\"NaN\"");
  EXPECT_EQ(With(doubles, "numeric", "-Infinity"), "\"-Infinity\"");
  EXPECT_EQ(With(doubles, "numeric", "1" + std::string(400, '0')), "\"Infinity\"");
  EXPECT_EQ(With(doubles, "numeric", "-0." + std::string(400, '0') + "1"), "-0.0");
  EXPECT_EQ(With(doubles, "numeric", "1e5"), "<malformed>");
}

TEST(ValueMode, NumericOfNegativeScaleIsPaddedToTheScaleOfItsSchema) {
  const std::string text =
      With(Decimals(DecimalMode::kString), "numeric", "12300", NumericTypmod(5, -2));
  EXPECT_EQ(text.substr(0, 9), "\"12300.00");
  EXPECT_EQ(text.size(), 2 + 6 + 2046u);
  EXPECT_EQ(With(Decimals(DecimalMode::kDouble), "numeric", "12300", NumericTypmod(5, -2)),
            "12300.0");
}

TEST(ValueMode, TYP11_MoneyInEachDecimalMode) {
  EXPECT_EQ(With({}, "money", "$1,234,567.89"), "\"B1vNFQ==\"");
  EXPECT_EQ(With({}, "money", "-$92,233,720,368,547,758.08"), "\"gAAAAAAAAAA=\"");
  EXPECT_EQ(With(Decimals(DecimalMode::kDouble), "money", "-$12.34"), "-12.34");
  EXPECT_EQ(With(Decimals(DecimalMode::kDouble), "money", "-$92,233,720,368,547,758.08"),
            "-9.223372036854776E16");
  EXPECT_EQ(With(Decimals(DecimalMode::kString), "money", "$1,234,567.89"), "\"1234567.89\"");
  EXPECT_EQ(With(Decimals(DecimalMode::kString), "money", "-$0.01"), "\"-0.01\"");
  EXPECT_EQ(With(Decimals(DecimalMode::kString), "money", "1,50 €"), "<foreign money>");
}

// In the headers of a changed key; recorded from SimpleHeaderConverter.
TEST(ValueMode, ConnectTimesInHeadersAreJavaDates) {
  ValueOptions options;
  options.time = TimeMode::kConnect;
  const auto header = [&](const std::string& type, absl::string_view text) {
    Rendering rendering{TextFormat::kHeader};
    rendering.values = options;
    return Render(*MakeType(type), -1, text, rendering);
  };
  EXPECT_EQ(header("date", "2024-02-29"), "2024-02-29");
  EXPECT_EQ(header("date", "1970-01-01"), "00:00:00.000Z");
  EXPECT_EQ(header("date", "1969-12-31"), "00:00:00.000Z");
  EXPECT_EQ(header("date", "12345-06-07"), "12345-06-07");
  EXPECT_EQ(header("time", "13:51:30.123456"), "13:51:30.123Z");
  EXPECT_EQ(header("time", "24:00:00"), "1970-01-02");
  EXPECT_EQ(header("timestamp", "2018-06-20 15:13:16.945104"), "2018-06-20T15:13:16.945Z");
  EXPECT_EQ(header("timestamp", "2018-06-20 00:00:00"), "2018-06-20");
  EXPECT_EQ(header("timestamp", "1960-01-01 12:34:56"), "12:34:56.000Z");
}

TEST(ValueMode, MoneyFractionDigitsRoundHalfUp) {
  ValueOptions values;
  values.money_fraction_digits = 1;
  const auto schema = SchemaOf(values, MakeType("money"));
  ASSERT_EQ(schema.parameters.size(), 1u);
  EXPECT_EQ(schema.parameters[0].second, "1");
  EXPECT_EQ(With(values, "money", "$123.45"), "\"BNM=\"");   // 1235
  EXPECT_EQ(With(values, "money", "-$123.45"), "\"+y0=\"");  // -1235
  EXPECT_EQ(With(values, "money", "$9.99"), "\"ZA==\"");     // 100
  values.money_fraction_digits = 0;
  EXPECT_EQ(With(values, "money", "-$99.50"), "\"nA==\"");  // -100
  EXPECT_EQ(With(values, "money", "$99.49"), "\"Yw==\"");   // 99
  values.money_fraction_digits = 3;
  EXPECT_EQ(With(values, "money", "$1.00"), "\"A+g=\"");  // 1000
  values.decimal = DecimalMode::kString;
  EXPECT_EQ(With(values, "money", "$1.00"), "\"1.00\"");
}

TEST(ValueMode, TYP30_AdaptiveTimeMicroseconds) {
  const TimeMode mode = TimeMode::kAdaptiveTimeMicroseconds;
  EXPECT_EQ(In(mode, "time", "13:51:30", 0), "49890000000");
  EXPECT_EQ(In(mode, "time", "13:51:30.123", 3), "49890123000");
  EXPECT_EQ(In(mode, "timestamp", "2016-11-04 13:51:30.123", 3), "1478267490123");
  EXPECT_EQ(In(mode, "timestamp", "2016-11-04 13:51:30.123456"), "1478267490123456");
}

TEST(ValueMode, TYP31_Connect) {
  const TimeMode mode = TimeMode::kConnect;
  ValueOptions values;
  values.time = mode;
  EXPECT_EQ(SchemaOf(values, MakeType("date")).name, "org.apache.kafka.connect.data.Date");
  EXPECT_EQ(SchemaOf(values, MakeType("time")).name, "org.apache.kafka.connect.data.Time");
  EXPECT_EQ(SchemaOf(values, MakeType("timestamp"), 6).name,
            "org.apache.kafka.connect.data.Timestamp");
  EXPECT_EQ(In(mode, "date", "2016-11-04"), "17109");
  EXPECT_EQ(In(mode, "time", "13:51:30.123456"), "49890123");
  EXPECT_EQ(In(mode, "time", "24:00:00"), "86400000");
  EXPECT_EQ(In(mode, "timestamp", "2018-06-20 15:13:16.945104"), "1529507596945");
  EXPECT_EQ(In(mode, "timestamp", "1969-12-31 23:59:59.999999"), "-1");
  EXPECT_EQ(In(mode, "timestamp", "infinity"), "9223372036825200");
  EXPECT_EQ(In(mode, "timestamp", "294276-12-31 23:59:59.999999"), "9224318015999999");
}

TEST(ValueMode, IsoString) {
  const TimeMode mode = TimeMode::kIsoString;
  EXPECT_EQ(In(mode, "date", "2024-02-29"), "\"2024-02-29Z\"");
  EXPECT_EQ(In(mode, "date", "12345-01-01"), "\"+12345-01-01Z\"");
  EXPECT_EQ(In(mode, "date", "0044-03-15 BC"), "\"-0043-03-15Z\"");
  EXPECT_EQ(In(mode, "time", "13:51:30.123456"), "\"13:51:30.123456Z\"");
  EXPECT_EQ(In(mode, "time", "12:00:00.1", 3), "\"12:00:00.1Z\"");
  EXPECT_EQ(In(mode, "time", "24:00:00"), "\"00:00:00Z\"");
  EXPECT_EQ(In(mode, "timestamp", "2018-06-20 15:13:16.9451", 4), "\"2018-06-20T15:13:16.9451Z\"");
  EXPECT_EQ(In(mode, "timestamp", "0044-03-15 10:00:00 BC"), "\"-0043-03-15T10:00:00Z\"");
  EXPECT_EQ(In(mode, "timestamp", "12345-01-01 00:00:00.5"), "\"+12345-01-01T00:00:00.5Z\"");
  EXPECT_EQ(In(mode, "timestamp", "infinity"), "\"+294247-01-10T04:00:25.2Z\"");
  EXPECT_EQ(In(mode, "timestamp", "-infinity"), "\"-290308-12-21T19:59:27.6Z\"");
  EXPECT_EQ(In(mode, "timestamptz", "2016-11-04 11:51:30+00"), "\"2016-11-04T11:51:30.000000Z\"");
}

TEST(ValueMode, IsoInfiniteDateIsTheDayOfTheLimit) {  // differs: Debezium has two, by the path
  EXPECT_EQ(In(TimeMode::kIsoString, "date", "infinity"), "\"+5881580-07-11Z\"");
  EXPECT_EQ(In(TimeMode::kIsoString, "date", "-infinity"), "\"-5877641-06-23Z\"");
}

TEST(ValueMode, MicrosecondsAndNanoseconds) {
  EXPECT_EQ(In(TimeMode::kMicroseconds, "time", "13:51:30", 0), "49890000000");
  EXPECT_EQ(In(TimeMode::kMicroseconds, "timestamp", "2016-11-04 13:51:30", 0), "1478267490000000");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "time", "24:00:00"), "86400000000000");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "time", "13:51:30.1", 3), "49890100000000");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "2016-11-04 13:51:30", 0),
            "1478267490000000000");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "1969-12-31 23:59:59.999999"), "-1000");
}

TEST(ValueMode, NanosecondsBeyond64BitsAreNull) {
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "1500-01-01 12:00:00"), "<null>");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "2262-04-11 23:47:16.854775"),
            "9223372036854775000");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "2262-04-11 23:47:16.854776"), "<null>");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "infinity"), "9223372036854775807");
  EXPECT_EQ(In(TimeMode::kNanoseconds, "timestamp", "-infinity"), "-9223372036854775808");
}

TEST(ValueMode, TYP28_IntervalAsString) {
  ValueOptions values;
  values.interval_string = true;
  EXPECT_EQ(SchemaOf(values, MakeType("interval")).name, "io.debezium.time.Interval");
  EXPECT_EQ(With(values, "interval", "1 year 2 mons 3 days 04:05:06.78"), "\"P1Y2M3DT4H5M6.78S\"");
  EXPECT_EQ(With(values, "interval", "-1 years -2 mons +3 days -04:05:06.78"),
            "\"P-1Y-2M3DT-4H-5M-6.78S\"");
  EXPECT_EQ(With(values, "interval", "-1 years -2 days +03:00:00"), "\"P-1Y0M-2DT3H0M0S\"");
  EXPECT_EQ(With(values, "interval", "00:00:00"), "\"P0Y0M0DT0H0M0S\"");
  EXPECT_EQ(With(values, "interval", "00:00:10"), "\"P0Y0M0DT0H0M10S\"");
  EXPECT_EQ(With(values, "interval", "-00:00:00.000001"), "\"P0Y0M0DT0H0M-0.000001S\"");
  EXPECT_EQ(With(values, "interval", "12:11:01.36"), "\"P0Y0M0DT12H11M1.359999999S\"");
  EXPECT_EQ(With(values, "interval", "-00:00:59.999999"), "\"P0Y0M0DT0H0M-59.999999S\"");
  values.keep_lost = true;
  EXPECT_EQ(With(values, "interval", "12:11:01.36"), "\"P0Y0M0DT12H11M1.36S\"");
  values.keep_lost = false;
  EXPECT_EQ(With(values, "interval", "178956970 years 7 mons"), "\"P178956970Y7M0DT0H0M0S\"");
}

TEST(ValueMode, TYP37_BytesInEachMode) {
  const std::string text = "\\xdeadbeefcafebabe00";
  EXPECT_EQ(With(Binary(BinaryMode::kBytes), "bytea", text), "\"3q2+78r+ur4A\"");
  EXPECT_EQ(With(Binary(BinaryMode::kBase64), "bytea", text), "\"3q2+78r+ur4A\"");
  EXPECT_EQ(With(Binary(BinaryMode::kBase64UrlSafe), "bytea", text), "\"3q2-78r-ur4A\"");
  EXPECT_EQ(With(Binary(BinaryMode::kHex), "bytea", text), "\"deadbeefcafebabe00\"");
  EXPECT_EQ(With(Binary(BinaryMode::kHex), "bytea", "\\x"), "\"\"");
  EXPECT_EQ(SchemaOf(Binary(BinaryMode::kBytes), MakeType("bytea")).type,
            event::ConnectType::kBytes);
  EXPECT_EQ(SchemaOf(Binary(BinaryMode::kBase64), MakeType("bytea")).type,
            event::ConnectType::kString);
  EXPECT_EQ(With(Binary(BinaryMode::kHex), ArrayOf(MakeType("bytea")), R"({"\\x00ff",NULL})"),
            R"(["00ff",null])");
  for (const char* bad : {"", "00", "\\x0", "\\xzz", "\\xAB"})
    EXPECT_EQ(With(Binary(BinaryMode::kHex), "bytea", bad), "<malformed>") << bad;
}

TEST(ValueMode, TYP50_UnknownTypesAreLeftOutOrBytes) {
  const auto composite = MakeType("pair", event::TypeKind::kComposite);
  EXPECT_EQ(With({}, composite, "(1,x)"), "<unsupported>");
  EXPECT_EQ(With({}, "tsquery", "'fat' & 'rat'"), "<unsupported>");
  EXPECT_EQ(With(Binary(BinaryMode::kBytes, true), composite, "(1,x)"), "\"KDEseCk=\"");
  EXPECT_EQ(With(Binary(BinaryMode::kBytes, true), "tsquery", "'fat' & 'rat'"),
            "\"J2ZhdCcgJiAncmF0Jw==\"");
  EXPECT_EQ(With(Binary(BinaryMode::kHex, true), "pg_lsn", "0/1"), "\"302f31\"");
  EXPECT_EQ(With(Binary(BinaryMode::kBase64UrlSafe, true), "jsonpath", "$?>"), "\"JD8-\"");
  EXPECT_EQ(SchemaOf(Binary(BinaryMode::kBytes, true), composite).type, event::ConnectType::kBytes);
  EXPECT_EQ(SchemaOf(Binary(BinaryMode::kHex, true), composite).type, event::ConnectType::kString);
  EXPECT_EQ(
      With(Binary(BinaryMode::kBytes, true), MakeType("anyelement", event::TypeKind::kPseudo), "x"),
      "<unsupported>");
}

// Nothing but what the stream calls them is known of types that were dropped.
TEST(ValueMode, DroppedTypesAreReadByTheirNames) {
  const auto dropped = [](const std::string& name, const std::string& schema = "public") {
    auto type = MakeType(name, event::TypeKind::kUnknown);
    type->schema = schema;
    return type;
  };
  EXPECT_EQ(With({}, dropped("status"), "draft"), R"("draft")");
  EXPECT_EQ(With({}, dropped("_status"), "{draft,live}"), R"("{draft,live}")");
  EXPECT_EQ(With({}, dropped("oid_20001", ""), "(1,x)"), "\"(1,x)\"");
  EXPECT_EQ(With({}, dropped("citext"), "A@x"), R"("A@x")");
  EXPECT_EQ(With({}, dropped("_citext"), "{A,NULL}"), R"(["A",null])");
  EXPECT_EQ(With({}, dropped("hstore", "ext"), R"("k"=>"v")"), R"("{\"k\":\"v\"}")");
  EXPECT_EQ(SchemaOf({}, dropped("hstore")).name, "io.debezium.data.Json");
  ValueOptions map;
  map.hstore_map = true;
  EXPECT_EQ(With(map, dropped("hstore"), R"("k"=>"v")"), R"({"k":"v"})");
  // Of a domain the stream tells what is under it.
  EXPECT_EQ(With({}, dropped("int4", "pg_catalog"), "7"), "7");
  EXPECT_EQ(With({}, dropped("_int4", "pg_catalog"), "{7,8}"), "[7,8]");
  EXPECT_EQ(With({}, dropped("int4"), "7"), R"("7")") << "of a user's own";
  EXPECT_EQ(With({}, dropped("tsquery", "pg_catalog"), "'a'"), "<unsupported>") << "as ever";
  EXPECT_EQ(With({}, dropped("box", "pg_catalog"), "(2,2),(0,0)"), "<unsupported>");
  // What might be of any type is as the mode has it.
  const ValueOptions unknown = Binary(BinaryMode::kBytes, true);
  EXPECT_EQ(With(unknown, dropped("status"), "(1,x)"), R"("KDEseCk=")");
  EXPECT_EQ(With(unknown, dropped("citext"), "A"), R"("A")");
}

TEST(ValueMode, ArraysOfUnknownTypesHaveRequiredItems) {
  const auto values = Binary(BinaryMode::kBytes, true);
  const auto array = ArrayOf(MakeType("pair", event::TypeKind::kComposite));
  EXPECT_FALSE(SchemaOf(values, array).items->optional);
  EXPECT_EQ(With(values, array, "{abc}"), "[\"YWJj\"]");
  EXPECT_EQ(With(values, array, "{abc,NULL}"), "<null>");
  EXPECT_EQ(With(values, ArrayOf(DomainOver(MakeType("int4"))), "{12}"), "[\"MTI=\"]");
  for (const char* name : {"interval", "money", "name", "xml", "varbit", "point"})
    EXPECT_EQ(With(values, ArrayOf(MakeType(name)), "{}"), "<unsupported>") << name;
}

TEST(ValueMode, GeometricTypesAreUnknownAndPrintedByJava) {
  EXPECT_EQ(With({}, "circle", "<(1,1),2>"), "<unsupported>");
  const auto values = Binary(BinaryMode::kBytes, true);
  EXPECT_EQ(With(values, "lseg", "[(0,0),(1,1)]"), "\"WygwLjAsMC4wKSwoMS4wLDEuMCld\"");
  EXPECT_EQ(With(values, "box", "(2,2),(0,0)"), "\"KDIuMCwyLjApLCgwLjAsMC4wKQ==\"");
  EXPECT_EQ(With(values, "path", "((0,0),(1,1),(2,0))"),
            "\"KCgwLjAsMC4wKSwoMS4wLDEuMCksKDIuMCwwLjApKQ==\"");
  EXPECT_EQ(With(values, "circle", "<(1,1),2>"), "\"PCgxLjAsMS4wKSwyLjA+\"");
  EXPECT_EQ(With(values, "line", "{1,2,3}"), "\"ezEuMCwyLjAsMy4wfQ==\"");
  EXPECT_EQ(With(Binary(BinaryMode::kHex, true), "line", "{1e-07,-Infinity,NaN}"),
            "\"7b312e30452d372c2d496e66696e6974792c4e614e7d\"");
  EXPECT_EQ(With(values, ArrayOf(MakeType("box")), "{(2,2),(0,0);(1,1),(0,0)}"),
            "[\"KDIuMCwyLjApLCgwLjAsMC4wKQ==\",\"KDEuMCwxLjApLCgwLjAsMC4wKQ==\"]");
  EXPECT_EQ(With(values, "line", "{a,b,c}"), "<malformed>");
}

TEST(ValueMode, HstoreAsMap) {
  ValueOptions values;
  values.hstore_map = true;
  const auto schema = SchemaOf(values, MakeType("hstore"));
  EXPECT_EQ(schema.type, event::ConnectType::kMap);
  EXPECT_FALSE(schema.keys->optional);
  EXPECT_TRUE(schema.items->optional);
  EXPECT_EQ(With(values, "hstore", R"("k"=>"v", "n"=>NULL, "q k"=>"v\"w")"),
            R"({"k":"v","q k":"v\"w","n":null})");
  EXPECT_EQ(With(values, "hstore", ""), "{}");
  EXPECT_EQ(With(values, ArrayOf(MakeType("hstore")), R"({"\"a\"=>\"1\"",NULL})"),
            R"([{"a":"1"},null])");
  Rendering java{TextFormat::kStruct};
  java.values = values;
  EXPECT_EQ(Render(*MakeType("hstore"), -1, R"("a"=>"1", "b"=>NULL)", java), "{a=1, b=null}");
}

TEST(ValueMode, TYP57_Point) {
  EXPECT_EQ(With({}, "point", "(1.5,-2)"),
            R"({"x":1.5,"y":-2.0,"wkb":"AQEAAAAAAAAAAAD4PwAAAAAAAADA","srid":null})");
  EXPECT_EQ(With({}, "point", "(Infinity,NaN)").substr(0, 26), R"({"x":"Infinity","y":"NaN",)");
  for (const char* bad : {"", "(1,2", "1,2", "(1;2)", "(1,2)x", "(inf,1)"})
    EXPECT_EQ(With({}, "point", bad), "<malformed>") << bad;
}

TEST(ValueMode, PostgisIsItsEwkb) {
  EXPECT_EQ(With({}, "geometry", "0101000020730C00001C7C613255DE6540787AA52C435C42C0"),
            R"({"wkb":"AQEAACBzDAAAHHxhMlXeZUB4eqUsQ1xCwA==","srid":3187})");
  EXPECT_EQ(With({}, "geography", "0020000001000010E63FF00000000000004000000000000000"),
            R"({"wkb":"ACAAAAEAABDmP/AAAAAAAABAAAAAAAAAAA==","srid":4326})");
  EXPECT_EQ(With({}, "geometry", "010700000000000000"), R"({"wkb":"AQcAAAAAAAAA","srid":null})");
  EXPECT_EQ(With({}, ArrayOf(MakeType("geometry")), "{010700000000000000:NULL}"),
            R"([{"wkb":"AQcAAAAAAAAA","srid":null},null])");
  EXPECT_TRUE(SchemaOf({}, ArrayOf(MakeType("geometry"))).items->optional);
  EXPECT_EQ(With({}, "geometry", "0107"), "<malformed>");
  EXPECT_EQ(With({}, "geometry", "POINT(1 2) with no hexadecimal digits"), "<malformed>");
}

TEST(ValueMode, Vectors) {
  EXPECT_EQ(With({}, "vector", "[101,102.5,1e-07]"), "[101.0,102.5,1.0E-7]");
  EXPECT_EQ(With({}, "halfvec", "[1,2.5]"), "[1.0,2.5]");
  EXPECT_EQ(With({}, "sparsevec", "{1:10,3:20.5,1000:1}/1200"),
            R"({"dimensions":1200,"vector":[[1000,1.0],[1,10.0],[3,20.5]]})");
  EXPECT_EQ(
      With({}, "sparsevec",
           "{1:10,3:20.5,12:1,13:1,14:1,15:1,16:7,17:1,18:3,20:1,21:1,22:1,23:1,33:4}/1200"),
      R"({"dimensions":1200,"vector":[[1,10.0],[33,4.0],[3,20.5],[12,1.0],[13,1.0],[14,1.0],[15,1.0],[16,7.0],[17,1.0],[18,3.0],[20,1.0],[21,1.0],[22,1.0],[23,1.0]]})");
  EXPECT_EQ(With({}, "sparsevec", "{}/5"), R"({"dimensions":5,"vector":[]})");
  EXPECT_EQ(With({}, "sparsevec", "{40000:1}/100000"), "<null>");
  for (const char* bad : {"", "1,2", "[1", "[a]", "[1,]", "[,]"})
    EXPECT_EQ(With({}, "vector", bad), "<malformed>") << bad;
  for (const char* bad : {"", "{}", "{1:2}/", "{1}/3", "{1:2,}/3", "{a:1}/3", "{1:2}/3x"})
    EXPECT_EQ(With({}, "sparsevec", bad), "<malformed>") << bad;
}

TEST(ValueMode, NamesAreAbsentWhileStreaming) {
  Rendering streaming;
  streaming.streaming = true;
  EXPECT_EQ(With({}, "name", "a_name"), "\"a_name\"");
  EXPECT_EQ(Render(*MakeType("name"), -1, "a_name", streaming), "<absent>");
  streaming.values.include_unknown = true;
  EXPECT_EQ(Render(*MakeType("name"), -1, "a_name", streaming), "\"a_name\"");
}

// walduct.lost.values=keep: what Debezium does not write.
TEST(ValueMode, KeepLost) {
  Rendering keep;
  keep.streaming = true;
  keep.values.keep_lost = true;
  const auto kept = [&keep](std::shared_ptr<event::Type> type, absl::string_view text,
                            int32_t typmod = -1) { return Render(*type, typmod, text, keep); };
  EXPECT_EQ(kept(MakeType("name"), "a_name"), "\"a_name\"");
  EXPECT_EQ(kept(MakeType("timetz"), "24:00:00+00"), "\"24:00:00Z\"");
  EXPECT_EQ(kept(ArrayOf(MakeType("name")), "{a,NULL}"), "[\"a\",null]");
  EXPECT_EQ(kept(ArrayOf(MakeType("bit")), "{101}", 3), "[\"BQ==\"]");
  EXPECT_EQ(kept(ArrayOf(MakeType("money")), R"({"$1,234.56",$1.00})"), "[\"AeJA\",\"ZA==\"]");
  EXPECT_EQ(kept(ArrayOf(MakeType("interval")), "{\"1 day\"}"), "[86400000000]");
  EXPECT_EQ(kept(ArrayOf(MakeType("point")), "{\"(0,0)\"}").substr(0, 17), "[{\"x\":0.0,\"y\":0.0");
  EXPECT_EQ(kept(ArrayOf(EnumOf({"a"})), "{a,NULL}"), "[\"a\",null]");
  EXPECT_EQ(kept(ArrayOf(DomainOver(MakeType("int4"))), "{1}"), "[1]");
  keep.values.time = TimeMode::kIsoString;
  EXPECT_EQ(kept(MakeType("time"), "24:00:00"), "\"24:00:00Z\"");
}

TEST(ValueMode, LongIntervalsLoseMicrosecondsUnlessKept) {
  ValueOptions keep;
  keep.keep_lost = true;
  const char* text = "150000 years 00:00:00.000001";
  EXPECT_EQ(With(keep, "interval", text), "4733640000000000001");
  EXPECT_EQ(With({}, "interval", text), "4733640000000000000");
}

TEST(ValueMode, BitArraysAreNull) {
  EXPECT_EQ(With({}, ArrayOf(MakeType("bit")), "{101}", 3), "<null>");
  EXPECT_EQ(SchemaOf({}, ArrayOf(MakeType("bit")), 3).name, "io.debezium.data.Bits");
  EXPECT_EQ(SchemaOf({}, ArrayOf(MakeType("bit")), 1).type, event::ConnectType::kBoolean);
}

TEST(ValueMode, LtreeArraysHaveNoNulls) {
  const auto array = ArrayOf(MakeType("ltree"));
  EXPECT_TRUE(SchemaOf({}, array).items->optional);
  EXPECT_EQ(With({}, array, "{a.b,c}"), R"(["a.b","c"])");
  EXPECT_EQ(With({}, array, "{a.b,NULL}"), "<null>");
  ValueOptions keep;
  keep.keep_lost = true;
  EXPECT_EQ(With(keep, array, "{a.b,NULL}"), R"(["a.b",null])");
}

// Of a range, and beside the extension's own type, a name says nothing.
TEST(ValueMode, TypesOfUsersAreNotTakenForThoseOfExtensions) {
  ValueOptions unknown;
  unknown.include_unknown = true;
  for (const char* name : {"hstore", "citext", "ltree", "isbn", "geometry", "geography", "vector",
                           "halfvec", "sparsevec", "money", "int4", "box"}) {
    for (const event::TypeKind kind : {event::TypeKind::kBase, event::TypeKind::kRange}) {
      const auto type = MakeType(name, kind);
      type->schema = "app";
      type->by_hand = kind == event::TypeKind::kBase;
      EXPECT_EQ(With({}, type, "[1,2)"), "<unsupported>") << name;
      EXPECT_EQ(With(unknown, type, "[1,2)"), "\"WzEsMik=\"") << name;
      type->delimiter = ';';
      EXPECT_EQ(With(unknown, ArrayOf(type), "{\"[1,2)\";(,)}"), R"(["WzEsMik=","KCwp"])") << name;
    }
  }
}

TEST(ValueMode, ElementsAreApartAsTheCatalogSays) {
  const auto geometry = MakeType("geometry");
  geometry->delimiter = ',';
  EXPECT_EQ(With({}, ArrayOf(geometry), "{010700000000000000,NULL}"),
            R"([{"wkb":"AQcAAAAAAAAA","srid":null},null])");
}

TEST(ValueMode, TYP45_EnumArraysHaveRequiredItems) {
  const auto array = ArrayOf(EnumOf({"sad", "ha,ppy"}));
  EXPECT_FALSE(SchemaOf({}, array).items->optional);
  EXPECT_EQ(SchemaOf({}, array).items->name, "io.debezium.data.Enum");
  EXPECT_EQ(With({}, array, R"({sad,"ha,ppy"})"), R"(["sad","ha,ppy"])");
  EXPECT_EQ(With({}, array, "{sad,NULL}"), "<null>");
}

}  // namespace
}  // namespace walduct::encode
