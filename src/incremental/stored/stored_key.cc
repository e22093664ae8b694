#include "incremental/stored/stored_key.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
#include "incremental/stored/decimal_bytes.h"
#include "incremental/stored/interval_fields.h"
#include "incremental/stored/java_stream.h"
#include "incremental/stored/plain_money.h"

namespace walduct::incremental {
namespace {

constexpr absl::CivilDay kFirstGregorian(1582, 10, 15);
constexpr int64_t kEpoch = 2440588;  // its Julian day number

// Richards' algorithm; right from 4800 BC on, PostgreSQL's dates begin in 4713 BC.
int64_t JulianDay(int64_t year, int64_t month, int64_t day) {
  const int64_t early = (14 - month) / 12;
  const int64_t years = year + 4800 - early;
  const int64_t months = month + 12 * early - 3;
  return day + (153 * months + 2) / 5 + 365 * years + years / 4 - 32083;
}

std::string Text(int64_t year, int month, int day) {
  const bool before = year <= 0;
  return absl::StrFormat("%04d-%02d-%02d%s", before ? 1 - year : year, month, day,
                         before ? " BC" : "");
}

// Since 1 January 1970. Absent: no date with digits (infinity).
std::optional<int64_t> DaysOfDate(absl::string_view text) {
  const bool before = absl::ConsumeSuffix(&text, " BC");
  // The year as it is written may be no leap year, and 29 February none of its days.
  absl::CivilMonth month;
  int day = 0;
  if (text.size() < 10 || !absl::ParseCivilTime(text.substr(0, text.size() - 3), &month))
    return std::nullopt;
  for (const char c : text.substr(text.size() - 2)) {
    if (c < '0' || c > '9') return std::nullopt;
    day = 10 * day + (c - '0');
  }
  const int64_t year = before ? 1 - month.year() : month.year();
  const absl::CivilDay gregorian(year, month.month(), day);
  if (gregorian >= kFirstGregorian) return gregorian - absl::CivilDay();
  return JulianDay(year, month.month(), day) - kEpoch;
}

std::string DateOfDays(int64_t days) {
  const absl::CivilDay gregorian = absl::CivilDay() + days;
  if (gregorian >= kFirstGregorian)
    return Text(gregorian.year(), gregorian.month(), gregorian.day());
  const int64_t count = days + kEpoch + 32082;
  const int64_t year = (4 * count + 3) / 1461;
  const int64_t rest = count - 1461 * year / 4;
  const int64_t month = (5 * rest + 2) / 153;
  return Text(year - 4800 + month / 10, static_cast<int>(month + 3 - 12 * (month / 10)),
              static_cast<int>(rest - (153 * month + 2) / 5 + 1));
}

// The classes of keys, with the identifiers and fields that Java and pgjdbc give them.

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
// Of types that Java has no class for: the type's name, the text.
constexpr JavaClass kPgObject = {.name = "org.postgresql.util.PGobject",
                                 .id = 0x4bf895caac6f6444,
                                 .fields = "L:type:Ljava/lang/String;,L:value:Ljava/lang/String;"};
constexpr JavaClass kPgInterval = {
    .name = "org.postgresql.util.PGInterval",
    .id = 0x882be40e2cbd59bb,
    .fields = "I:days,I:hours,Z:isNull,I:microSeconds,I:minutes,I:months,I:wholeSeconds,I:years",
    .super = &kPgObject};

using event::Type;

constexpr int64_t kMillisPerDay = 86'400'000;

// What pgjdbc reads as a String. Others without a class in Java are a PGobject.
constexpr absl::string_view kTextTypes[] = {"text",      "varchar",     "bpchar", "char",
                                            "name",      "bit",         "time",   "timetz",
                                            "timestamp", "timestamptz", "unknown"};

// And no type of a user's that has the name of one.
bool IsBuiltIn(const Type& type) { return type.schema.empty() || type.schema == "pg_catalog"; }

bool IsText(const Type& type) {
  const auto* const end = std::end(kTextTypes);
  return type.kind == event::TypeKind::kEnum ||
         (IsBuiltIn(type) && std::find(std::begin(kTextTypes), end, type.name) != end);
}

// As pgjdbc names it: alone where its schema is on the search path, which is the usual one.
std::string NameOf(const Type& type) {
  const bool plain = IsBuiltIn(type) || type.schema == "public";
  return plain ? type.name : absl::StrCat("\"", type.schema, "\".\"", type.name, "\"");
}

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
    if (type != nullptr) {
      const Type& base = event::BaseType(*type);
      if (IsBuiltIn(base) && AddTyped(*text, base.name)) return;
      if (!IsText(base) && !(IsBuiltIn(base) && HasClass(base.name)))
        return AddPgObject(NameOf(base), *text);
    }
    out_.String(*text);
  }

  // Those of AddTyped, for values that their class cannot hold: NaN, infinity.
  static bool HasClass(absl::string_view type) {
    return type == "numeric" || type == "money" || type == "date" || type == "interval";
  }

