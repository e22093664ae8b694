#include "postgres/shared_session.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace walduct::postgres {
namespace {

std::string Assign(absl::string_view set, const SessionSettings& settings) {
  std::string sql;
  for (const auto& [name, value] : settings)
    absl::StrAppend(&sql, set, name, " = ", QuoteLiteral(value), "; ");
  return sql;
}

// Whatever standard_conforming_strings is: the whole message is read before it is set.
std::string Literal(const std::optional<std::string>& value) {
  if (!value) return "NULL";
  std::string literal = value->find('\\') == std::string::npos ? "'" : " E'";
  for (const char c : *value) {
    if (c == '\'' || c == '\\') literal.push_back(c);
    literal.push_back(c);
  }
  literal.push_back('\'');
  return literal;
}

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Of a literal in which a backslash escapes.
size_t EscapedLength(absl::string_view rest) {
  size_t end = 1;
  while (end < rest.size() && rest[end] != '\'') end += rest[end] == '\\' ? 2 : 1;
  return std::min(end + 1, rest.size());
}

// What begins at `at` and is no SQL but text, up to its end; 0: nothing of the kind.
size_t TextLength(absl::string_view sql, size_t at) {
  const absl::string_view rest = sql.substr(at);
  const bool in_word = at > 0 && IsWord(sql[at - 1]);
  const auto until = [&](absl::string_view end, size_t from) {
    const size_t found = rest.find(end, from);
    return found == absl::string_view::npos ? rest.size() : found + end.size();
  };
  switch (rest.front()) {
    case '\'':
      if (in_word && (at == 1 || !IsWord(sql[at - 2])) &&
          (sql[at - 1] == 'e' || sql[at - 1] == 'E'))
        return EscapedLength(rest);
      return until("'", 1);
    case '"':
      return until(rest.substr(0, 1), 1);
    case '-':
      return rest.substr(0, 2) == "--" ? until("\n", 2) : 0;
    case '/':
      return rest.substr(0, 2) == "/*" ? until("*/", 2) : 0;
    case '$': {
      size_t end = 1;
      while (end < rest.size() && IsWord(rest[end])) ++end;
      const bool tag = end < rest.size() && rest[end] == '$' &&
                       !absl::ascii_isdigit(static_cast<unsigned char>(rest[1]));
      return tag && !in_word ? until(rest.substr(0, end + 1), end + 1) : 0;
    }
    default:
      return 0;
  }
}

size_t DigitsAt(absl::string_view sql, size_t at) {
  size_t end = at;
  while (end < sql.size() && absl::ascii_isdigit(static_cast<unsigned char>(sql[end]))) ++end;
  return end - at;
}

}  // namespace

std::string SetInTransaction(const SessionSettings& settings) {
  return Assign("SET LOCAL ", settings);
}

std::string SetInSession(const SessionSettings& settings) { return Assign("SET ", settings); }

void Replace(absl::string_view name, absl::string_view value, SessionSettings* settings) {
  const auto found = std::find_if(settings->begin(), settings->end(),
                                  [&](const auto& setting) { return setting.first == name; });
  if (found == settings->end()) {
    settings->emplace_back(name, value);
  } else {
    found->second = std::string(value);
  }
}

std::string AsLocal(absl::string_view statement) {
  const auto take = [&statement](absl::string_view word) {
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(statement);
    if (!absl::StartsWithIgnoreCase(rest, word)) return false;
    rest.remove_prefix(word.size());
    if (rest.empty() || !absl::ascii_isspace(static_cast<unsigned char>(rest.front())))
      return false;
    statement = absl::StripLeadingAsciiWhitespace(rest);
    return true;
  };
  if (!take("SET") || take("TRANSACTION")) return "";
  take("LOCAL");
  if (absl::StartsWithIgnoreCase(statement, "SESSION CHARACTERISTICS")) return "";
  if (!absl::StartsWithIgnoreCase(statement, "SESSION AUTHORIZATION")) take("SESSION");
  return absl::StrCat("SET LOCAL ", statement, "; ");
}

std::string WithLiterals(absl::string_view sql,
                         const std::vector<std::optional<std::string>>& parameters) {
  std::string out;
  size_t at = 0;
  while (at < sql.size()) {
    const size_t text = TextLength(sql, at);
    const bool begins = sql[at] == '$' && (at == 0 || !IsWord(sql[at - 1]));
    const size_t digits = text == 0 && begins ? DigitsAt(sql, at + 1) : 0;
    size_t number = 0;
    if (digits > 0 && absl::SimpleAtoi(sql.substr(at + 1, digits), &number) && number > 0 &&
        number <= parameters.size()) {
      out += Literal(parameters[number - 1]);
      at += 1 + digits;
    } else {
      const size_t length = std::max<size_t>(text, 1);
      absl::StrAppend(&out, sql.substr(at, length));
      at += length;
    }
  }
  return out;
}

}  // namespace walduct::postgres
