#include "config/files/quarkus_expression.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::config {
namespace {

constexpr int kMaxDepth = 16;

absl::Status Unexpanded(absl::string_view message, absl::string_view hint) {
  return Error(absl::StatusCode::kInvalidArgument, "unresolved_reference", message, hint);
}

// The '}' that ends the expression at text[begin] == '$'; npos: none.
size_t FindEnd(absl::string_view text, size_t begin) {
  int depth = 0;
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return absl::string_view::npos;
}

bool IsProvider(absl::string_view name) {
  return name == "env" || name == "file" || name == "directory" || name == "dir";
}

class Expander {
 public:
  explicit Expander(const PropertyLookup& lookup) : lookup_(lookup) {}

  absl::StatusOr<ExpandedText> Expand(absl::string_view text, int depth) const {
    if (depth > kMaxDepth)
      return Unexpanded("its expressions are nested too deep, or need each other",
                        "write the value itself");
    ExpandedText out;
    for (size_t at = 0; at < text.size();) {
      const size_t begin = text.find('$', at);
      if (begin == absl::string_view::npos) {
        Append(text.substr(at), &out);
        break;
      }
      if (begin > at && text[begin - 1] == '\\') {
        // What a backslash goes before is text, and the backslash is gone.
        Append(text.substr(at, begin - 1 - at), &out);
        Append("$", &out);
        at = begin + 1;
        continue;
      }
      Append(text.substr(at, begin - at), &out);
      ASSIGN_OR_RETURN(at, ExpandOne(text, begin, depth, &out));
    }
    return out;
  }

 private:
  static void Append(absl::string_view text, ExpandedText* out) {
    absl::StrAppend(&out->value, text);
    absl::StrAppend(&out->shown, text);
  }

  // What begins at text[begin] == '$'; gives where the text goes on.
  absl::StatusOr<size_t> ExpandOne(absl::string_view text, size_t begin, int depth,
                                   ExpandedText* out) const {
    const absl::string_view rest = text.substr(begin);
    if (absl::StartsWith(rest, "$${")) {
      Append("${", out);
      return begin + 3;
    }
    const size_t end =
        absl::StartsWith(rest, "${") ? FindEnd(text, begin) : absl::string_view::npos;
    if (end == absl::string_view::npos) {
      Append("$", out);
      return begin + 1;
    }
    const absl::string_view body = text.substr(begin + 2, end - begin - 2);
    const size_t colon = body.find(':');
    const absl::string_view name = body.substr(0, colon);
    const bool has_default = colon != absl::string_view::npos;
    std::optional<std::string> found = lookup_(name);
    if (!found && has_default && IsProvider(name)) {
      Append(text.substr(begin, end + 1 - begin), out);
      return end + 1;
    }
    if (!found && has_default) found = std::string(body.substr(colon + 1));
    if (!found)
      return Unexpanded(
          absl::StrCat("'${", name, "}': there is no variable and no property '", name, "'"),
          absl::StrCat("export ", VariableName(name), ", or write ${", name, ":default}"));
    ASSIGN_OR_RETURN(const ExpandedText expanded, Expand(*found, depth + 1));
    absl::StrAppend(&out->value, expanded.value);
    absl::StrAppend(&out->shown, "${", name, "}");
    return end + 1;
  }

  const PropertyLookup& lookup_;
};

}  // namespace

std::string VariableName(absl::string_view property) {
  std::string name = absl::AsciiStrToUpper(property);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !absl::ascii_isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

absl::StatusOr<ExpandedText> ExpandExpressions(absl::string_view text,
                                               const PropertyLookup& lookup) {
  return Expander(lookup).Expand(text, 0);
}

}  // namespace walduct::config
