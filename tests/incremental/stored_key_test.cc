// Keys of stored offsets: bytes that the real Debezium has stored.
#include "incremental/stored/stored_key.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::incremental {
namespace {

using TypePtr = std::shared_ptr<const event::Type>;

constexpr absl::string_view kArray =
    "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870000000";
constexpr absl::string_view kInteger =
    "737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c7565787200106a6176"
    "61"
    "2e6c616e672e4e756d62657286ac951d0b94e08b0200007870";

TypePtr OfType(const std::string& name) {
  event::Type type;
  type.name = name;
  return std::make_shared<const event::Type>(std::move(type));
}

void ExpectBothWays(const Key& key, const std::vector<std::string>& types, absl::string_view hex) {
  std::vector<TypePtr> known;
  for (const std::string& name : types) known.push_back(OfType(name));
  EXPECT_EQ(EncodeKey(key, known), hex);
  const auto decoded = DecodeKey(hex);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, std::optional<Key>(key));
}

TEST(StoredKey, NoKeyIsNull) {
  EXPECT_EQ(EncodeKey(std::nullopt, {}), "aced000570");
  EXPECT_EQ(*DecodeKey("aced000570"), std::nullopt);
}

TEST(StoredKey, Integer) {
  ExpectBothWays({"10"}, {"int4"}, absl::StrCat(kArray, "01", kInteger, "0000000a"));
}

TEST(StoredKey, NullOfASurrogateKey) {
  ExpectBothWays({std::nullopt}, {"int4"}, absl::StrCat(kArray, "0170"));
}

TEST(StoredKey, Long) {
  ExpectBothWays({"-1000000000000000000"}, {"int8"},
                 absl::StrCat(kArray,
                              "017372000e6a6176612e6c616e672e4c6f6e673b8be490cc8f23df0200014a000576"
                              "616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200"
                              "007870f21f494c589c0000"));
}

TEST(StoredKey, IntegerAndText) {
  ExpectBothWays({"2", "e"}, {"int4", "text"},
                 absl::StrCat(kArray, "02", kInteger, "0000000274000165"));
}

TEST(StoredKey, TextBeyondAscii) {
  ExpectBothWays({"\u65e5\u672c"}, {"text"}, absl::StrCat(kArray, "01740006e697a5e69cac"));
}

TEST(StoredKey, SmallNumbersAreOneObjectInJava) {
  ExpectBothWays({"2", "2"}, {"int4", "int4"},
                 absl::StrCat(kArray, "02", kInteger, "00000002", "71007e0004"));
  ExpectBothWays({"2000", "2000"}, {"int4", "int4"},
                 absl::StrCat(kArray, "02", kInteger, "000007d0", "7371007e0002000007d0"));
}

TEST(StoredKey, Uuid) {
  ExpectBothWays({"eccbc87e-4b5c-e2fe-2830-8fd9f2a7baf3"}, {"uuid"},
                 absl::StrCat(kArray,
                              "017372000e6a6176612e7574696c2e55554944bc9903f7986d852f0200024a000c6c"
                              "65617374536967426974734a000b6d6f7374536967426974737870"
                              "28308fd9f2a7baf3eccbc87e4b5ce2fe"));
}

TEST(StoredKey, Date) {
  ExpectBothWays({"2024-01-11"}, {"date"},
                 absl::StrCat(kArray,
                              "017372000d6a6176612e73716c2e4461746514fa46683f3566970200007872000e6a"
                              "6176612e7574696c2e44617465686a81014b597419030000787077080000018cf5d1"
                              "8c0078"));
}

TEST(StoredKey, Decimal) {
  ExpectBothWays(
      {"3.30"}, {"numeric"},
      absl::StrCat(
          kArray,
          "01737200146a6176612e6d6174682e426967446563696d616c54c71557f981284f0300024900057363"
          "616c654c0006696e7456616c7400164c6a6176612f6d6174682f426967496e74656765723b78720010"
          "6a6176612e6c616e672e4e756d62657286ac951d0b94e08b020000787000000002737200146a617661"
          "2e6d6174682e426967496e74656765728cfc9f1fa93bfb1d030006490008626974436f756e74490009"
          "6269744c656e67746849001366697273744e6f6e7a65726f427974654e756d49000c6c6f7765737453"
          "65744269744900067369676e756d5b00096d61676e69747564657400025b427871007e0004ffffffff"
          "fffffffffffffffefffffffe00000001757200025b42acf317f8060854e0020000787000000002014a"
          "7878"));
}

TEST(StoredKey, DecimalsOfAnySizeAndSign) {
  for (const std::string text :
       {"0", "0.00", "-0.05", "123456789012345678901234567890.123", "-99999999999999999999"}) {
    const auto decoded = DecodeKey(EncodeKey(Key{text}, {OfType("numeric")}));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(**decoded, Key{text});
  }
}

TEST(StoredKey, OtherTypesComeBackAsTheyWere) {
  const Key key = {"t", "\\x00ff", "NaN", "2024-02-29 10:00:00.123466", std::nullopt};
  const std::vector<TypePtr> types = {OfType("bool"), OfType("bytea"), OfType("numeric"),
                                      OfType("timestamp"), OfType("int4")};
  EXPECT_EQ(**DecodeKey(EncodeKey(key, types)), key);
}

TEST(StoredKey, RefusesWhatIsNoKey) {
  const std::string whole = absl::StrCat(kArray, "01", kInteger, "0000000a");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(DecodeKey(whole.substr(0, size)).ok()) << size;
  EXPECT_FALSE(DecodeKey("xx").ok());
  EXPECT_FALSE(DecodeKey("aced0005740001").ok());
}

TEST(StoredKey, RealsKeepAllTheirDigits) {
  for (const auto& [text, type] :
       {std::pair("1719967000.123", "float8"), std::pair("0.1", "float8"),
        std::pair("1.6777216e+07", "float4"), std::pair("NaN", "float8")}) {
    const auto decoded = DecodeKey(EncodeKey(Key{text}, {OfType(type)}));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    const std::string back = *(**decoded)[0];
    double before = 0, after = 0;
    ASSERT_TRUE(absl::SimpleAtod(text, &before) && absl::SimpleAtod(back, &after)) << back;
    EXPECT_TRUE(before == after || std::isnan(before)) << back;
  }
}

TEST(StoredKey, TextIsModifiedUtf8) {
  ExpectBothWays({"\U0001F600"}, {"text"}, absl::StrCat(kArray, "01740006eda0bdedb880"));
  const std::string long_text(70'000, 'x');
  const auto decoded = DecodeKey(EncodeKey(Key{long_text}, {OfType("text")}));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*(**decoded)[0], long_text);
}

}  // namespace
}  // namespace walduct::incremental
