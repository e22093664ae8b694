// TableFilter: is schema.table captured? Rules of Debezium's RelationalTableFilters.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::names {

class TableShare;

// Which tables are captured: schema.include/exclude.list, table.include/exclude.list,
// table.ignore.builtin.
struct TableFilterOptions {
  std::shared_ptr<const java::RegexList> schema_include, schema_exclude, table_include,
      table_exclude;
  bool ignore_builtin = true;
  std::string lists;  // all of these as they are written
  bool lists_anything() const {
    return schema_include != nullptr || schema_exclude != nullptr || table_include != nullptr ||
           table_exclude != nullptr;
  }
  // "schema.table" of the signaling table, captured whatever the lists say; empty: none.
  std::string signal_table;
  // Of a connector with several slots; null: all tables are read through one.
  std::shared_ptr<TableShare> share;
};

class TableFilter {
 public:
  explicit TableFilter(TableFilterOptions options) : options_(std::move(options)) {}

  bool Includes(absl::string_view schema, absl::string_view table) const;
  // Whether it is not another slot's.
  bool Takes(Oid relation) const;
  const TableFilterOptions& options() const { return options_; }

 private:
  TableFilterOptions options_;
};

}  // namespace walduct::names
