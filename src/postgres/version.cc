#include "postgres/version.h"

#include <libpq-fe.h>

#include "absl/strings/str_cat.h"

namespace walduct::postgres {

std::string LibraryVersion() {
  const int version = PQlibVersion();
  return absl::StrCat(version / 10000, ".", version % 10000);
}

}  // namespace walduct::postgres
