#include "incremental/window.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"

namespace walduct::incremental {

bool TransactionView::Hides(uint32_t xid) const {
  if (xid == 0) return false;
  const auto next = static_cast<uint32_t>(next_xid);
  if (next_xid != 0 && static_cast<int32_t>(xid - next) >= 0) return true;
  return std::any_of(running.begin(), running.end(),
                     [xid](uint64_t one) { return static_cast<uint32_t>(one) == xid; });
}

uint32_t TransactionView::HiddenHeld() const {
  const auto hidden =
      std::find_if(held.xids.begin(), held.xids.end(), [this](uint32_t xid) { return Hides(xid); });
  return hidden == held.xids.end() ? 0 : *hidden;
}

namespace {

void AppendColumn(event::RowView row, uint16_t column, std::string* out) {
  const event::Value value = column < row.size() ? row[column] : event::Value::Null();
  const uint32_t size = value.is_text() ? value.size : UINT32_MAX;
  out->append(reinterpret_cast<const char*>(&size), sizeof size);
  if (value.is_text()) out->append(value.data, value.size);
}

enum class Sum : uint8_t { kAll, kIdentity };

// Generated columns are in a chunk, and not in the stream.
uint64_t SumOf(event::RowView row, const event::TableSchema& schema, Sum sum,
               std::string* scratch) {
  scratch->clear();
  uint16_t number = 0;
  for (const event::Column& column : schema.columns) {
    const bool counts = sum == Sum::kAll || column.old_value_sent;
    if (counts && !column.generated) AppendColumn(row, number, scratch);
    ++number;
  }
  return absl::HashOf(*scratch);
}

// An identity is unique; those of partitions each for itself.
bool IdentityIsUnique(const event::TableSchema& schema) {
  return !schema.partitioned && std::any_of(schema.columns.begin(), schema.columns.end(),
                                            [](const auto& c) { return c.old_value_sent; });
}

Teller TellerOf(const event::ChangeEvent& change) {
  return {static_cast<uint32_t>(change.xid.value_or(0)), change.position.transaction_final_lsn};
}

bool LacksKey(event::RowView row, const std::vector<uint16_t>& columns) {
  return std::any_of(columns.begin(), columns.end(), [row](uint16_t column) {
    return column < row.size() && row[column].kind == event::ValueKind::kAbsent;
  });
}

}  // namespace

void AppendKey(event::RowView row, const std::vector<uint16_t>& columns, std::string* out) {
  for (const uint16_t column : columns) AppendColumn(row, column, out);
}

void Window::Reset() {
  open_ = overflown_ = unclear_ = false;
  emptied_.reset();
  recent_.clear();
  chunk_.reset();
  left_.clear();
  by_key_.clear();
  removed_.clear();
  by_sum_.clear();
  told_sums_.clear();
  by_identity_.clear();
  told_identities_.clear();
  doubted_.clear();
}

void Window::Open(std::vector<uint32_t> recent) {
  open_ = true;
  recent_ = std::move(recent);
}

void Window::BeginAgain(std::vector<uint32_t> recent) {
  if (!open_) return;
  overflown_ = unclear_ = false;
  emptied_.reset();
  removed_.clear();
  told_sums_.clear();
  told_identities_.clear();
  recent_ = std::move(recent);
}

void Window::Load(Chunk chunk) {
  chunk_ = std::move(chunk);
  const auto counts = [this](const auto& told) { return Counts(told.second); };
  left_.assign(chunk_->rows.size(), !emptied_ || !Counts(*emptied_));
  if (chunk_->record_key.empty()) return LoadWithoutKeys();
  for (size_t i = 0; i < chunk_->rows.size(); ++i) {
    chunk_->rows[i].View(&values_);
    key_.clear();
    AppendKey(values_, chunk_->record_key, &key_);
    if (const auto told = removed_.find(key_); told != removed_.end() && counts(*told))
      left_[i] = false;
    // Of rows that share a record's key the last one counts.
    const auto [known, is_new] = by_key_.try_emplace(key_, i);
    if (is_new) continue;
    left_[known->second] = false;
    known->second = i;
  }
  removed_.clear();
  for (const auto& told : std::exchange(told_identities_, {}))
    if (counts(told)) RemoveLike(told.first);
}

// Where places are known.
void Window::LoadWithoutKeys() {
  if (chunk_->storage.empty()) return;
  for (size_t i = 0; i < chunk_->rows.size(); ++i) {
    chunk_->rows[i].View(&values_);
    const uint64_t sum = SumOf(values_, *chunk_->schema, Sum::kAll, &key_);
    const uint64_t identity = SumOf(values_, *chunk_->schema, Sum::kIdentity, &key_);
    by_sum_[sum].push_back(i);
    by_identity_[identity].push_back(i);
    if (told_sums_.contains(sum) || told_identities_.contains(identity)) doubted_.insert(i);
  }
  told_sums_.clear();
  told_identities_.clear();
}

template <typename Told>
void Window::Keep(const typename Told::key_type& row, const Teller& teller, Told* told) {
  overflown_ = overflown_ || told->size() >= kMaxKeys;
  if (!overflown_) told->insert_or_assign(row, teller);
}

// What is left of the old row tells which it may have been. Partitions with a key send none where
// the key stays: then it is what the new one has of it.
void Window::Doubt(const event::ChangeEvent& change) {
  const bool whole = change.before && change.old_row == event::OldRow::kWhole;
  if (!change.before && change.operation != event::Operation::kUpdate) return;
  const event::RowView row = change.before ? *change.before : *change.after;
  const Sum kind = whole ? Sum::kAll : Sum::kIdentity;
  const uint64_t sum = SumOf(row, *change.schema, kind, &key_);
  if (!chunk_) {
    Keep(sum, TellerOf(change), whole ? &told_sums_ : &told_identities_);
    return;
  }
  const auto& known = whole ? by_sum_ : by_identity_;
  if (const auto same = known.find(sum); same != known.end())
    doubted_.insert(same->second.begin(), same->second.end());
}

// The old row came without the record's key: its replica identity is another.
void Window::RemoveByIdentity(const event::ChangeEvent& change) {
  const uint64_t sum = SumOf(*change.before, *change.schema, Sum::kIdentity, &key_);
  if (!chunk_) {
    Keep(sum, TellerOf(change), &told_identities_);
  } else if (Counts(TellerOf(change))) {
    RemoveLike(sum);
  }
}

void Window::RemoveLike(uint64_t sum) {
  const bool unique = IdentityIsUnique(*chunk_->schema);
  for (size_t i = 0; i < chunk_->rows.size(); ++i) {
    chunk_->rows[i].View(&values_);
    if (SumOf(values_, *chunk_->schema, Sum::kIdentity, &key_) != sum) continue;
    unclear_ = unclear_ || (!unique && left_[i]);
    left_[i] = false;
  }
}

std::vector<std::string> Window::Doubted() const {
  std::vector<std::string> places;
  for (size_t i = 0; i < left_.size() && !doubted_.empty(); ++i) {
    if (left_[i] && doubted_.contains(i)) places.push_back(chunk_->places[i]);
  }
  return places;
}

void Window::Remove(const event::ChangeEvent& change, const event::Emission& emission) {
  if (!open_) return;
  if (emission.key == event::KeySource::kNone || emission.key_rule == nullptr) return Doubt(change);
  const bool before = emission.key == event::KeySource::kBefore;
  const auto& row = before ? change.before : change.after;
  if (!row) return;
  if (before && LacksKey(*row, emission.key_rule->columns)) return RemoveByIdentity(change);
  key_.clear();
  AppendKey(*row, emission.key_rule->columns, &key_);
  if (!chunk_) {
    Keep(key_, TellerOf(change), &removed_);
    return;
  }
  const auto found = by_key_.find(key_);
  if (found != by_key_.end() && Counts(TellerOf(change))) left_[found->second] = false;
}

void Window::RemoveAll(const event::ChangeEvent& truncate) {
  if (!open_) return;
  emptied_ = TellerOf(truncate);
  if (Counts(*emptied_)) left_.assign(left_.size(), false);
}

// A commit is streamed a moment before other sessions see it.
bool Window::IsDoubtful() const {
  if (overflown_ || unclear_ || !open_ || chunk_->HiddenHeld() != 0) return true;
  return std::any_of(recent_.begin(), recent_.end(),
                     [this](uint32_t xid) { return chunk_->Hides(xid); });
}

}  // namespace walduct::incremental
