// SmallerChange: a change whose largest values give way, one after the other, to the placeholder of
// values that were not sent. The key stays. For a record that is too large; allocates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "event/emission.h"

namespace walduct::delivery {

class SmallerChange {
 public:
  explicit SmallerChange(const event::Emission& emission);
  SmallerChange(const SmallerChange&) = delete;
  SmallerChange& operator=(const SmallerChange&) = delete;

  // False: nothing is left that would make a difference.
  bool Shrink();
  const event::Emission& emission() const { return emission_; }
  // What was replaced: "before.note, after.note".
  const std::string& columns() const { return columns_; }

 private:
  struct Row {
    absl::string_view name;
    std::vector<event::Value> values;
  };
  struct Place {
    Row* row = nullptr;
    size_t column = 0;
  };
  std::optional<Place> FindLargest();
  bool IsKey(size_t column) const;

  event::Emission emission_;
  event::ChangeEvent change_;
  Row before_{.name = "before", .values = {}};
  Row after_{.name = "after", .values = {}};
  std::string columns_;
};

}  // namespace walduct::delivery
