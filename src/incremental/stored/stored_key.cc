#include "incremental/stored/stored_key.h"

#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "incremental/stored/decimal_bytes.h"
#include "incremental/stored/java_stream.h"

namespace walduct::incremental {
namespace {

using event::Type;

// Classes with the identifiers and fields that Java gives them.
constexpr JavaClass kNumber = {.name = "java.lang.Number", .id = 0x86ac951d0b94e08b};
constexpr JavaClass kInteger = {
    .name = "java.lang.Integer", .id = 0x12e2a0a4f7818738, .fields = "I:value", .super = &kNumber};
constexpr JavaClass kLong = {
    .name = "java.lang.Long", .id = 0x3b8be490cc8f23df, .fields = "J:value", .super = &kNumber};
constexpr JavaClass kFloat = {
    .name = "java.lang.Float", .id = 0xdaedc9a2db3cf0ec, .fields = "F:value", .super = &kNumber};
constexpr JavaClass kDouble = {
    .name = "java.lang.Double", .id = 0x80b3c24a296bfb04, .fields = "D:value", .super = &kNumber};
constexpr JavaClass kBoolean = {
    .name = "java.lang.Boolean", .id = 0xcd207280d59cfaee, .fields = "Z:value"};
constexpr JavaClass kUuid = {
    .name = "java.util.UUID", .id = 0xbc9903f7986d852f, .fields = "J:leastSigBits,J:mostSigBits"};
constexpr JavaClass kUtilDate = {
    .name = "java.util.Date", .id = 0x686a81014b597419, .flags = JavaClass::kWrites};
constexpr JavaClass kSqlDate = {
    .name = "java.sql.Date", .id = 0x14fa46683f356697, .super = &kUtilDate};
constexpr JavaClass kBigDecimal = {.name = "java.math.BigDecimal",
                                   .id = 0x54c71557f981284f,
                                   .flags = JavaClass::kWrites,
                                   .fields = "I:scale,L:intVal:Ljava/math/BigInteger;",
                                   .super = &kNumber};
constexpr JavaClass kBigInteger = {
    .name = "java.math.BigInteger",
    .id = 0x8cfc9f1fa93bfb1d,
    .flags = JavaClass::kWrites,
    .fields = "I:bitCount,I:bitLength,I:firstNonzeroByteNum,I:lowestSetBit,I:signum,[:magnitude:[B",
    .super = &kNumber};
constexpr JavaClass kObjects = {.name = "[Ljava.lang.Object;", .id = 0x90ce589f1073296c};
constexpr JavaClass kBytes = {.name = "[B", .id = 0xacf317f8060854e0};

class KeyWriter {
 public:
  std::string Write(const std::optional<Key>& key,
                    const std::vector<std::shared_ptr<const Type>>& types) {
    if (!key) {
      out_.Null();
    } else {
      out_.BeginArray(kObjects, static_cast<uint32_t>(key->size()));
      for (size_t i = 0; i < key->size(); ++i)
        Add((*key)[i], i < types.size() ? types[i] : nullptr);
    }
    return absl::BytesToHexString(out_.bytes());
  }

 private:
  void Add(const std::optional<std::string>& text, const std::shared_ptr<const Type>& type) {
    if (!text) return out_.Null();
    const std::string name = type == nullptr ? "" : event::BaseType(*type).name;
    if (!AddTyped(*text, name)) out_.String(*text);
  }

  bool AddTyped(const std::string& text, absl::string_view type) {
    if (type == "int2" || type == "int4") return AddWhole(text, kInteger, 4);
    if (type == "int8" || type == "oid") return AddWhole(text, kLong, 8);
    if (type == "uuid") return AddUuid(text);
    if (type == "date") return AddDate(text);
    if (type == "numeric") return AddDecimal(text);
    if (type == "bytea") return AddBytes(text);
    if (type == "bool") {
      out_.BeginObject(kBoolean);
      out_.Integer(text == "t" ? 1 : 0, 1);
      return true;
    }
    return (type == "float4" || type == "float8") && AddReal(text, type == "float4");
  }

  // Java keeps one object for each small number, and writes it once.
  bool AddWhole(const std::string& text, const JavaClass& java_class, int bytes) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(text, &value)) return false;
    const bool small = value >= -128 && value <= 127;
    const auto [known, is_new] = small_.try_emplace({&java_class, value}, 0);
    if (small && !is_new) {
      out_.Reference(known->second);
      return true;
    }
    known->second = out_.BeginObject(java_class);
    out_.Integer(static_cast<uint64_t>(value), bytes);
    return true;
  }

  bool AddReal(const std::string& text, bool single) {
    double value = 0;
    if (!absl::SimpleAtod(text, &value)) return false;
    out_.BeginObject(single ? kFloat : kDouble);
    if (single) {
      out_.Integer(std::bit_cast<uint32_t>(static_cast<float>(value)), 4);
    } else {
      out_.Integer(std::bit_cast<uint64_t>(value), 8);
    }
    return true;
  }

  bool AddUuid(const std::string& text) {
    std::string digits;
    for (const char c : text) {
      if (c != '-') digits.push_back(c);
    }
    if (digits.size() != 32) return false;
    uint64_t most = 0, least = 0;
    if (!absl::SimpleHexAtoi(digits.substr(0, 16), &most) ||
        !absl::SimpleHexAtoi(digits.substr(16), &least)) {
      return false;
    }
    out_.BeginObject(kUuid);
    out_.Integer(least, 8);
    out_.Integer(most, 8);
    return true;
  }

