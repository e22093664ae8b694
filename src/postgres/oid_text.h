// OIDs as the text that query parameters and results carry.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::postgres {

// 0 for anything that is not a number: only the server's own columns of type oid are read with it.
inline Oid ParseOid(absl::string_view text) {
  uint32_t value = 0;
  return absl::SimpleAtoi(text, &value) ? Oid{value} : Oid{0};
}

inline int32_t ParseInt(absl::string_view text, int32_t otherwise) {
  int32_t value = 0;
  return absl::SimpleAtoi(text, &value) ? value : otherwise;
}

// "{1,2,3}", a parameter of type oid[].
inline std::string OidArray(const std::vector<Oid>& oids) {
  std::string out = "{";
  for (const Oid oid : oids) absl::StrAppend(&out, out.size() > 1 ? "," : "", ToInteger(oid));
  out.push_back('}');
  return out;
}

}  // namespace walduct::postgres
