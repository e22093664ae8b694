#include "java/text/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace walduct::java {
namespace {

std::string Double(double value) {
  std::string out;
  AppendDouble(value, &out);
  return out;
}
std::string Float(float value) {
  std::string out;
  AppendFloat(value, &out);
  return out;
}

TEST(JavaNumber, PlainBetweenAThousandthAndTenMillion) {
  EXPECT_EQ(Double(0.001), "0.001");
  EXPECT_EQ(Double(1e6), "1000000.0");
  EXPECT_EQ(Double(9999999.5), "9999999.5");
  EXPECT_EQ(Double(100), "100.0");
  EXPECT_EQ(Double(-12.25), "-12.25");
}

TEST(JavaNumber, ExponentElsewhere) {
  EXPECT_EQ(Double(1e-4), "1.0E-4");
  EXPECT_EQ(Double(1e7), "1.0E7");
  EXPECT_EQ(Double(1.5e300), "1.5E300");
  EXPECT_EQ(Float(16777216.0f), "1.6777216E7");
}

TEST(JavaNumber, Limits) {
  EXPECT_EQ(Double(std::numeric_limits<double>::max()), "1.7976931348623157E308");
  EXPECT_EQ(Double(std::numeric_limits<double>::denorm_min()), "4.9E-324");
  EXPECT_EQ(Float(std::numeric_limits<float>::max()), "3.4028235E38");
  EXPECT_EQ(Float(std::numeric_limits<float>::denorm_min()), "1.4E-45");
}

TEST(JavaNumber, ShortestAtTheEdges) {
  EXPECT_EQ(Double(2e-3), "0.002");
  EXPECT_EQ(Double(2e23), "2.0E23");
  EXPECT_EQ(Double(1e23), "1.0E23");
  EXPECT_EQ(Double(9007199254740992.0), "9.007199254740992E15");
  EXPECT_EQ(Double(std::numeric_limits<double>::min()), "2.2250738585072014E-308");
  EXPECT_EQ(Double(1e-323), "9.9E-324");
  EXPECT_EQ(Double(0.00099999999), "9.9999999E-4");
  EXPECT_EQ(Double(9999999), "9999999.0");
  EXPECT_EQ(Float(1e10f), "1.0E10");
  EXPECT_EQ(Float(33554432.0f), "3.3554432E7");
  EXPECT_EQ(Float(8388608.5f), "8388608.0");
  EXPECT_EQ(Float(1.17549435e-38f), "1.1754944E-38");
  EXPECT_EQ(Float(3e-45f), "2.8E-45");
}

TEST(JavaNumber, SpecialValues) {
  EXPECT_EQ(Double(-0.0), "-0.0");
  EXPECT_EQ(Double(std::nan("")), "NaN");
  EXPECT_EQ(Double(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(NumberText, DigitsAsBigDecimalPrintsThem) {
  for (const auto& [plain, printed] :
       {std::pair("12", "12"),
        {"-12.30", "-12.30"},
        {"0.000000", "0.000000"},
        {"0.0000000", "0E-7"},
        {"0.0000000320", "3.20E-8"},
        {"-0.000000025", "-2.5E-8"},
        {"0.000001000", "0.000001000"},
        {"123456789012345678901.0000000", "123456789012345678901.0000000"}}) {
    std::string text;
    AppendDecimal(plain, &text);
    EXPECT_EQ(text, printed);
  }
}

}  // namespace
}  // namespace walduct::java
