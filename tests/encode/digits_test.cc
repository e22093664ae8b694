// Eight digits at a time must be what one after the other is.
#include "encode/values/digits.h"

#include <gtest/gtest.h>

#include <charconv>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "encode/values/base64.h"

namespace walduct::encode {
namespace {

std::optional<uint64_t> OneByOne(const std::string& text) {
  uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

std::string Printed(auto number) {
  char text[kMostOfInteger];
  return {text, PutInteger(number, text)};
}

std::string RandomDigits(std::mt19937* random, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text.push_back(static_cast<char>('0' + (*random)() % 10));
  return text;
}

TEST(DigitsTest, ReadsWhatDigitsSay) {
  std::mt19937 random(1);
  for (size_t size = 0; size <= 19; ++size) {
    for (int round = 0; round < 2000; ++round) {
      const std::string text = RandomDigits(&random, size);
      const std::vector<char> block(text.begin(), text.end());
      uint64_t number = 1;
      ASSERT_TRUE(ReadDigits({block.data(), block.size()}, &number));
      ASSERT_EQ(number, OneByOne(text)) << text;
      ASSERT_EQ(AllDigits({block.data(), block.size()}), size > 0);
    }
  }
}

TEST(DigitsTest, RefusesEveryOtherByteAtEveryPlace) {
  std::mt19937 random(2);
  for (size_t size = 1; size <= 40; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string text = RandomDigits(&random, size);
      for (int byte = 0; byte < 256; ++byte) {
        text[at] = static_cast<char>(byte);
        const bool digit = byte >= '0' && byte <= '9';
        ASSERT_EQ(AllDigits(text), digit) << text;
        uint64_t number = 0;
        if (size > 19) continue;
        ASSERT_EQ(ReadDigits(text, &number), digit) << text;
      }
    }
  }
}

TEST(DigitsTest, AsManyAsANumericHas) {
  std::string text(131072, '7');
  EXPECT_TRUE(AllDigits(text));
  text[131071] = '.';
  EXPECT_FALSE(AllDigits(text));
}

TEST(DigitsTest, PrintsIntegers) {
  using Limits = std::numeric_limits<int64_t>;
  for (const int64_t number : {int64_t{0}, Limits::max(), Limits::min(), int64_t{-1}})
    EXPECT_EQ(Printed(number), std::to_string(number));
  EXPECT_EQ(Printed(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  for (const uint64_t power : kPowersOfTen) {
    for (const uint64_t number : {power - 1, power, power + 1})
      EXPECT_EQ(Printed(number), std::to_string(number));
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto number = static_cast<int64_t>(random()) >> (random() % 64);
    ASSERT_EQ(Printed(number), std::to_string(number));
  }
  for (uint32_t number = 0; number < 100000000; number += 997) {
    char text[kWordDigits];
    ASSERT_EQ(OneByOne({text, PutEightDigits(number, text)}), number);
  }
}

std::optional<std::string> Bytes(const std::string& hex) {
  std::vector<char> bytes(hex.size() / 2);
  const std::vector<char> block(hex.begin(), hex.end());
  if (PutBytesOfHex({block.data(), block.size()}, bytes.data()) == nullptr) return std::nullopt;
  return std::string(bytes.begin(), bytes.end());
}

TEST(HexTest, IsReadInBothCases) {
  std::mt19937 random(4);
  for (size_t size = 1; size < 40; ++size) {
    std::string bytes, hex;
    for (size_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<char>(random()));
      for (const int half : {static_cast<unsigned char>(bytes[i]) >> 4, bytes[i] & 15})
        hex.push_back((random() % 2 == 0 ? "0123456789abcdef" : "0123456789ABCDEF")[half]);
    }
    EXPECT_EQ(Bytes(hex), bytes);
    std::string of_bytes(Base64Size(size), '\0'), of_hex(Base64Size(size), '\0');
    for (const Base64Alphabet alphabet : {Base64Alphabet::kStandard, Base64Alphabet::kUrlSafe}) {
      PutBase64(bytes, alphabet, of_bytes.data());
      EXPECT_EQ(PutBase64OfHex(hex, alphabet, of_hex.data()), of_hex.data() + of_hex.size());
      EXPECT_EQ(of_bytes, of_hex);
    }
  }
}

TEST(HexTest, RefusesEveryOtherByteAtEveryPlace) {
  for (size_t at = 0; at < 18; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string hex = "0123456789abcdefAF";
      hex[at] = static_cast<char>(byte);
      const bool digit =
          absl::string_view("0123456789abcdefABCDEF").find(hex[at]) != std::string::npos;
      EXPECT_EQ(Bytes(hex).has_value(), digit) << hex;
    }
  }
  EXPECT_EQ(Bytes("abc"), std::nullopt);
}

TEST(Base64Test, EverySizeOfItsLastGroup) {
  const auto base64 = [](const std::string& bytes, Base64Alphabet alphabet) {
    std::string text(Base64Size(bytes.size()), '\0');
    EXPECT_EQ(PutBase64(bytes, alphabet, text.data()), text.data() + text.size());
    return text;
  };
  EXPECT_EQ(base64("", Base64Alphabet::kStandard), "");
  EXPECT_EQ(base64("f", Base64Alphabet::kStandard), "Zg==");
  EXPECT_EQ(base64("fo", Base64Alphabet::kStandard), "Zm8=");
  EXPECT_EQ(base64("foo", Base64Alphabet::kStandard), "Zm9v");
  EXPECT_EQ(base64("foobar", Base64Alphabet::kStandard), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFB\xFF\xFE", Base64Alphabet::kStandard), "+//+");
  EXPECT_EQ(base64("\xFB\xFF\xFE", Base64Alphabet::kUrlSafe), "-__-");
}

}  // namespace
}  // namespace walduct::encode
