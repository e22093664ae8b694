#include "slot/masks/mask_losses.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/error.h"

namespace walduct::slot {
namespace {

using Kind = MaskLoss::Kind;

constexpr char kKeys[] = "message.key.columns";
constexpr char kExcluded[] = "column.exclude.list";

// As an entry of a list names it: letters of regular expressions are taken as they are.
std::string EntryFor(absl::string_view text) {
  std::string entry;
  for (const char c : text) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
                       static_cast<signed char>(c) < 0;
    if (!plain) entry += '\\';
    entry += c;
  }
  return entry;
}

const KnownColumn* ByName(const KnownColumns& table, absl::string_view name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const KnownColumn& column) { return column.name == name; });
  return found == table.columns.end() ? nullptr : &*found;
}

const KnownColumn* ByNumber(const KnownColumns& table, int16_t attnum) {
  if (attnum == 0) return nullptr;
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const KnownColumn& column) { return column.attnum == attnum; });
  return found == table.columns.end() ? nullptr : &*found;
}

class Finder {
 public:
  Finder(const KnownColumns& before, const KnownColumns& now, const ColumnCover& cover)
      : before_(before),
        now_(now),
        cover_(cover),
        before_name_(before.FullName()),
        now_name_(now.FullName()),
        same_table_(before.relation == now.relation) {}

  std::vector<MaskLoss> Find() && {
    for (size_t i = 0; i < before_.columns.size(); ++i) Judge(i);
    JudgeKey();
    return std::move(losses_);
  }

 private:
  std::string Was(const KnownColumn& column) const {
    return absl::StrCat(before_name_, ".", column.name);
  }
  std::string Is(const KnownColumn& column) const {
    return absl::StrCat(now_name_, ".", column.name);
  }

  // The column of that number, or of that name where its number says nothing.
  const KnownColumn* Follow(const KnownColumn& column) const {
    if (same_table_) {
      if (const KnownColumn* same = ByNumber(now_, column.attnum)) return same;
    }
    const KnownColumn* named = ByName(now_, column.name);
    const bool other = same_table_ && named != nullptr && named->attnum != 0 && column.attnum != 0;
    return other ? nullptr : named;
  }

  // What may be the missing column: nobody has seen its name, and its number is not known or says
  // nothing.
  template <class Weaker>
  const KnownColumn* Suspect(const KnownColumn& column, Weaker weaker) const {
    for (const KnownColumn& other : now_.columns) {
      const bool numbered = same_table_ && other.attnum != 0 && column.attnum != 0;
      if (!numbered && ByName(before_, other.name) == nullptr && weaker(other)) return &other;
    }
    return nullptr;
  }

  // The catalog is ahead of the stream, and had names change places: what stands in the place of
  // the column is called otherwise, and the catalog does not know it.
  const KnownColumn* InItsPlace(size_t index) const {
    if (!same_table_ || before_.columns.size() != now_.columns.size()) return nullptr;
    const KnownColumn& other = now_.columns[index];
    const bool unknown = other.attnum == 0 && ByName(before_, other.name) == nullptr;
    return unknown && !NumberFits(index) ? &other : nullptr;
  }

  // Columns come in the order of their numbers: whether there is one left for this one.
  bool NumberFits(size_t index) const {
    const std::vector<KnownColumn>& columns = now_.columns;
    size_t first = index, last = index;
    while (first > 0 && columns[first - 1].attnum == 0) --first;
    while (last + 1 < columns.size() && columns[last + 1].attnum == 0) ++last;
    if (last + 1 == columns.size()) return true;
    const int below = first == 0 ? 0 : columns[first - 1].attnum;
    return columns[last + 1].attnum - below > static_cast<int>(last - first) + 1;
  }

  void Judge(size_t index) {
    const KnownColumn& column = before_.columns[index];
    const Cover cover = cover_.Of(before_name_, column);
    const KnownColumn* same = InItsPlace(index);
    if (same == nullptr) same = Follow(column);
    if (cover.not_wanted) {
      if (same != nullptr && cover_.IsIncluded(now_name_, same->name))
        Add(Kind::kAdmitted, column, same, cover.property);
      return;
    }
    if (same != nullptr) {
      if (cover_.has_include_list() && !cover_.IsIncluded(now_name_, same->name))
        return Add(Kind::kNotSent, column, same, "column.include.list");
      if (cover.IsWeakenedBy(cover_.Of(now_name_, *same)))
        Add(Kind::kShown, column, same, cover.property);
      return;
    }
    if (cover.strength == Cover::Strength::kNone) return;
    const KnownColumn* suspect = Suspect(column, [&](const KnownColumn& other) {
      return cover.IsWeakenedBy(cover_.Of(now_name_, other));
    });
    if (suspect != nullptr) {
      Add(Kind::kShown, column, suspect, cover.property);
      losses_.back().guessed = true;
    } else {
      Add(Kind::kGone, column, nullptr, cover.property);
    }
  }

