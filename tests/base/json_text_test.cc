#include "base/json_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace walduct {
namespace {

std::string Quoted(absl::string_view text) {
  std::string out = "before ";
  AppendJsonString(text, &out);
  OutBuffer buffer;
  buffer.assign("before ");
  AppendJsonString(text, &buffer);
  EXPECT_EQ(buffer.view(), out);
  return out.substr(7);
}

TEST(JsonText, QuotesAndAppends) {
  std::string out = "a";
  AppendJsonString("b", &out);
  AppendJsonEscaped("c\"", &out);
  EXPECT_EQ(out, "a\"b\"c\\\"");
}

TEST(JsonText, EscapesAsJacksonDoes) {
  EXPECT_EQ(Quoted("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(Quoted("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(Quoted(absl::string_view("\0\x01\x0B\x1F", 4)), R"("\u0000\u0001\u000B\u001F")");
  EXPECT_EQ(Quoted("\x7F"), "\"\x7F\"");
}

TEST(JsonText, KeepsTheBasicPlaneAsItIs) {
  EXPECT_EQ(Quoted("zażółć \u2028 \uFFFF"), "\"zażółć \u2028 \uFFFF\"");
}

TEST(JsonText, WritesTheOtherPlanesAsSurrogates) {
  EXPECT_EQ(Quoted("a\U0001F600b"), R"("a\uD83D\uDE00b")");
  EXPECT_EQ(Quoted("\U00010000\U0010FFFF"), R"("\uD800\uDC00\uDBFF\uDFFF")");
}

TEST(JsonText, CopiesWhatIsNotUtf8) {
  for (const char* text : {"\xF0", "\xF0\x9F", "\xF0\x9F\x98", "\xF0\x9F\x98x", "\xFF", "\x80"}) {
    EXPECT_EQ(Quoted(text), absl::StrCat("\"", text, "\""));
  }
}

// Long runs are scanned eight bytes at a time: an escape must be found at each offset from a word's
// border.
TEST(JsonText, FindsAnEscapeAtEveryOffset) {
  for (const char special : {'"', '\\', '\n', '\x1F'}) {
    for (size_t at = 0; at < 24; ++at) {
      std::string text(24, 'x');
      text[at] = special;
      const std::string escape = special == '\x1F' ? "\\u001F"
                                 : special == '\n' ? "\\n"
                                                   : std::string("\\") + special;
      std::string expected(24, 'x');
      expected.replace(at, 1, escape);
      EXPECT_EQ(Quoted(text), "\"" + expected + "\"") << at;
    }
  }
}

// JSON in JSON, at every distance from the borders of what is written at once.
TEST(JsonText, ManyEscapesAreThoseOfTheirCharacters) {
  const std::vector<std::string> characters = {
      "\"", "x", "clean bytes, more than sixteen", "\\", "\x01", "\U0001F600", "\xF0\x9F", "\n"};
  for (size_t first = 0; first < characters.size(); ++first) {
    std::string text(first * 17, '.');
    std::string expected = text;
    for (size_t i = 0; text.size() < 5000; ++i) {
      const std::string& character = characters[(first + i * i) % characters.size()];
      text += character;
      AppendJsonEscaped(character, &expected);
    }
    EXPECT_EQ(Quoted(text), "\"" + expected + "\"");
  }
}

TEST(JsonText, BytesNextToTheEscapedOnesAreKept) {
  std::string text;
  for (int c = 0x20; c < 0x100; ++c) {
    if (c != '"' && c != '\\') text.push_back(static_cast<char>(c));
  }
  EXPECT_EQ(Quoted(text), "\"" + text + "\"");
}

// One character after the other.
std::string Plainly(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool four = static_cast<unsigned char>(text[i]) >= 0xF0;
    const absl::string_view character = text.substr(i, four ? 4 : 1);
    AppendJsonEscaped(character, &out);
    i += character.size();
  }
  return "\"" + out + "\"";
}

// In a block of its own, so that a read behind its end shows.
TEST(JsonText, RandomTextsOfEverySize) {
  const std::vector<std::string> pieces = {"a", "bc",   "0123456789", "\"", "\\",      "\n", "\x1",
                                           "é", "\x7F", "\U0001F600", "/",  "{\"k\": "};
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const size_t size = random() % 90, clean = random() % 40;
    std::string text(std::min(size, clean), 'x');
    while (text.size() < size) text += pieces[random() % (round % 2 == 0 ? pieces.size() : 4)];
    const std::vector<char> block(text.begin(), text.end());
    ASSERT_EQ(Quoted({block.data(), block.size()}), Plainly(text));
  }
}

}  // namespace
}  // namespace walduct
