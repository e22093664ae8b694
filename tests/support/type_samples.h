// A column of every type that the type table knows, with a text that PostgreSQL prints for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/type.h"

namespace walduct::test {

struct TypeSample {
  const char* name;  // as in pg_type
  int32_t typmod;
  const char* text;
  event::TypeKind kind = event::TypeKind::kBase;
};

// The samples of scalars; ArraySample makes an array of one.
inline const std::vector<TypeSample>& TypeSamples() {
  using event::TypeKind;
  constexpr int32_t kNumeric = (38 << 16 | 10) + 4;
  static const auto* samples = new std::vector<TypeSample>{
      {"bool", -1, "t"},
      {"int2", -1, "-32768"},
      {"int4", -1, "2147483647"},
      {"int8", -1, "-9223372036854775808"},
      {"oid", -1, "4294967295"},
      {"float4", -1, "1.6777216e+07"},
      {"float8", -1, "-1.7976931348623157e+308"},
      {"numeric", kNumeric, "-9999999999999999999999999999.9999999999"},
      {"numeric", -1, "12345678901234567890.5000"},
      {"money", -1, "-$92,233,720,368,547,758.08"},
      {"text", -1, "some \"quoted\" text of no great length \xF0\x9F\x98\x80"},
      {"varchar", 24, "someone@example.com"},
      {"bpchar", 9, "ab   "},
      {"char", -1, "a"},
      {"name", -1, "a_name"},
      {"citext", -1, "CiText"},
      {"json", -1, "{\"b\": 1,  \"a\": [1,2]}"},
      {"jsonb", -1, "{\"a\": [1, 2], \"b\": 1}"},
      {"xml", -1, "<a href=\"x\">y</a>"},
      {"uuid", -1, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
      {"inet", -1, "192.168.1.5/24"},
      {"cidr", -1, "2001:db8::/32"},
      {"macaddr", -1, "08:00:2b:01:02:03"},
      {"macaddr8", -1, "08:00:2b:01:02:03:04:05"},
      {"tsvector", -1, "'a' 'cat' 'fat'"},
      {"ltree", -1, "Top.Science"},
      {"isbn", -1, "0-393-04002-X"},
      {"hstore", -1, "\"key one\"=>\"value\", \"other key\"=>NULL"},
      {"int4range", -1, "[1,10)", TypeKind::kRange},
      {"int8range", -1, "(,6)", TypeKind::kRange},
      {"numrange", -1, "[1.5,2.5]", TypeKind::kRange},
      {"tsrange", -1, "[\"2024-01-01 00:00:00\",infinity)", TypeKind::kRange},
      {"daterange", -1, "empty", TypeKind::kRange},
      {"tstzrange", -1, "[\"2023-12-31 22:00:00+00\",)", TypeKind::kRange},
      {"mood", -1, "sad", TypeKind::kEnum},
      {"bytea", -1, "\\x00ff10abcdef00112233445566778899"},
      {"bit", 1, "1"},
      {"bit", 10, "1000000001"},
      {"varbit", -1, "1010101010101"},
      {"date", -1, "2024-02-29"},
      {"time", -1, "13:51:30.123456"},
      {"time", 3, "13:51:30.123"},
      {"timetz", -1, "13:51:30.123+02"},
      {"timestamp", -1, "2016-11-04 13:51:30.123456"},
      {"timestamp", 0, "0044-03-15 10:00:00 BC"},
      {"timestamptz", -1, "2016-11-04 11:51:30.123456+00"},
      {"interval", -1, "1 year 2 mons 3 days 04:05:06.78"},
      {"point", -1, "(1.5,-2)"},
      {"geometry", -1, "0101000020730C00001C7C613255DE6540787AA52C435C42C0"},
      {"geography", -1, "0020000001000010E63FF00000000000004000000000000000"},
      {"vector", -1, "[101,102.5,1e-07,0.25,0.125]"},
      {"halfvec", -1, "[1,2.5,65504]"},
      {"sparsevec", -1, "{1:10,3:20.5,1000:1}/1200"},
      {"path", -1, "((0,0),(1,1),(2,0))"},
      {"tsquery", -1, "'fat' & 'rat'"},
      {"pair", -1, "(1,\"a b\")", TypeKind::kComposite},
      {"int4multirange", -1, "{[1,3),[5,7)}", TypeKind::kMultirange}};
  return *samples;
}

inline std::shared_ptr<event::Type> TypeOf(const TypeSample& sample) {
  auto type = std::make_shared<event::Type>();
  type->schema = "pg_catalog";
  type->name = sample.name;
  type->kind = sample.kind;
  if (sample.kind == event::TypeKind::kEnum) type->labels = {"sad", "ok"};
  return type;
}

inline std::shared_ptr<event::Type> ArrayTypeOf(const TypeSample& sample) {
  auto type = std::make_shared<event::Type>();
  type->schema = "pg_catalog";
  type->name = std::string("_") + sample.name;
  type->kind = event::TypeKind::kArray;
  type->element = TypeOf(sample);
  return type;
}

// An array of the sample twice, every element quoted.
inline std::string ArrayTextOf(const TypeSample& sample) {
  std::string element = "\"";
  for (const char* c = sample.text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') element.push_back('\\');
    element.push_back(*c);
  }
  element.push_back('"');
  const std::string name = sample.name;
  const char* delimiter = name == "geometry" || name == "geography" ? ":" : ",";
  return "{" + element + delimiter + element + "}";
}

}  // namespace walduct::test
