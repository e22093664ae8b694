// What is not converted must be what a conversion would give.
#include "encode/values/float_text.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "java/text/number_text.h"

namespace walduct::encode {
namespace {

template <typename Float>
std::string Java(const std::string& text) {
  FloatText<Float> value;
  if (!value.Parse(text)) return "<refused>";
  char out[java::kMostOfNumber];
  return {out, value.PutJava(out)};
}

void AppendConverted(double value, std::string* out) { java::AppendDouble(value, out); }
void AppendConverted(float value, std::string* out) { java::AppendFloat(value, out); }

template <typename Float>
std::string Converted(const std::string& text) {
  Float value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return "<refused>";
  std::string out;
  AppendConverted(value, &out);
  return out;
}

// Digits, a point somewhere, an exponent sometimes: as PostgreSQL prints them, and longer.
std::string RandomNumber(std::mt19937* random, int most_digits, int most_exponent) {
  const auto below = [&](int limit) {
    return static_cast<int>((*random)() % static_cast<unsigned>(limit));
  };
  std::string text = below(2) == 0 ? "-" : "";
  const int digits = 1 + below(most_digits);
  const int point = below(digits + 3);
  for (int i = 0; i < digits; ++i) {
    if (i == point && i > 0) text.push_back('.');
    text.push_back(static_cast<char>('0' + (below(3) == 0 ? 0 : below(10))));
  }
  if (below(2) == 0) absl::StrAppend(&text, below(2) == 0 ? "e+" : "e-", below(most_exponent));
  return text;
}

template <typename Float>
void ExpectAsConverted(int most_digits, int most_exponent) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const std::string text = RandomNumber(&random, most_digits, most_exponent);
    ASSERT_EQ(Java<Float>(text), Converted<Float>(text)) << text;
    FloatText<Float> value;
    Float converted = 0;
    std::from_chars(text.data(), text.data() + text.size(), converted);
    if (!value.Parse(text)) continue;
    ASSERT_EQ(value.value(), converted) << text;
  }
}

TEST(FloatTextTest, DoublesAreAsConverted) { ExpectAsConverted<double>(19, 330); }
TEST(FloatTextTest, FloatsAreAsConverted) { ExpectAsConverted<float>(10, 50); }

TEST(FloatTextTest, SpecialValues) {
  EXPECT_EQ(Java<double>("NaN"), "NaN");
  EXPECT_EQ(Java<double>("-Infinity"), "-Infinity");
  EXPECT_EQ(Java<float>("Infinity"), "Infinity");
  EXPECT_EQ(Java<double>("-0"), "-0.0");
  EXPECT_EQ(Java<double>("0"), "0.0");
}

TEST(FloatTextTest, RefusesWhatPostgresDoesNotPrint) {
  for (const char* text : {"",   "-",  ".",    ".5",    "5.",     "1.e5",      "1..2",   "1.2.3",
                           "e5", "1e", "1e+",  "1ex",   "inf",    "nan",       "nan(1)", "+1",
                           " 1", "1 ", "0x10", "1e999", "-1e999", "Infinityx", "--1"}) {
    EXPECT_EQ(Java<double>(text), "<refused>") << text;
    EXPECT_EQ(Java<float>(text), "<refused>") << text;
  }
}

}  // namespace
}  // namespace walduct::encode
