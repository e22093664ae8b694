#include "encode/options/column_properties.h"

#include <openssl/evp.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace walduct::encode {
namespace {

constexpr uint32_t kMaxStars = 1'000'000;
constexpr absl::string_view kChars = ".chars";
constexpr absl::string_view kSalt = ".with.salt.";

struct NameForm {
  absl::string_view prefix;
  ColumnMaskKind kind;
};
// The longer of two prefixes first.
constexpr NameForm kForms[] = {
    {"column.truncate.to.", ColumnMaskKind::kTruncate},
    {"column.mask.with.", ColumnMaskKind::kStars},
    {"column.mask.hash.v2.", ColumnMaskKind::kHashV2},
    {"column.mask.hash.", ColumnMaskKind::kHash},
};

// Names of java.security.MessageDigest, which ignores their case, and the name used from here on.
constexpr std::pair<absl::string_view, absl::string_view> kAlgorithms[] = {
    {"MD5", "MD5"},
    {"SHA", "SHA-1"},
    {"SHA1", "SHA-1"},
    {"SHA-1", "SHA-1"},
    {"SHA-224", "SHA-224"},
    {"SHA224", "SHA-224"},
    {"SHA-256", "SHA-256"},
    {"SHA256", "SHA-256"},
    {"SHA-384", "SHA-384"},
    {"SHA384", "SHA-384"},
    {"SHA-512", "SHA-512"},
    {"SHA512", "SHA-512"},
    {"SHA-512/224", "SHA-512/224"},
    {"SHA512/224", "SHA-512/224"},
    {"SHA-512/256", "SHA-512/256"},
    {"SHA512/256", "SHA-512/256"},
    {"SHA3-224", "SHA3-224"},
    {"SHA3-256", "SHA3-256"},
    {"SHA3-384", "SHA3-384"},
    {"SHA3-512", "SHA3-512"},
};

std::string ParseLength(absl::string_view rest, ColumnMask* mask) {
  const bool truncate = mask->kind == ColumnMaskKind::kTruncate;
  const uint32_t most = truncate ? INT32_MAX : kMaxStars;
  const bool number = absl::ConsumeSuffix(&rest, kChars) && absl::SimpleAtoi(rest, &mask->length) &&
                      mask->length <= most;
  if (!number) return absl::StrCat("'", rest, "' is not a length in characters");
  if (truncate && mask->length == 0) return "Maximum length must be positive";
  return "";
}

// False: a provider for FIPS alone leaves the algorithm out.
bool IsHashOffered(absl::string_view algorithm) {
  EVP_MD* const digest = EVP_MD_fetch(nullptr, std::string(algorithm).c_str(), nullptr);
  EVP_MD_free(digest);
  return digest != nullptr;
}

std::string ParseHash(absl::string_view rest, ColumnMask* mask) {
  const absl::string_view algorithm = rest.substr(0, rest.find('.'));
  rest.remove_prefix(algorithm.size());
  if (!absl::ConsumePrefix(&rest, kSalt) || rest.empty())
    return "the name is not of the form …<algorithm>.with.salt.<salt>";
  const auto* found = std::find_if(
      std::begin(kAlgorithms), std::end(kAlgorithms),
      [&](const auto& known) { return absl::EqualsIgnoreCase(known.first, algorithm); });
  if (found == std::end(kAlgorithms))
    return absl::StrCat("'", algorithm, "' is not a known hash algorithm");
  if (!IsHashOffered(found->second)) {
    return absl::StrCat("OpenSSL does not offer '", found->second,
                        "': a FIPS provider alone refuses weak ones");
  }
  mask->algorithm = std::string(found->second);
  mask->salt = std::string(rest);
  return "";
}

// "" or what is wrong; nothing is filled for another name.
std::string ParseName(absl::string_view name, std::optional<ColumnMask>* mask) {
  for (const NameForm& form : kForms) {
    absl::string_view rest = name;
    if (!absl::ConsumePrefix(&rest, form.prefix)) continue;
    mask->emplace().kind = form.kind;
    const bool length =
        form.kind == ColumnMaskKind::kTruncate || form.kind == ColumnMaskKind::kStars;
    return length ? ParseLength(rest, &**mask) : ParseHash(rest, &**mask);
  }
  return "";
}

using enum config::PropertyType;
constexpr absl::string_view kAlgorithmFix =
    "use column.mask.hash.v2.SHA-256.with.salt.<salt>, or one of MD5, SHA-1, SHA-224, SHA-256, "
    "SHA-384, "
    "SHA-512, SHA-512/224, SHA-512/256, SHA3-224, SHA3-256, SHA3-384, SHA3-512";

// "" when the name of a column.mask.*, column.truncate.* property can be understood, else what is
// wrong with it.
std::string CheckColumnMaskName(absl::string_view name) {
  std::optional<ColumnMask> mask;
  return ParseName(name, &mask);
}

constexpr config::PropertyDefinition kRows[] = {
    {.name = "column.include.list",
     .type = kRegexList,
     .doc = "Columns to include, as regular expressions over schema.table.column; key columns are "
            "always included.",
     .aliases = "column.whitelist"},
    {.name = "column.exclude.list",
     .type = kRegexList,
     .doc = "Columns to exclude, as regular expressions over schema.table.column; key columns are "
            "always included.",
     .aliases = "column.blacklist"},
    {.name = "column.mask.with.<n>.chars",
     .type = kRegexList,
     .doc = "Columns whose values, including NULL, are replaced by n asterisks. Character types "
            "only; keys are not masked.",
     .fix = "use a number from 0 to 1000000, as in column.mask.with.10.chars",
     .name_validator = CheckColumnMaskName,
     .hides = "column.mask."},
    {.name = "column.mask.hash.v2.<algorithm>.with.salt.<salt>",
     .type = kRegexList,
     .doc = "Columns whose values are replaced by a salted hash, truncated to the column's length. "
            "Character types only; keys are not masked.",
     .fix = kAlgorithmFix,
     .name_validator = CheckColumnMaskName,
     .hides = "column.mask."},
    {.name = "column.mask.hash.<algorithm>.with.salt.<salt>",
     .type = kRegexList,
     .doc = "Columns whose values are replaced by a salted hash, in Debezium's version 1.",
     .fix = kAlgorithmFix,
     .name_validator = CheckColumnMaskName,
     .hides = "column.mask."},
    {.name = "column.truncate.to.<n>.chars",
     .type = kRegexList,
     .doc = "Columns whose text is truncated to n characters, or binary values to n bytes.",
     .fix = "use a number above 0, as in column.truncate.to.20.chars",
     .name_validator = CheckColumnMaskName,
     .hides = "column.truncate."},
    {.name = "column.propagate.source.type",
     .type = kRegexList,
     .doc = "Columns whose SQL type is added to the record's schema, as regular expressions over "
            "schema.table.column."},
    {.name = "datatype.propagate.source.type",
     .type = kRegexList,
     .doc = "SQL types that are added to the record's schema, as regular expressions over "
            "schema.table.type."},
};

constexpr config::PropertyDefinition kLostMask[] = {
    {.name = "walduct.mask.lost",
     .type = kEnum,
     .default_value = "stop",
     .doc =
         "When a column gets a name, or a type, that an entry which masked, hashed, truncated or "
         "excluded it does not match: stop before its first row, or publish it with a warning; "
         "message.key.columns alike. See docs/catalog.md.",
     .allowed = "stop, warn"},
};

// A salt is nobody's business.
std::string NameWithoutSalt(absl::string_view name) {
  const size_t salt = name.find(kSalt);
  return salt == absl::string_view::npos ? std::string(name)
                                         : absl::StrCat(name.substr(0, salt + kSalt.size()), "…");
}

}  // namespace

absl::Span<const config::PropertyDefinition> ColumnProperties() { return kRows; }
absl::Span<const config::PropertyDefinition> LostMaskProperties() { return kLostMask; }

ColumnOptions BuildColumns(const config::PropertySet& properties) {
  ColumnOptions columns;
  columns.include = properties.Regexes("column.include.list");
  columns.exclude = properties.Regexes("column.exclude.list");
  columns.lost_warns = properties.Text("walduct.mask.lost") == "warn";
  columns.propagate_columns = properties.Regexes("column.propagate.source.type");
  columns.propagate_types = properties.Regexes("datatype.propagate.source.type");
  for (const config::Property& property : properties.all()) {
    std::optional<ColumnMask> mask;
    const std::string problem = ParseName(property.name, &mask);
    if (!mask || !problem.empty()) continue;  // refused where it was checked
    mask->columns = properties.Regexes(property.name);
    mask->property = NameWithoutSalt(property.name);
    if (mask->columns == nullptr) continue;
    columns.masks.push_back(*std::move(mask));
  }
  std::stable_sort(columns.masks.begin(), columns.masks.end(),
                   [](const ColumnMask& a, const ColumnMask& b) { return a.kind < b.kind; });
  return columns;
}

}  // namespace walduct::encode
