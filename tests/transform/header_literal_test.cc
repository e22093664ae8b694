// The table was recorded from Connect's InsertHeader; more of it is in the golden scenarios
// header_literals, header_json_literals.
#include "transform/connect/header_literal.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace walduct::transform {
namespace {

using event::ConnectType;

// Type, name of the schema, and value.
std::string Read(absl::string_view literal) {
  const event::Node node = ParseHeaderLiteral("h", literal);
  if (node.schema == nullptr) return "no value";
  const event::Scalar value = node.leaf.constant_value();
  const std::string type =
      absl::StrCat(static_cast<int>(node.schema->type), node.schema->name.empty() ? "" : " ",
                   node.schema->name.substr(node.schema->name.rfind('.') + 1));
  switch (value.kind) {
    case event::Scalar::Kind::kReal:
      return absl::StrCat(type, " ", value.real);
    case event::Scalar::Kind::kInteger:
    case event::Scalar::Kind::kBoolean:
      return absl::StrCat(type, " ", value.integer);
    default:
      return absl::StrCat(type, " '", value.text, "'");
  }
}

std::string As(ConnectType type, absl::string_view rest) {
  return absl::StrCat(static_cast<int>(type), " ", rest);
}

TEST(HeaderLiteral, Words) {
  EXPECT_EQ(Read(" null "), "no value");
  EXPECT_EQ(Read("true"), As(ConnectType::kBoolean, "1"));
  EXPECT_EQ(Read("TRUE"), As(ConnectType::kString, "'TRUE'"));
  EXPECT_EQ(Read("\"1\""), As(ConnectType::kString, "'\"1\"'"));
  EXPECT_EQ(Read(""), As(ConnectType::kString, "''"));
}

TEST(HeaderLiteral, NumbersThatAreIntegers) {
  EXPECT_EQ(Read("-128"), As(ConnectType::kInt8, "-128"));
  EXPECT_EQ(Read("+128"), As(ConnectType::kInt16, "128"));
  EXPECT_EQ(Read("1e3"), As(ConnectType::kInt16, "1000"));
  EXPECT_EQ(Read("16777217.0"), As(ConnectType::kInt32, "16777217"));
  EXPECT_EQ(Read("9223372036854775807"), As(ConnectType::kInt64, "9223372036854775807"));
  EXPECT_EQ(Read("9223372036854775808"), As(ConnectType::kBytes, "Decimal '9223372036854775808'"));
  EXPECT_EQ(Read("1."), As(ConnectType::kInt8, "1"));
  EXPECT_EQ(Read("0e99999"), As(ConnectType::kInt8, "0"));
}

TEST(HeaderLiteral, OtherNumbers) {
  EXPECT_EQ(Read("-1.5"), As(ConnectType::kFloat, "-1.5"));
  EXPECT_EQ(Read("3.4e39"), As(ConnectType::kDouble, "3.4e+39"));
  EXPECT_EQ(Read("1e400"), As(ConnectType::kString, "'1e400'"));
  for (const char* text : {".5", "-", "1 2", "0x10", "1e", "1e5000000", "NaN", "1.5.2"})
    EXPECT_EQ(Read(text), As(ConnectType::kString, absl::StrCat("'", text, "'")));
}

TEST(HeaderLiteral, Times) {
  EXPECT_EQ(Read("2020-01-01"), As(ConnectType::kInt32, "Date 18262"));
  EXPECT_EQ(Read("10:11:12.123Z"), As(ConnectType::kInt32, "Time 36672123"));
  EXPECT_EQ(Read("2020-01-01T00:00:00.123Z"), As(ConnectType::kInt64, "Timestamp 1577836800123"));
  EXPECT_EQ(Read("2020-01-01T00:00:00Z"), As(ConnectType::kString, "'2020-01-01T00:00:00Z'"));
}

}  // namespace
}  // namespace walduct::transform