  bool AddTyped(const std::string& text, absl::string_view type) {
    if (type == "int2" || type == "int4") return AddWhole(text, kInteger, 4);
    if (type == "int8" || type == "oid") return AddWhole(text, kLong, 8);
    if (type == "uuid") return AddUuid(text);
    if (type == "date") return AddDate(text);
    if (type == "numeric") return AddDecimal(text);
    if (type == "money") return AddDecimal(PlainMoney(text));
    if (type == "bytea") return AddBytes(text);
    if (type == "bool") return AddWhole(text == "t" ? "1" : "0", kBoolean, 1);
    if (type == "interval") return AddInterval(text);
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
    const std::optional<int64_t> days = DaysOfDate(text);
    if (!days) return false;
    const int64_t millis = *days * kMillisPerDay;
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
    const std::optional<int64_t> kept = KeptDecimal(*decimal);
    if (kept) {
      if (const auto known = small_.find({&kBigDecimal, *kept}); known != small_.end()) {
        out_.Reference(known->second);
        return true;
      }
    }
    const uint32_t handle = out_.BeginObject(kBigDecimal);
    if (kept) small_[{&kBigDecimal, *kept}] = handle;
    out_.Integer(static_cast<uint64_t>(decimal->scale), 4);
    AddUnscaled(*decimal);
    out_.EndBlock();
    return true;
  }

  // Java keeps one object for each whole number up to ten, and for each zero of a few digits: its
  // name among them.
  static std::optional<int64_t> KeptDecimal(const DecimalBytes& decimal) {
    constexpr int kMostWhole = 10, kMostScale = 15;
    if (decimal.sign == 0 && decimal.scale <= kMostScale) return -decimal.scale;
    const bool whole = decimal.scale == 0 && decimal.sign > 0 && decimal.magnitude.size() == 1;
    const int value = whole ? static_cast<unsigned char>(decimal.magnitude[0]) : kMostWhole + 1;
    return value <= kMostWhole ? std::optional<int64_t>(value) : std::nullopt;
  }

  // And of the integers within.
  void AddUnscaled(const DecimalBytes& decimal) {
    constexpr int kMostKept = 16;
    const std::string& bytes = decimal.magnitude;
    const int first = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]);
    const bool kept = bytes.size() < 2 && first <= kMostKept;
    const int64_t value = int64_t{decimal.sign} * first;
    const auto known = small_.find({&kBigInteger, value});
    if (kept && known != small_.end()) return out_.Reference(known->second);
    const uint32_t handle = out_.BeginObject(kBigInteger);
    if (kept) small_[{&kBigInteger, value}] = handle;
    for (const int64_t cached : {-1, -1, -2, -2}) out_.Integer(static_cast<uint64_t>(cached), 4);
    out_.Integer(static_cast<uint64_t>(decimal.sign), 4);
    out_.BeginArray(kBytes, static_cast<uint32_t>(decimal.magnitude.size()));
    out_.Raw(decimal.magnitude);
    out_.EndBlock();
  }

  // pgjdbc keeps one text for each type.
  void AddTypeName(const std::string& name) {
    const auto [known, is_new] = type_names_.try_emplace(name, 0);
    if (!is_new) return out_.Reference(known->second);
    known->second = out_.String(name);
  }

  void AddPgObject(const std::string& type, const std::string& text) {
    out_.BeginObject(kPgObject);
    AddTypeName(type);
    out_.String(text);
  }

  bool AddInterval(const std::string& text) {
    const std::optional<IntervalFields> interval = ParseInterval(text);
    if (!interval) return false;
    out_.BeginObject(kPgInterval);
    AddTypeName("interval");
    out_.Null();
    const auto put = [this](int32_t field) { out_.Integer(static_cast<uint32_t>(field), 4); };
    put(interval->days);
    put(interval->hours);
    out_.Integer(0, 1);
    for (const int32_t field : {interval->microseconds, interval->minutes, interval->months,
                                interval->seconds, interval->years})
      put(field);
    return true;
  }

  JavaWriter out_;
  std::map<std::pair<const JavaClass*, int64_t>, uint32_t> small_;
  std::map<std::string, uint32_t> type_names_;
};

std::string UuidText(uint64_t most, uint64_t least) {
  const std::string digits =
      absl::StrCat(absl::Hex(most, absl::kZeroPad16), absl::Hex(least, absl::kZeroPad16));
  return absl::StrCat(digits.substr(0, 8), "-", digits.substr(8, 4), "-", digits.substr(12, 4), "-",
                      digits.substr(16, 4), "-", digits.substr(20));
}

// Java has midnight in the zone of its machine: the nearest day is meant.
std::string DateText(int64_t millis) {
  const int64_t noon = millis + kMillisPerDay / 2;
  return DateOfDays(noon / kMillisPerDay - (noon % kMillisPerDay < 0 ? 1 : 0));
}

// All digits: PostgreSQL reads the same number again.
std::string RealText(double value, int digits) {
  return std::isnan(value) ? "NaN" : absl::StrFormat("%.*g", digits, value);
}

std::string IntervalTextOf(const JavaValue& value) {
  const auto field = [&](absl::string_view name) {
    return static_cast<int32_t>(value.Field(name));
  };
  return PrintInterval({.years = field("years"),
                        .months = field("months"),
                        .days = field("days"),
                        .hours = field("hours"),
                        .minutes = field("minutes"),
                        .seconds = field("wholeSeconds"),
                        .microseconds = field("microSeconds")});
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
  if (name == kPgInterval.name) return IntervalTextOf(value);
  if (name == kPgObject.name && value.items.size() == 2 &&
      value.items[1].kind == JavaValue::Kind::kString)
    return value.items[1].text;
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
