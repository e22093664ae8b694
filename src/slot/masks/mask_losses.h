// FindLosses: which columns of a table are not hidden any more that were hidden, since they have
// got another name or type, or the table has. A column is followed by its number; where only names
// are known, as after a table was created anew, what is new under a name that nothing hides is
// taken for what is missing. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "slot/masks/column_cover.h"
#include "slot/masks/known_columns.h"

namespace walduct::slot {

struct MaskLoss {
  enum class Kind {
    kShown,     // it is published as it is
    kNotInKey,  // message.key.columns does not name it any more
    kAdmitted,  // column.include.list admits it by its new name: no loss
    kNotSent,   // column.include.list does not admit it any more: no loss
    kGone,      // it was dropped: no loss
  };
  Kind kind = Kind::kShown;
  std::string was;       // "schema.table.column"
  std::string is;        // the same; empty: kGone
  bool retyped = false;  // kShown: the name is as it was
  bool guessed = false;  // by its name alone
  std::string property;
  std::string entry = {};  // what names `is` in a list, or in message.key.columns

  // Going on shows what was hidden, or gives rows other keys.
  bool stops() const { return kind == Kind::kShown || kind == Kind::kNotInKey; }
  bool operator==(const MaskLoss&) const = default;
};

// before and now: one table, or two that had one name.
std::vector<MaskLoss> FindLosses(const KnownColumns& before, const KnownColumns& now,
                                 const ColumnCover& cover);

// One that stops: FailedPrecondition mask_lost with what to type.
absl::Status LossError(const MaskLoss& loss);
// One that does not, or need not: for the log.
std::string LossText(const MaskLoss& loss);

}  // namespace walduct::slot
