// Answers of the simulated server: results as libpq has them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "postgres/connection.h"

namespace walduct::poll_simulation {

using Text = std::optional<std::string>;  // absent: NULL

postgres::Result TextRows(size_t columns, const std::vector<std::vector<Text>>& rows);
postgres::Result TextRow(const std::vector<Text>& row);

// What is in {"1","7"}, as a parameter has it.
std::vector<std::string> ArrayItems(const std::optional<std::string>& array);
std::vector<int64_t> ArrayIds(const std::optional<std::string>& array);

}  // namespace walduct::poll_simulation
