// Keys of every type that can be one, as the real Debezium stores and tells them (key_vectors.txt).
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "incremental/stored/key_text.h"
#include "incremental/stored/stored_key.h"

namespace walduct::incremental {
namespace {

using TypePtr = std::shared_ptr<const event::Type>;

struct KeyVector {
  std::string line;
  std::vector<TypePtr> types;
  Key key;
  std::string told;  // empty: not compared
  std::string stored;
};

// "schema.name", "name" of a built-in one, "!" behind an enum's.
TypePtr TypeOf(absl::string_view text) {
  event::Type type;
  if (absl::ConsumeSuffix(&text, "!")) type.kind = event::TypeKind::kEnum;
  const std::vector<std::string> names = absl::StrSplit(text, '.');
  type.name = names.back();
  type.schema = names.size() > 1 ? names.front() : "pg_catalog";
  return std::make_shared<const event::Type>(std::move(type));
}

std::vector<KeyVector> ReadVectors() {
  // An Object[], but for its size.
  const std::string head =
      "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c02000078700000";
  std::ifstream file(WALDUCT_SOURCE_DIR "/tests/incremental/key_vectors.txt");
  std::map<std::string, std::string> words;
  std::vector<KeyVector> vectors;
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> parts = absl::StrSplit(line, '\t');
    if (parts[0] == "word") {
      words[parts[1]] = parts[2];
      continue;
    }
    KeyVector& one = vectors.emplace_back();
    one.line = line;
    for (const absl::string_view type : absl::StrSplit(parts[0], ',')) {
      one.types.push_back(TypeOf(type));
    }
    for (const absl::string_view value : absl::StrSplit(parts[1], '|'))
      one.key.emplace_back(std::string(value));
    if (parts[2] != "-") one.told = parts[2];
    one.stored = head;
    const std::vector<std::string> pieces = absl::StrSplit(parts[3], ' ');
    for (const std::string& piece : pieces)
      one.stored += words.contains(piece) ? words[piece] : piece;
  }
  return vectors;
}

TEST(KeyVectors, AreStoredAsDebeziumStoresThem) {
  const std::vector<KeyVector> vectors = ReadVectors();
  EXPECT_GT(vectors.size(), 130u);
  for (const KeyVector& one : vectors)
    EXPECT_EQ(EncodeKey(one.key, one.types), one.stored) << one.line;
}

// What is read back need not be the same text: PostgreSQL reads the same value. To be stored it is
// the same again.
TEST(KeyVectors, AreReadAsTheyWereStored) {
  for (const KeyVector& one : ReadVectors()) {
    const auto read = DecodeKey(one.stored);
    ASSERT_TRUE(read.ok()) << read.status() << one.line;
    ASSERT_TRUE(read->has_value()) << one.line;
    ASSERT_EQ((*read)->size(), one.key.size()) << one.line;
    const bool same = one.types[0]->name != "interval" && one.types[0]->name != "money" &&
                      !absl::StartsWith(one.types[0]->name, "float");
    if (same) {
      EXPECT_EQ(**read, one.key) << one.line;
    } else {
      EXPECT_EQ(KeyText(**read, one.key.size(), one.types),
                KeyText(one.key, one.key.size(), one.types))
          << one.line;
    }
  }
}

// Of a date before Christ Debezium tells no era.
TEST(KeyVectors, AreToldAsDebeziumTellsThem) {
  for (const KeyVector& one : ReadVectors()) {
    if (one.told.empty()) continue;
    const std::string text = KeyText(one.key, one.key.size(), one.types);
    absl::string_view bare = text;
    if (one.types[0]->name == "date") absl::ConsumeSuffix(&bare, " BC");
    EXPECT_EQ(bare, one.told) << one.line;
  }
}

TEST(KeyVectors, AValueThatItsClassCannotHoldIsAText) {
  for (const auto& [name, text] : {std::pair("numeric", "NaN"), std::pair("date", "infinity"),
                                   std::pair("interval", "-infinity")}) {
    const Key key = {text};
    const auto read = DecodeKey(EncodeKey(key, {TypeOf(name)}));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(**read, key);
    EXPECT_EQ(KeyText(key, 1, {TypeOf(name)}), text);
  }
}

// Whose name a user's type has taken.
TEST(KeyVectors, ATypeOfAUsersIsNoneOfJavas) {
  const Key key = {"t"};
  EXPECT_EQ(KeyText(key, 1, {TypeOf("public.bool")}), "t");
  const auto read = DecodeKey(EncodeKey(key, {TypeOf("public.bool")}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(**read, key);
  EXPECT_NE(EncodeKey(key, {TypeOf("public.bool")}), EncodeKey(key, {TypeOf("bool")}));
}

TEST(KeyVectors, ANullAmongThem) {
  EXPECT_EQ(KeyText({std::nullopt, "f"}, 2, {TypeOf("int4"), TypeOf("bool")}), "<null>,false");
  EXPECT_EQ(KeyText({"f", "(0,1)"}, 1, {}), "f");
}

}  // namespace
}  // namespace walduct::incremental
