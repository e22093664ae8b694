// TableFilter: is schema.table captured? Rules of Debezium's RelationalTableFilters.
#pragma once

#include "absl/strings/string_view.h"
#include "config/options/options.h"

namespace walduct::config {

class TableFilter {
 public:
  explicit TableFilter(TableFilterOptions options) : options_(std::move(options)) {}

  bool Includes(absl::string_view schema, absl::string_view table) const;
  const TableFilterOptions& options() const { return options_; }

 private:
  TableFilterOptions options_;
};

}  // namespace walduct::config
