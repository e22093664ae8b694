// Quoting of identifiers and literals; declared in connection.h. Done here instead of by libpq, so
// that it needs no connection: every session of ours has client_encoding UTF8, in which no byte of
// a longer character is a quote.
#include "absl/strings/str_cat.h"
#include "postgres/connection.h"

namespace walduct::postgres {
namespace {

std::string Doubled(absl::string_view text, char quote) {
  std::string out;
  out.reserve(text.size() + 2);
  out.push_back(quote);
  for (const char c : text) {
    if (c == quote) out.push_back(quote);
    out.push_back(c);
  }
  out.push_back(quote);
  return out;
}

}  // namespace

std::string QuoteIdentifier(absl::string_view name) { return Doubled(name, '"'); }

std::string QuoteQualified(absl::string_view schema, absl::string_view name) {
  return absl::StrCat(QuoteIdentifier(schema), ".", QuoteIdentifier(name));
}

// A backslash is an ordinary character, as standard_conforming_strings and the replication grammar
// have it.
std::string QuoteLiteral(absl::string_view text) { return Doubled(text, '\''); }

}  // namespace walduct::postgres
