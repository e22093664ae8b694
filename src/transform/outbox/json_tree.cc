#include "transform/outbox/json_tree.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace walduct::transform {
namespace {

// Jackson's limits.
constexpr int kMaxDepth = 1000;
constexpr size_t kMaxDigits = 1000;  // of a number, all its parts

// \uXXXX at text[0]; with its pair where it is one. Consumes it.
bool ReadUnicode(absl::string_view* text, std::string* out) {
  uint32_t code = 0;
  if (text->size() < 6 || !absl::SimpleHexAtoi(text->substr(2, 4), &code)) return false;
  text->remove_prefix(6);
  uint32_t low = 0;
  const bool first = IsHighSurrogate(code);
  if (first && text->size() >= 6 && absl::StartsWith(*text, "\\u") &&
      absl::SimpleHexAtoi(text->substr(2, 4), &low) && IsLowSurrogate(low)) {
    code = JoinSurrogates(code, low);
    text->remove_prefix(6);
  }
  AppendUtf8(code, out);
  return true;
}

// The text of a JSON string, appended to *out. False: not a string.
bool JsonText(absl::string_view json, std::string* out) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return false;
  json = json.substr(1, json.size() - 2);
  while (!json.empty()) {
    const size_t plain = std::min(json.find('\\'), json.size());
    out->append(json.data(), plain);
    json.remove_prefix(plain);
    if (json.empty()) break;
    if (json.size() < 2) return false;
    constexpr absl::string_view kNames = "bfnrt", kSigns = "\b\f\n\r\t";
    const size_t short_form = kNames.find(json[1]);
    if (json[1] == 'u') {
      if (!ReadUnicode(&json, out)) return false;
      continue;
    }
    out->push_back(short_form == absl::string_view::npos ? json[1] : kSigns[short_form]);
    json.remove_prefix(2);
  }
  return true;
}

// By hand: RapidJSON refuses what Jackson takes, half of a surrogate pair (\ud800) and a number
// that no double holds (1e400).
class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::Status Parse(JsonTree* out) {
    SkipSpace();
    const char first = Peek();
    if (first == '{') return ParseObject(out);
    if (first == '[') return ParseArray(out);
    if (first == '"') {
      out->kind = JsonTree::Kind::kText;
      return ParseString(&out->text);
    }
    if (first == '-' || absl::ascii_isdigit(static_cast<unsigned char>(first)))
      return ParseNumber(out);
    return ParseWord(out);
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') ++at_;
  }

  static absl::Status Wrong() {
    return Error(absl::StatusCode::kInvalidArgument, "bad_json", "is not valid JSON");
  }

  bool Take(char wanted) {
    SkipSpace();
    if (Peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  absl::Status ParseObject(JsonTree* out) {
    out->kind = JsonTree::Kind::kObject;
    if (++depth_ > kMaxDepth) return Wrong();
    ++at_;
    if (Take('}')) return Close();
    MemberIndex index(*out);
    do {
      SkipSpace();
      std::string name;
      RETURN_IF_ERROR(ParseString(&name));
      if (!Take(':')) return Wrong();
      JsonTree value;
      RETURN_IF_ERROR(Parse(&value));
      if (const size_t same = index.Find(name); same < out->members.size()) {
        out->members[same].value = std::move(value);
      } else {
        out->members.push_back({std::move(name), std::move(value)});
      }
    } while (Take(','));
    return Take('}') ? Close() : Wrong();
  }

  absl::Status ParseArray(JsonTree* out) {
    out->kind = JsonTree::Kind::kArray;
    if (++depth_ > kMaxDepth) return Wrong();
    ++at_;
    if (Take(']')) return Close();
    do {
      out->items.emplace_back();
      RETURN_IF_ERROR(Parse(&out->items.back()));
    } while (Take(','));
    return Take(']') ? Close() : Wrong();
  }

  absl::Status Close() {
    --depth_;
    return absl::OkStatus();
  }

  absl::Status ParseString(std::string* out) {
    if (Peek() != '"') return Wrong();
    const size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return Wrong();
      if (text_[at_++] != '\\') continue;
      const char escape = Peek();
      if (escape == '\0' || !absl::StrContains("\"\\/bfnrtu", absl::string_view(&escape, 1)))
        return Wrong();
      ++at_;
      for (int digit = 0; escape == 'u' && digit < 4; ++digit, ++at_) {
        if (!absl::ascii_isxdigit(static_cast<unsigned char>(Peek()))) return Wrong();
      }
    }
    if (at_ >= text_.size()) return Wrong();
    ++at_;
    return JsonText(text_.substr(start, at_ - start), out) ? absl::OkStatus() : Wrong();
  }

  size_t SkipDigits() {
    const size_t start = at_;
    while (absl::ascii_isdigit(static_cast<unsigned char>(Peek()))) ++at_;
    return at_ - start;
  }

  bool CountDigits(size_t* digits) {
    const size_t more = SkipDigits();
    *digits += more;
    return more > 0;
  }

  absl::Status ParseNumber(JsonTree* out) {
    const size_t start = at_;
    if (Peek() == '-') ++at_;
    const bool zero = Peek() == '0';
    size_t digits = SkipDigits();
    if (digits == 0 || (zero && digits > 1)) return Wrong();
    if (Peek() == '.') {
      ++at_;
      if (!CountDigits(&digits)) return Wrong();
    }
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      if (!CountDigits(&digits)) return Wrong();
    }
    if (digits > kMaxDigits) return Wrong();
    out->kind = JsonTree::Kind::kNumber;
    out->text = std::string(text_.substr(start, at_ - start));
    return absl::OkStatus();
  }

  absl::Status ParseWord(JsonTree* out) {
    const absl::string_view rest = text_.substr(at_);
    for (const absl::string_view word : {"null", "true", "false"}) {
      if (!absl::StartsWith(rest, word)) continue;
      out->kind = word == "null" ? JsonTree::Kind::kNull : JsonTree::Kind::kBoolean;
      out->boolean = word == "true";
      at_ += word.size();
      return absl::OkStatus();
    }
    return Wrong();
  }

  const absl::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

size_t MemberIndex::Find(absl::string_view name) {
  const std::vector<NamedTree>& members = object_.members;
  if (next_ < members.size() && members[next_].name == name) return next_++;
  if (members.size() <= kFew) {
    for (next_ = 0; next_ < members.size(); ++next_) {
      if (members[next_].name == name) return next_++;
    }
    return kNone;
  }
  for (; indexed_ < members.size(); ++indexed_) places_.emplace(members[indexed_].name, indexed_);
  const auto found = places_.find(name);
  if (found == places_.end()) return kNone;
  next_ = found->second + 1;
  return found->second;
}

absl::StatusOr<JsonTree> ParseJsonTree(absl::string_view text) {
  JsonTree tree;
  RETURN_IF_ERROR(Parser(text).Parse(&tree));
  return tree;
}

}  // namespace walduct::transform
