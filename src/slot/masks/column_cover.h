// ColumnCover: what the configuration hides of a column, and by which property. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "slot/masks/known_columns.h"

namespace walduct::encode {
struct ColumnOptions;
}
namespace walduct::route {
class MessageKeys;
}

namespace walduct::slot {

struct Cover {
  // Of two the greater hides more.
  enum class Strength { kNone, kTruncated, kMasked, kLeftOut };
  Strength strength = Strength::kNone;
  uint32_t length = 0;      // kTruncated: what is left
  bool not_wanted = false;  // kLeftOut: a list of what is wanted lacks it
  std::string property;

  // other shows what this one hides.
  bool IsWeakenedBy(const Cover& other) const;
};

class ColumnCover {
 public:
  ColumnCover(const encode::ColumnOptions& columns, const std::optional<route::MessageKeys>& keys);

  // Whether there is anything to hide, or a key to keep.
  bool any() const;
  bool lost_warns() const;
  // table: "schema.table".
  Cover Of(absl::string_view table, const KnownColumn& column) const;
  bool IsIncluded(absl::string_view table, absl::string_view column) const;
  bool has_include_list() const;
  // Of message.key.columns, as positions in the columns; empty: it does not name the table.
  std::vector<uint16_t> KeyOf(const KnownColumns& table) const;
  // Something of the table is covered, in its key by message.key.columns, or in a list of columns.
  bool Watches(const KnownColumns& table) const;

 private:
  std::shared_ptr<const encode::ColumnOptions> columns_;
  std::shared_ptr<const route::MessageKeys> keys_;  // null: none
};

}  // namespace walduct::slot
