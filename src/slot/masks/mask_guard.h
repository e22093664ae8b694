// MaskGuard: sees to it that what the configuration hides stays hidden when a column, or its table,
// gets another name, or the column a type that masks do not apply to. It knows the columns of
// captured tables by their numbers, from the catalog as of the start; what an earlier process knew
// goes with the stored position, as walduct_masks (mask_memory.h). Each description of a table is
// judged before the first record by it, wherever its rows come from.
//
// The configuration counts as it is now: who takes an entry out of it does not want it any more.
// With walduct.mask.lost=warn what is lost is said, once a process, and stays known as it was, so
// that the next start says it again. Data thread only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/errors/warn_once.h"
#include "event/table_schema.h"
#include "slot/masks/column_cover.h"
#include "slot/masks/former_names.h"
#include "slot/masks/known_columns.h"
#include "slot/masks/mask_losses.h"

namespace walduct::slot {

// What was known of the tables, beside what they are now: those of one OID, and those of one name.
std::vector<MaskLoss> FindLostMasks(const std::vector<KnownColumns>& known,
                                    const std::vector<KnownColumns>& now, const ColumnCover& cover);

class MaskGuard {
 public:
  // known, former: what an earlier process knew of tables of this system. now: captured tables,
  // those among them that are watched or known. warn_once is borrowed.
  //   FailedPrecondition mask_lost  something is not hidden any more
  static absl::StatusOr<std::unique_ptr<MaskGuard>> Create(ColumnCover cover,
                                                           std::vector<KnownColumns> known,
                                                           std::vector<KnownColumns> now,
                                                           engine::WarnOnce* warn_once,
                                                           FormerNames former = {});

  // FailedPrecondition mask_lost: its rows must not be published.
  absl::Status Judge(const event::TableSchema& schema);

  // What was known at the start, and renames that have come since.
  const FormerNames& former() const { return former_; }
  // The tables that are watched.
  std::vector<KnownColumns> Known() const;
  // The member of a position, as JSON; empty: there is nothing to remember.
  const std::string& Member();

 private:
  MaskGuard(ColumnCover cover, engine::WarnOnce* warn_once)
      : cover_(std::move(cover)), warn_once_(warn_once) {}

  std::vector<MaskLoss> LossesOf(const KnownColumns& now) const;
  std::vector<MaskLoss> LossesOfKin(const KnownColumns& now) const;
  absl::Status Take(const std::vector<MaskLoss>& losses) const;
  void Learn(const KnownColumns& now, const std::vector<MaskLoss>& losses);

  const ColumnCover cover_;
  engine::WarnOnce* const warn_once_;
  std::map<Oid, KnownColumns> tables_;  // those that are watched
  std::map<std::string, Oid> by_name_;  // who has the name, or had it last
  FormerNames former_;
  bool changed_ = true;
  std::string member_;
};

}  // namespace walduct::slot
