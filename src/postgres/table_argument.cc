#include "postgres/table_argument.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "postgres/connection.h"

namespace walduct::postgres {
namespace {

// Neither a shell nor a regular expression sees more in it than letters.
bool IsPlain(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || absl::ascii_isalnum(static_cast<unsigned char>(c));
  });
}

}  // namespace

std::string TableArgument(absl::string_view schema, absl::string_view table) {
  if (IsPlain(schema) && IsPlain(table)) return absl::StrCat(schema, ".", table);
  const std::string quoted = QuoteQualified(schema, table);
  return absl::StrCat("'", absl::StrReplaceAll(quoted, {{"'", R"('\'')"}}), "'");
}

}  // namespace walduct::postgres
