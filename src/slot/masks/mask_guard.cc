#include "slot/masks/mask_guard.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/types/source_type.h"
#include "slot/masks/mask_memory.h"

namespace walduct::slot {
namespace {

using Kind = MaskLoss::Kind;

KnownColumns ColumnsIn(const event::TableSchema& schema) {
  KnownColumns known{.relation = schema.relation,
                     .schema = schema.schema,
                     .table = schema.table,
                     .columns = {},
                     .parent = schema.parent};
  known.columns.reserve(schema.columns.size());
  for (const event::Column& column : schema.columns) {
    known.columns.push_back({.attnum = column.attnum,
                             .name = column.name,
                             .of_text = encode::IsCharacterType(*column.type),
                             .comes = !column.generated});
  }
  return known;
}

bool AnyStops(const std::vector<MaskLoss>& losses) {
  return std::any_of(losses.begin(), losses.end(), [](const auto& loss) { return loss.stops(); });
}

void Append(std::vector<MaskLoss> losses, std::vector<MaskLoss>* all) {
  for (MaskLoss& loss : losses)
    if (std::find(all->begin(), all->end(), loss) == all->end()) all->push_back(std::move(loss));
}

// Named in full: each of them would stop it anew.
absl::Status ErrorOf(const std::vector<MaskLoss>& losses) {
  absl::Status error;
  std::string others;
  for (const MaskLoss& loss : losses) {
    if (!loss.stops()) continue;
    if (error.ok())
      error = LossError(loss);
    else
      absl::StrAppend(&others, others.empty() ? "" : ", ", loss.was, " is ", loss.is);
  }
  if (error.ok() || others.empty()) return error;
  return Error(error.code(), ErrorReason(error),
               absl::StrCat(error.message(), "; the same holds of others: ", others),
               ErrorHint(error));
}

}  // namespace

std::vector<MaskLoss> FindLostMasks(const std::vector<KnownColumns>& known,
                                    const std::vector<KnownColumns>& now,
                                    const ColumnCover& cover) {
  std::map<Oid, const KnownColumns*> by_oid;
  std::map<std::string, const KnownColumns*> by_name;
  for (const KnownColumns& table : known) {
    by_oid[table.relation] = &table;
    by_name[table.Key()] = &table;
  }
  std::vector<MaskLoss> losses;
  for (const KnownColumns& table : now) {
    const auto same = by_oid.find(table.relation);
    if (same != by_oid.end()) Append(FindLosses(*same->second, table, cover), &losses);
    const auto named = by_name.find(table.Key());
    if (named != by_name.end() && named->second->relation != table.relation)
      Append(FindLosses(*named->second, table, cover), &losses);
  }
  return losses;
}

absl::StatusOr<std::unique_ptr<MaskGuard>> MaskGuard::Create(ColumnCover cover,
                                                             std::vector<KnownColumns> known,
                                                             std::vector<KnownColumns> now,
                                                             engine::WarnOnce* warn_once,
                                                             FormerNames former) {
  auto guard = std::unique_ptr<MaskGuard>(new MaskGuard(std::move(cover), warn_once));
  guard->former_ = std::move(former);
  for (KnownColumns& table : known) {
    guard->by_name_[table.Key()] = table.relation;
    guard->tables_[table.relation] = std::move(table);
  }
  std::set<Oid> kept;
  std::vector<MaskLoss> all;
  std::vector<KnownColumns> learned;
  for (KnownColumns& table : now) {
    if (const auto before = guard->tables_.find(table.relation); before != guard->tables_.end())
      AddFormer(before->second, table, guard->cover_, &guard->former_);
    const std::vector<MaskLoss> losses = guard->LossesOf(table);
    Append(losses, &all);
    if (!AnyStops(losses)) {
      learned.push_back(std::move(table));
      continue;
    }
    kept.insert(table.relation);
    const auto named = guard->by_name_.find(table.Key());
    if (named != guard->by_name_.end()) kept.insert(named->second);
  }
  RETURN_IF_ERROR(guard->Take(all));
  std::erase_if(guard->tables_, [&](const auto& one) { return !kept.contains(one.first); });
  std::erase_if(guard->by_name_, [&](const auto& one) { return !kept.contains(one.second); });
  for (KnownColumns& table : learned) {
    if (!guard->cover_.Watches(table)) continue;
    guard->by_name_[table.Key()] = table.relation;
    guard->tables_[table.relation] = std::move(table);
  }
  return guard;
}

std::vector<MaskLoss> MaskGuard::LossesOf(const KnownColumns& now) const {
  std::vector<MaskLoss> losses;
  const auto same = tables_.find(now.relation);
  if (same != tables_.end()) Append(FindLosses(same->second, now, cover_), &losses);
  const auto named = by_name_.find(now.Key());
  if (same == tables_.end() && named == by_name_.end()) return LossesOfKin(now);
  if (named == by_name_.end() || named->second == now.relation) return losses;
  const auto other = tables_.find(named->second);
  if (other != tables_.end()) Append(FindLosses(other->second, now, cover_), &losses);
  return losses;
}

// A partition that is new has the columns of its siblings, and their names: before one of them
// comes with the new name, it may.
std::vector<MaskLoss> MaskGuard::LossesOfKin(const KnownColumns& now) const {
  for (const auto& [relation, table] : tables_) {
    if (now.parent == Oid{} || table.parent != now.parent) continue;
    std::vector<MaskLoss> losses = FindLosses(table, now, cover_);
    std::erase_if(losses, [](const MaskLoss& loss) { return !loss.guessed; });
    return losses;
  }
  return {};
}

absl::Status MaskGuard::Take(const std::vector<MaskLoss>& losses) const {
  if (!cover_.lost_warns()) RETURN_IF_ERROR(ErrorOf(losses));
  for (const MaskLoss& loss : losses) {
    if (loss.stops()) {
      warn_once_->Warn(LossText(loss) + " (walduct.mask.lost=warn)", ErrorHint(LossError(loss)));
    } else {
      warn_once_->Warn(LossText(loss));
    }
  }
  return absl::OkStatus();
}

absl::Status MaskGuard::Judge(const event::TableSchema& schema) {
  KnownColumns now = ColumnsIn(schema);
  std::vector<MaskLoss> losses = LossesOf(now);
  // What a stream never brings is not gone.
  const auto same = tables_.find(now.relation);
  std::erase_if(losses, [&](const MaskLoss& loss) {
    if (loss.kind != Kind::kGone || same == tables_.end()) return false;
    const std::string table = same->second.FullName();
    return std::any_of(same->second.columns.begin(), same->second.columns.end(),
                       [&](const KnownColumn& column) {
                         return !column.comes && absl::StrCat(table, ".", column.name) == loss.was;
                       });
  });
  RETURN_IF_ERROR(Take(losses));
  if (!AnyStops(losses)) Learn(now, losses);
  return absl::OkStatus();
}

void MaskGuard::Learn(const KnownColumns& now, const std::vector<MaskLoss>& losses) {
  const auto found = tables_.find(now.relation);
  if (found == tables_.end() && !cover_.Watches(now)) return;
  by_name_[now.Key()] = now.relation;
  KnownColumns& known = tables_[now.relation];
  const KnownColumns before = known;
  for (const MaskLoss& loss : losses) {
    if (loss.kind != Kind::kGone) continue;
    std::erase_if(known.columns, [&](const KnownColumn& column) {
      return absl::StrCat(before.FullName(), ".", column.name) == loss.was;
    });
  }
  known.relation = now.relation;
  known.schema = now.schema;
  known.table = now.table;
  known.parent = now.parent;
  for (const KnownColumn& column : now.columns) {
    const auto is_it = [&](const KnownColumn& one) {
      return column.attnum == 0 || one.attnum == 0 ? one.name == column.name
                                                   : one.attnum == column.attnum;
    };
    const auto one = std::find_if(known.columns.begin(), known.columns.end(), is_it);
    if (one == known.columns.end()) {
      known.columns.push_back(column);
      continue;
    }
    const int16_t attnum = column.attnum == 0 ? one->attnum : column.attnum;
    *one = column;
    one->attnum = attnum;
  }
  AddFormer(before, known, cover_, &former_);
  changed_ = changed_ || !(known == before);
}

std::vector<KnownColumns> MaskGuard::Known() const {
  std::vector<KnownColumns> known;
  known.reserve(tables_.size());
  for (const auto& [relation, table] : tables_) known.push_back(table);
  return known;
}

const std::string& MaskGuard::Member() {
  if (!changed_) return member_;
  changed_ = false;
  bool whole = true;
  member_ = EncodeMasks(tables_, cover_, former_, &whole);
  if (!whole) {
    warn_once_->Warn(
        "not all columns that are hidden go with the position: those of the last tables that are "
        "renamed while the connector is stopped lose their masks unseen");
  }
  return member_;
}

}  // namespace walduct::slot