  void JudgeKey() {
    const std::vector<uint16_t> before = cover_.KeyOf(before_), now = cover_.KeyOf(now_);
    const auto in_key = [&](const KnownColumn& column) {
      return std::any_of(now.begin(), now.end(),
                         [&](uint16_t at) { return &now_.columns[at] == &column; });
    };
    for (const uint16_t index : before) {
      const KnownColumn& column = before_.columns[index];
      const KnownColumn* same = InItsPlace(index);
      if (same == nullptr) same = Follow(column);
      if (same != nullptr) {
        if (!in_key(*same)) Add(Kind::kNotInKey, column, same, kKeys);
        continue;
      }
      const KnownColumn* suspect =
          Suspect(column, [&](const KnownColumn& other) { return !in_key(other); });
      Add(suspect == nullptr ? Kind::kGone : Kind::kNotInKey, column, suspect, kKeys);
      losses_.back().guessed = suspect != nullptr;
    }
  }

  void Add(Kind kind, const KnownColumn& column, const KnownColumn* is, std::string property) {
    losses_.push_back({.kind = kind,
                       .was = Was(column),
                       .is = is == nullptr ? "" : Is(*is),
                       .property = std::move(property)});
    if (is != nullptr && kind == Kind::kNotInKey)
      losses_.back().entry = absl::StrCat(EntryFor(now_name_), ":", EntryFor(is->name));
    else if (is != nullptr)
      losses_.back().entry = EntryFor(losses_.back().is);
    losses_.back().retyped = losses_.back().was == losses_.back().is;
  }

  const KnownColumns& before_;
  const KnownColumns& now_;
  const ColumnCover& cover_;
  const std::string before_name_, now_name_;
  const bool same_table_;
  std::vector<MaskLoss> losses_;
};

std::string WhatItIs(const MaskLoss& loss) {
  if (loss.retyped) return "it has got a type now that a mask does not apply to";
  return absl::StrCat(
      loss.guessed ? "it is not there any more, and what may be it is " : "it is called ", loss.is,
      loss.guessed ? ", which is new" : " now");
}

}  // namespace

std::vector<MaskLoss> FindLosses(const KnownColumns& before, const KnownColumns& now,
                                 const ColumnCover& cover) {
  return Finder(before, now, cover).Find();
}

absl::Status LossError(const MaskLoss& loss) {
  const bool of_key = loss.kind == Kind::kNotInKey;
  const std::string hint =
      loss.retyped && !of_key
          ? absl::StrCat("add ", loss.entry,
                         " to column.exclude.list, or walduct.mask.lost=warn "
                         "publishes it as it is")
          : absl::StrCat("add ", loss.entry, " to ", loss.property, ", beside what names ",
                         loss.was, " (older rows still come under that name)",
                         of_key || loss.property == kExcluded ? "" : ", or to column.exclude.list",
                         ", and start the connector again; where it need not be, take ", loss.was,
                         " out of it, or set walduct.mask.lost=warn");
  return Error(absl::StatusCode::kFailedPrecondition, "mask_lost", LossText(loss), hint);
}

std::string LossText(const MaskLoss& loss) {
  switch (loss.kind) {
    case Kind::kShown:
      return absl::StrCat(loss.property, " hides ", loss.was, ", and ", WhatItIs(loss),
                          ": its values would be published as they are");
    case Kind::kNotInKey:
      return absl::StrCat(loss.property, " makes ", loss.was, " part of the key, and ",
                          WhatItIs(loss), ": rows would get other keys than before");
    case Kind::kAdmitted:
      return absl::StrCat("column.include.list admits ", loss.is, ", which was called ", loss.was,
                          " and left out: it is published from here on");
    case Kind::kNotSent:
      return absl::StrCat("column.include.list leaves out ", loss.is, ", which was called ",
                          loss.was, " and published: it is not published any more");
    case Kind::kGone:
      break;
  }
  return absl::StrCat(loss.property, " names ", loss.was, ", which the table has no longer");
}

}  // namespace walduct::slot
