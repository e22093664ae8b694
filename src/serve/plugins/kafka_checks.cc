// Source: common/config/ConfigDef.java, connect/runtime/ConnectorConfig.java (Kafka 4.3).
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "java/regex/regex.h"
#include "java/text/number_text.h"
#include "serve/plugins/checks.h"

namespace walduct::serve {
namespace {

// A value that has its type, as Connect prints it.
struct Parsed {
  std::string text;
  std::vector<std::string> list;  // of a list
};

bool ParseWhole(absl::string_view text, int64_t least, int64_t most, std::string* printed) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < least || number > most) return false;
  *printed = absl::StrCat(number);
  return true;
}

// "": it has its type.
std::string ParseNumber(const std::string& type, absl::string_view text, std::string* printed) {
  bool good = true;
  if (type == "INT") {
    good = ParseWhole(text, std::numeric_limits<int32_t>::min(),
                      std::numeric_limits<int32_t>::max(), printed);
  } else if (type == "SHORT") {
    good = ParseWhole(text, std::numeric_limits<int16_t>::min(),
                      std::numeric_limits<int16_t>::max(), printed);
  } else if (type == "LONG") {
    good = ParseWhole(text, std::numeric_limits<int64_t>::min(),
                      std::numeric_limits<int64_t>::max(), printed);
  } else if (type == "DOUBLE") {
    double number = 0;
    good = absl::SimpleAtod(text, &number);
    printed->clear();
    if (good) java::AppendDouble(number, printed);
  }
  return good ? "" : absl::StrCat("Not a number of type ", type);
}

// Kafka trims every value.
std::string Parse(const std::string& type, absl::string_view given, Parsed* parsed) {
  const absl::string_view text = absl::StripAsciiWhitespace(given);
  parsed->text = std::string(text);
  if (type == "BOOLEAN") {
    parsed->text = absl::AsciiStrToLower(text);
    const bool good = parsed->text == "true" || parsed->text == "false";
    return good ? "" : "Expected value to be either true or false";
  }
  if (type == "LIST") {
    parsed->list = KafkaList(text);
    parsed->text = absl::StrJoin(parsed->list, ",");
  }
  return ParseNumber(type, text, &parsed->text);
}

// The control characters of ISO 8859-1, as Character.isISOControl knows them.
std::vector<int> ControlCharacters(absl::string_view text) {
  std::vector<int> found;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) found.push_back(byte);
    if (byte != 0xc2 || i + 1 == text.size()) continue;
    const auto next = static_cast<unsigned char>(text[i + 1]);
    if (next >= 0x80 && next < 0xa0) found.push_back(next);
  }
  return found;
}

std::string TextReason(const Parsed* value) {
  if (value == nullptr) return "";
  if (value->text.empty()) return "String may not be empty";
  const std::vector<int> found = ControlCharacters(value->text);
  if (found.empty()) return "";
  return absl::StrCat(
      "String may not contain control sequences but had the following ASCII chars: ",
      absl::StrJoin(found, ", "));
}

std::string LeastReason(const Parsed* value, int64_t least) {
  int64_t number = 0;
  if (value == nullptr || !absl::SimpleAtoi(value->text, &number) || number >= least) return "";
  return absl::StrCat("Value must be at least ", least);
}

std::string RegexReason(const Parsed* value) {
  if (value == nullptr) return "Invalid regex: null";
  const auto regex = java::Regex::Compile(value->text, {});
  if (regex.ok()) return "";
  return absl::StrCat("Invalid regex: ", JavaPatternError(value->text, regex.status().message()));
}

std::string AliasReason(const Parsed* value) {
  if (value == nullptr) return "entry must be non null";
  const std::set<std::string> names(value->list.begin(), value->list.end());
  return names.size() == value->list.size() ? "" : "Duplicate alias provided.";
}

std::string RenameReason(const Parsed* value) {
  if (value == nullptr) return "";
  for (const std::string& one : value->list) {
    const std::vector<absl::string_view> parts = absl::StrSplit(one, ':');
    if (parts.size() != 2) return absl::StrCat("Invalid rename mapping: ", one);
  }
  return "";
}

bool IsOneOf(const Parsed* value, const std::vector<std::string>& allowed, bool exactly) {
  return value != nullptr &&
         std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
           return exactly ? one == value->text : absl::EqualsIgnoreCase(one, value->text);
         });
}

// Why, behind "Invalid value V for configuration KEY: ".
std::string Reason(absl::string_view check, const Parsed* value) {
  if (check == "ktext") return TextReason(value);
  if (check == "kmin0") return LeastReason(value, 0);
  if (check == "kmin1") return value == nullptr ? "Value must be non-null" : LeastReason(value, 1);
  if (check == "kregex") return RegexReason(value);
  if (check == "kaliases") return AliasReason(value);
  if (check == "krenames") return RenameReason(value);
  if (check == "knonnull") return value == nullptr ? "entry must be non null" : "";
  if (check == "knonempty")
    return value != nullptr && value->text.empty() ? "String must be non-empty" : "";
  if (check == "kitems") return value == nullptr || value->list.empty() ? "Empty list" : "";
  if (absl::ConsumePrefix(&check, "kin:")) {
    const bool good = IsOneOf(value, absl::StrSplit(check, ", "), true);
    return good ? "" : absl::StrCat("String must be one of: ", check);
  }
  if (absl::ConsumePrefix(&check, "kone:")) {
    const bool good = IsOneOf(value, absl::StrSplit(check, ", "), false);
    return good ? "" : absl::StrCat("Value must be one of ", check);
  }
  if (absl::ConsumePrefix(&check, "kenum:")) {
    const std::vector<std::string> allowed = absl::StrSplit(check, '|');
    if (IsOneOf(value, allowed, false)) return "";
    return absl::StrCat("String must be one of (case insensitive): ",
                        absl::AsciiStrToUpper(absl::StrJoin(allowed, ", ")));
  }
  return "";
}

