#include "replication/capture/written_tables.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"

namespace walduct::replication {
namespace {

struct Word {
  std::string text;
  bool quoted = false;
  bool point = false;  // a single character that belongs to no name

  bool Is(absl::string_view keyword) const { return !quoted && !point && text == keyword; }
};

bool IsOfName(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || c == '_' || c == '$' || byte >= 0x80;
}

// In quotes of one kind, each doubled within; at: behind the first, then behind the last.
std::string TakeQuoted(absl::string_view sql, char quote, size_t* at) {
  std::string text;
  while (*at < sql.size()) {
    const char c = sql[(*at)++];
    if (c == quote && (*at >= sql.size() || sql[*at] != quote)) break;
    if (c == quote) ++*at;
    text += c;
  }
  return text;
}

std::vector<Word> WordsOf(absl::string_view sql) {
  std::vector<Word> words;
  for (size_t at = 0; at < sql.size();) {
    const char c = sql[at];
    if (sql.substr(at, 2) == "--") {
      at = sql.find('\n', at);
    } else if (sql.substr(at, 2) == "/*") {
      at = sql.find("*/", at);
      if (at != absl::string_view::npos) at += 2;
    } else if (c == '\'') {
      TakeQuoted(sql, '\'', &++at);
      words.push_back({.text = "'", .point = true});
    } else if (c == '"') {
      words.push_back({.text = TakeQuoted(sql, '"', &++at), .quoted = true});
    } else if (IsOfName(c)) {
      const size_t begin = at;
      while (at < sql.size() && IsOfName(sql[at])) ++at;
      words.push_back({.text = absl::AsciiStrToLower(sql.substr(begin, at - begin))});
    } else {
      if (!absl::ascii_isspace(static_cast<unsigned char>(c)))
        words.push_back({.text = std::string(1, c), .point = true});
      ++at;
    }
  }
  return words;
}

}  // namespace

bool Writes(absl::string_view statement, absl::string_view schema, absl::string_view table) {
  const std::vector<Word> words = WordsOf(statement);
  const auto is_dot = [&](size_t at) {
    return at < words.size() && words[at].point && words[at].text == ".";
  };
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const bool deletes = words[i].Is("from") && i > 0 && words[i - 1].Is("delete");
    if (!deletes && !words[i].Is("into") && !words[i].Is("update")) continue;
    size_t name = i + 1;
    if (words[name].Is("only")) ++name;
    if (name >= words.size() || words[name].point) continue;
    const bool has_schema = is_dot(name + 1) && name + 2 < words.size();
    if (has_schema ? words[name].text == schema && words[name + 2].text == table
                   : words[name].text == table)
      return true;
  }
  return false;
}

}  // namespace walduct::replication
