#include "registry/protobuf_shape.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

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

}  // namespace

std::string ProtobufShape(absl::string_view schema) {
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
  return absl::StrJoin(kept, " ");
}

}  // namespace walduct::registry
