#include "postgres/table_key.h"

#include "absl/strings/str_cat.h"
#include "postgres/connection.h"

namespace walduct::postgres {

std::string TableKey(absl::string_view schema, absl::string_view table) {
  const bool is_plain = schema.find_first_of(".\"") == absl::string_view::npos;
  return absl::StrCat(is_plain ? std::string(schema) : QuoteIdentifier(schema), ".", table);
}

}  // namespace walduct::postgres
