// KnownColumns: the columns of a table as they were when somebody looked, by the numbers that they
// keep whatever they are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/lsn.h"
#include "postgres/table_key.h"

namespace walduct::slot {

struct KnownColumn {
  int16_t attnum = 0;  // 0: not known
  std::string name;
  bool of_text = true;  // of a type that masks apply to
  // A stream that lacks it tells of a drop: it is neither generated nor left out by a list.
  bool comes = false;
  bool operator==(const KnownColumn&) const = default;
};

struct KnownColumns {
  Oid relation{};
  std::string schema, table;
  std::vector<KnownColumn> columns;
  Oid parent{};  // of a partition; 0: it is none, or not known

  std::string Key() const { return postgres::TableKey(schema, table); }
  std::string FullName() const { return absl::StrCat(schema, ".", table); }
  bool operator==(const KnownColumns&) const = default;
};

}  // namespace walduct::slot
