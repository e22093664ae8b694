// A column as a function of a transform gets it.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "encode/readers/read_formats.h"
#include "encode/types/type_table.h"
#include "tests/encode/encode_fixture.h"

namespace walduct::encode {
namespace {

using Kind = event::Scalar::Kind;

class ScalarWriterTest : public ::testing::Test {
 protected:
  const event::Scalar& Read(const event::Type& type, absl::string_view text, int32_t typmod = -1) {
    TypeMapping mapping;
    EXPECT_TRUE(MapType(type, typmod, {}, &mapping));
    buffer_.clear();
    Scratch scratch;
    ReadContext context{.scratch = &scratch};
    ScalarWriter out(&buffer_);
    EXPECT_EQ(ReadValue(text, mapping.plan, &context, &out), Outcome::kOk);
    return value_ = out.value();
  }
  const event::Scalar& Read(const char* type, absl::string_view text, int32_t typmod = -1) {
    return Read(*MakeType(type), text, typmod);
  }

  std::string buffer_;
  event::Scalar value_;
};

TEST_F(ScalarWriterTest, Numbers) {
  EXPECT_EQ(Read("int4", "-42").kind, Kind::kInteger);
  EXPECT_EQ(value_.integer, -42);
  EXPECT_EQ(Read("bool", "t").kind, Kind::kBoolean);
  EXPECT_EQ(value_.integer, 1);
  EXPECT_EQ(Read("float8", "1.5e+300").kind, Kind::kReal);
  EXPECT_EQ(value_.real, 1.5e300);
  EXPECT_EQ(Read("float4", "3.3").real, 3.3);
  EXPECT_EQ(Read("date", "1970-01-02").integer, 1);
}

TEST_F(ScalarWriterTest, Texts) {
  EXPECT_EQ(Read("text", "a\"b").kind, Kind::kText);
  EXPECT_EQ(value_.text, "a\"b");
  EXPECT_EQ(Read("timestamptz", "2024-02-29 13:51:30+00", 0).text, "2024-02-29T13:51:30Z");
  EXPECT_EQ(value_.kind, Kind::kText);
}

TEST_F(ScalarWriterTest, BytesAndDecimals) {
  EXPECT_EQ(Read("bytea", "\\x0aff").kind, Kind::kBytes);
  EXPECT_EQ(value_.text, "\x0a\xff");
  EXPECT_EQ(Read("numeric", "-1.5", NumericTypmod(6, 2)).kind, Kind::kDecimal);
  EXPECT_EQ(value_.text, "-1.50");
  EXPECT_EQ(Read("numeric", "0", NumericTypmod(19, 19)).text, "0.0000000000000000000");
  EXPECT_EQ(Read("numeric", "-0.000000025", NumericTypmod(12, 9)).text, "-0.000000025");
  EXPECT_EQ(Read("numeric", "12", NumericTypmod(12, 0)).text, "12");
}

TEST_F(ScalarWriterTest, ArraysAreTheirItems) {
  EXPECT_EQ(Read(*ArrayOf(MakeType("text")), "{a,NULL}").kind, Kind::kArray);
  event::TreeReader items(value_);
  EXPECT_EQ(items.Value().text, "a");
  EXPECT_TRUE(items.Value().is_null());
  EXPECT_TRUE(items.done());
  Read(*ArrayOf(MakeType("float4")), "{3.3}");
  EXPECT_EQ(event::TreeReader(value_).Value().real, 3.3);
  Read(*ArrayOf(MakeType("numeric")), "{-1.5}", NumericTypmod(6, 2));
  EXPECT_EQ(event::TreeReader(value_).Value().kind, Kind::kDecimal);
  EXPECT_EQ(event::TreeReader(value_).Value().text, "-1.50");
}

TEST_F(ScalarWriterTest, StructsAreTheirFields) {
  EXPECT_EQ(Read("point", "(1,2)").kind, Kind::kStruct);
  EXPECT_EQ(event::TreeField(value_, "x").real, 1);
  EXPECT_EQ(event::TreeField(value_, "y").real, 2);
  EXPECT_EQ(event::TreeField(value_, "wkb").kind, Kind::kBytes);
  EXPECT_EQ(event::TreeField(value_, "wkb").text.size(), 21u);
  EXPECT_TRUE(event::TreeField(value_, "srid").is_null());
  EXPECT_TRUE(event::TreeField(value_, "none").is_null());
}

}  // namespace
}  // namespace walduct::encode