  bool AddDate(const std::string& text) {
    absl::CivilDay day;
    if (!absl::ParseCivilTime(text, &day)) return false;
    constexpr int64_t kMillisPerDay = 86'400'000;
    const int64_t millis = (day - absl::CivilDay()) * kMillisPerDay;
    out_.BeginObject(kSqlDate);
    out_.Block(8);
    out_.Integer(static_cast<uint64_t>(millis), 8);
    out_.EndBlock();
    return true;
  }

  bool AddBytes(const std::string& text) {
    if (!absl::StartsWith(text, "\\x")) return false;
    const std::string bytes = absl::HexStringToBytes(absl::string_view(text).substr(2));
    out_.BeginArray(kBytes, static_cast<uint32_t>(bytes.size()));
    out_.Raw(bytes);
    return true;
  }

  bool AddDecimal(const std::string& text) {
    const std::optional<DecimalBytes> decimal = ParseDecimal(text);
    if (!decimal) return false;
    out_.BeginObject(kBigDecimal);
    out_.Integer(static_cast<uint64_t>(decimal->scale), 4);
    out_.BeginObject(kBigInteger);
    for (const int64_t cached : {-1, -1, -2, -2}) out_.Integer(static_cast<uint64_t>(cached), 4);
    out_.Integer(static_cast<uint64_t>(decimal->sign), 4);
    out_.BeginArray(kBytes, static_cast<uint32_t>(decimal->magnitude.size()));
    out_.Raw(decimal->magnitude);
    out_.EndBlock();
    out_.EndBlock();
    return true;
  }

  JavaWriter out_;
  std::map<std::pair<const JavaClass*, int64_t>, uint32_t> small_;
};

std::string UuidText(uint64_t most, uint64_t least) {
  const std::string digits =
      absl::StrCat(absl::Hex(most, absl::kZeroPad16), absl::Hex(least, absl::kZeroPad16));
  return absl::StrCat(digits.substr(0, 8), "-", digits.substr(8, 4), "-", digits.substr(12, 4), "-",
                      digits.substr(16, 4), "-", digits.substr(20));
}

// Java has midnight in the zone of its machine: the nearest day is meant.
std::string DateText(int64_t millis) {
  const absl::Time noon = absl::FromUnixMillis(millis) + absl::Hours(12);
  return absl::FormatCivilTime(absl::ToCivilDay(noon, absl::UTCTimeZone()));
}

// All digits: PostgreSQL reads the same number again.
std::string RealText(double value, int digits) {
  return std::isnan(value) ? "NaN" : absl::StrFormat("%.*g", digits, value);
}

std::optional<std::string> TextOf(const JavaValue& value) {
  const std::string& name = value.class_name;
  if (value.kind == JavaValue::Kind::kString) return value.text;
  if (name == "[B") return absl::StrCat("\\x", absl::BytesToHexString(value.text));
  const auto field = [&](absl::string_view one) { return value.Field(one); };
  if (name == kInteger.name || name == kLong.name)
    return absl::StrCat(static_cast<int64_t>(field("value")));
  if (name == kBoolean.name) return field("value") != 0 ? "t" : "f";
  if (name == kDouble.name) return RealText(std::bit_cast<double>(field("value")), 17);
  if (name == kFloat.name)
    return RealText(std::bit_cast<float>(static_cast<uint32_t>(field("value"))), 9);
  if (name == kUuid.name) return UuidText(field("mostSigBits"), field("leastSigBits"));
  if (name == kSqlDate.name && value.text.size() == 8) {
    uint64_t millis = 0;
    for (const char c : value.text) millis = millis << 8 | static_cast<unsigned char>(c);
    return DateText(static_cast<int64_t>(millis));
  }
  if (name == kBigDecimal.name && !value.items.empty() && !value.items[0].items.empty()) {
    const JavaValue& integer = value.items[0];
    return PrintDecimal({.scale = static_cast<int32_t>(field("scale")),
                         .sign = static_cast<int32_t>(integer.Field("signum")),
                         .magnitude = integer.items[0].text});
  }
  // PGobject: type, then value.
  if (absl::EndsWith(name, "PGobject") && value.items.size() == 2) return value.items[1].text;
  return std::nullopt;
}

}  // namespace

std::string EncodeKey(const std::optional<Key>& key,
                      const std::vector<std::shared_ptr<const Type>>& types) {
  return KeyWriter().Write(key, types);
}

absl::StatusOr<std::optional<Key>> DecodeKey(absl::string_view hex) {
  const auto malformed = [](absl::string_view what) {
    return Malformed(absl::StrCat("a key of an incremental snapshot: ", what));
  };
  if (hex.size() % 2 != 0) return malformed("an odd number of digits");
  for (const char c : hex) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return malformed("not hexadecimal");
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  const absl::StatusOr<JavaValue> value = ReadJava(bytes);
  if (!value.ok()) return value.status();
  if (value->kind == JavaValue::Kind::kNull) return std::optional<Key>();
  if (value->class_name != kObjects.name) return malformed("not a list of values");
  Key key;
  for (const JavaValue& item : value->items) {
    if (item.kind == JavaValue::Kind::kNull) {
      key.emplace_back();
      continue;
    }
    std::optional<std::string> text = TextOf(item);
    if (!text) return malformed(absl::StrCat("a value of class ", item.class_name));
    key.push_back(std::move(text));
  }
  return std::optional<Key>(std::move(key));
}

}  // namespace walduct::incremental