// Of a list whose items are texts, each once: a sentence of its own.
std::string ListSentence(absl::string_view name, bool may_be_empty, const Parsed* value) {
  const auto sentence = [name](absl::string_view says) {
    return absl::StrCat("Configuration '", name, "' ", says);
  };
  if (value == nullptr) return sentence("values must not be null.");
  if (value->list.empty()) {
    return may_be_empty ? ""
                        : sentence("must not be empty. Valid values include: any non-empty value");
  }
  const std::set<std::string> items(value->list.begin(), value->list.end());
  if (items.size() != value->list.size()) return sentence("values must not be duplicated.");
  return items.contains("") ? sentence("values must not be empty.") : "";
}

// Of one type that values are cast to, in the words of Cast.
std::string CastTypeSentence(absl::string_view given) {
  constexpr absl::string_view kTypes[] = {"INT8",    "INT16",   "INT32",   "INT64",
                                          "FLOAT32", "FLOAT64", "BOOLEAN", "STRING"};
  constexpr absl::string_view kOthers[] = {"BYTES", "ARRAY", "MAP", "STRUCT"};
  const absl::string_view word = absl::StripAsciiWhitespace(given);
  const std::string type = absl::AsciiStrToUpper(word);
  if (std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes)) return "";
  if (std::find(std::begin(kOthers), std::end(kOthers), type) != std::end(kOthers)) {
    return absl::StrCat("Cast transformation does not support casting to ", type,
                        "; supported types are [", absl::StrJoin(kTypes, ", "), "]");
  }
  return absl::StrCat(
      "Invalid value java.lang.IllegalArgumentException: No enum constant "
      "org.apache.kafka.connect.data.Schema.Type.",
      type, " for configuration Invalid type found in casting spec: ", word);
}

// Of a list of field:type, or one type.
std::string CastSentence(const Parsed* value) {
  if (value == nullptr || value->list.empty()) return "Must specify at least one field to cast.";
  bool whole = false;
  for (const std::string& one : value->list) {
    std::vector<absl::string_view> parts = absl::StrSplit(one, ':');
    while (parts.size() > 1 && parts.back().empty()) parts.pop_back();  // as Java splits
    if (parts.size() > 2) {
      return absl::StrCat("Invalid value [", absl::StrJoin(value->list, ", "),
                          "] for configuration renames: Invalid rename mapping: ", one);
    }
    whole = whole || parts.size() == 1;
    std::string sentence = CastTypeSentence(parts.back());
    if (!sentence.empty()) return sentence;
  }
  return whole && value->list.size() > 1
             ? "Cast transformations that specify a type to cast the entire value to may only "
               "specify a single cast in their spec"
             : "";
}

std::string Shown(const Definition& definition, const Parsed* value) {
  if (value == nullptr) return "null";
  if (definition.type != "LIST") return value->text;
  return absl::StrCat("[", absl::StrJoin(value->list, ", "), "]");
}

// A check's whole sentence; "" when the value is fine.
std::string Sentence(const Definition& definition, absl::string_view check,
                     const std::string& checked_as, const Parsed* value) {
  if (check == "klist") return ListSentence(checked_as, false, value);
  if (check == "kmaylist") return ListSentence(checked_as, true, value);
  if (check == "kcast") return CastSentence(value);
  const std::string reason = Reason(check, value);
  if (reason.empty()) return "";
  return absl::StrCat("Invalid value ", Shown(definition, value), " for configuration ", checked_as,
                      ": ", reason);
}

}  // namespace

std::vector<std::string> KafkaList(absl::string_view value) {
  const absl::string_view text = absl::StripAsciiWhitespace(value);
  std::vector<std::string> list;
  if (text.empty()) return list;
  for (const absl::string_view one : absl::StrSplit(text, ','))
    list.emplace_back(absl::StripAsciiWhitespace(one));
  return list;
}

KafkaVerdict JudgeKafka(const Definition& definition, const KafkaNames& names,
                        const ConfigMap& config) {
  KafkaVerdict verdict;
  const bool given = HasKey(config, definition.name);
  const std::string* value = FindValue(config, definition.name);
  if (!given && definition.default_value) value = &*definition.default_value;
  Parsed parsed;
  std::string wrong;
  if (value != nullptr) wrong = Parse(definition.type, *value, &parsed);
  if (!given && !definition.default_value && definition.required) {
    verdict.errors.push_back(absl::StrCat("Missing required configuration \"", definition.name,
                                          "\" which has no default value."));
  } else if (!wrong.empty()) {
    verdict.errors.push_back(
        absl::StrCat("Invalid value ", *value, " for configuration ", names.typed_as, ": ", wrong));
  }
  const bool has_value = value != nullptr && wrong.empty();
  if (has_value) verdict.value = parsed.text;
  // They are asked, too, where there is no value.
  for (const std::string& check : definition.checks) {
    std::string sentence =
        Sentence(definition, check, names.checked_as, has_value ? &parsed : nullptr);
    if (!sentence.empty()) verdict.errors.push_back(std::move(sentence));
  }
  return verdict;
}

}  // namespace walduct::serve
