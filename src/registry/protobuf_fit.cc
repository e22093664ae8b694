#include "registry/protobuf_fit.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace walduct::registry {
namespace {

bool IsOfWord(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
}

// A text in quotes, up to the one that ends it.
size_t SizeOfText(absl::string_view rest) {
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == rest[0]) {
      return i + 1;
    }
  }
  return rest.size();
}

size_t SizeOfComment(absl::string_view rest) {
  const absl::string_view end = absl::StartsWith(rest, "//") ? "\n" : "*/";
  const size_t at = rest.find(end, 2);
  return at == absl::string_view::npos ? rest.size() : at + end.size();
}

size_t SizeOfToken(absl::string_view rest) {
  if (rest[0] == '"' || rest[0] == '\'') return SizeOfText(rest);
  size_t size = 0;
  while (size < rest.size() && IsOfWord(rest[size])) ++size;
  return std::max<size_t>(size, 1);
}

std::vector<absl::string_view> Tokens(absl::string_view rest) {
  std::vector<absl::string_view> tokens;
  while (!rest.empty()) {
    size_t size = 1;
    if (absl::StartsWith(rest, "//") || absl::StartsWith(rest, "/*")) {
      size = SizeOfComment(rest);
    } else if (!absl::ascii_isspace(static_cast<unsigned char>(rest[0]))) {
      size = SizeOfToken(rest);
      tokens.push_back(rest.substr(0, size));
    }
    rest.remove_prefix(size);
  }
  return tokens;
}

// What ends with a semicolon and says nothing of values.
bool BeginsOther(absl::string_view token) {
  return token == "option" || token == "import" || token == "package";
}

std::vector<absl::string_view> TokensOfValues(absl::string_view schema) {
  std::vector<absl::string_view> kept;
  int options = 0;  // brackets that are open
  bool other = false, begins = true;
  for (const absl::string_view token : Tokens(schema)) {
    if (begins && BeginsOther(token)) other = true;
    begins = token == ";" || token == "{" || token == "}";
    if (token == "[") ++options;
    if (options == 0 && !other) kept.push_back(token);
    if (token == "]") --options;
    if (token == ";") other = false;
  }
  return kept;
}

struct ProtobufField {
  std::string label_and_type, name;
};

struct ProtobufFields {
  // By message, "Envelope.Value", and number; members of a oneof and an enum by its name, too.
  std::map<std::pair<std::string, std::string>, ProtobufField> fields;
  std::vector<std::string> top;  // messages
  std::string syntax;

  explicit ProtobufFields(absl::string_view schema) {
    std::vector<absl::string_view> statement, scope;
    for (const absl::string_view token : TokensOfValues(schema)) {
      if (token != ";" && token != "{" && token != "}") {
        statement.push_back(token);
        continue;
      }
      if (token == "{") Open(statement, &scope);
      if (token == ";") Add(statement, scope);
      if (token == "}" && !scope.empty()) scope.pop_back();
      statement.clear();
    }
  }

  void Open(absl::Span<const absl::string_view> statement, std::vector<absl::string_view>* scope) {
    const bool named = statement.size() == 2;
    if (named && scope->empty() && statement[0] == "message") top.emplace_back(statement[1]);
    scope->push_back(named ? statement[1] : "");
  }

  void Add(absl::Span<const absl::string_view> statement,
           absl::Span<const absl::string_view> scope) {
    const size_t size = statement.size();
    if (size < 3 || statement[size - 2] != "=") return;
    if (scope.empty()) {
      if (statement[0] == "syntax") syntax = std::string(statement[size - 1]);
      return;
    }
    fields[{absl::StrJoin(scope, "."), std::string(statement[size - 1])}] = {
        absl::StrJoin(statement.subspan(0, size - 3), " "), std::string(statement[size - 3])};
  }
};

std::string TextOf(const ProtobufField& field) {
  return absl::StrCat(field.label_and_type, field.label_and_type.empty() ? "" : " ", field.name);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FitProtobuf(absl::string_view own,
                                                     absl::string_view known) {
  const ProtobufFields table(own), other(known);
  if (table.syntax != other.syntax || other.top.size() < table.top.size() ||
      !std::equal(table.top.begin(), table.top.end(), other.top.begin())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its messages are ", absl::StrJoin(other.top, ", "), " there (syntax ", other.syntax,
        "), and ", absl::StrJoin(table.top, ", "), " in the table's (", table.syntax, ")"));
  }
  std::map<std::pair<std::string, std::string>, std::string> number_of;
  for (const auto& [place, field] : other.fields)
    number_of[{place.first, field.name}] = place.second;
  std::vector<std::string> left_out;
  for (const auto& [place, field] : table.fields) {
    const auto at = other.fields.find(place);
    if (at != other.fields.end() && TextOf(at->second) != TextOf(field)) {
      return absl::InvalidArgumentError(absl::StrCat("field ", place.second, " of ", place.first,
                                                     " is '", TextOf(at->second), "' there, and '",
                                                     TextOf(field), "' in the table's"));
    }
    if (at != other.fields.end()) continue;
    const auto moved = number_of.find({place.first, field.name});
    if (moved != number_of.end()) {
      return absl::InvalidArgumentError(absl::StrCat("field ", field.name, " of ", place.first,
                                                     " has number ", moved->second, " there, and ",
                                                     place.second, " in the table's"));
    }
    left_out.push_back(absl::StrCat(place.first, ".", field.name));
  }
  return left_out;
}

}  // namespace walduct::registry
