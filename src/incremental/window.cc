#include "incremental/window.h"

#include <algorithm>
#include <utility>

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

void AppendKey(event::RowView row, const std::vector<uint16_t>& columns, std::string* out) {
  for (const uint16_t column : columns) {
    const event::Value value = column < row.size() ? row[column] : event::Value::Null();
    const uint32_t size = value.is_text() ? value.size : UINT32_MAX;
    out->append(reinterpret_cast<const char*>(&size), sizeof size);
    if (value.is_text()) out->append(value.data, value.size);
  }
}

void Window::Reset() {
  open_ = overflown_ = emptied_ = false;
  recent_.clear();
  chunk_.reset();
  left_.clear();
  by_key_.clear();
  removed_.clear();
}

void Window::Open(std::vector<uint32_t> recent) {
  open_ = true;
  recent_ = std::move(recent);
}

void Window::BeginAgain(std::vector<uint32_t> recent) {
  if (!open_) return;
  overflown_ = emptied_ = false;
  removed_.clear();
  recent_ = std::move(recent);
}

void Window::Load(Chunk chunk) {
  chunk_ = std::move(chunk);
  left_.assign(chunk_->rows.size(), !emptied_);
  if (chunk_->record_key.empty()) return;
  for (size_t i = 0; i < chunk_->rows.size(); ++i) {
    chunk_->rows[i].View(&values_);
    key_.clear();
    AppendKey(values_, chunk_->record_key, &key_);
    if (removed_.contains(key_)) left_[i] = false;
    // Of rows that share a record's key the last one counts.
    const auto [known, is_new] = by_key_.try_emplace(key_, i);
    if (is_new) continue;
    left_[known->second] = false;
    known->second = i;
  }
  removed_.clear();
}

void Window::Remove(const event::ChangeEvent& change, const event::Emission& emission) {
  if (!open_ || emission.key == event::KeySource::kNone || emission.key_rule == nullptr) return;
  const bool before = emission.key == event::KeySource::kBefore;
  const auto& row = before ? change.before : change.after;
  if (!row) return;
  key_.clear();
  AppendKey(*row, emission.key_rule->columns, &key_);
  if (!chunk_) {
    overflown_ = overflown_ || removed_.size() >= kMaxKeys;
    if (!overflown_) removed_.insert(key_);
    return;
  }
  if (const auto found = by_key_.find(key_); found != by_key_.end()) left_[found->second] = false;
}

void Window::RemoveAll() {
  if (!open_) return;
  emptied_ = true;
  left_.assign(left_.size(), false);
}

// A commit is streamed a moment before other sessions see it.
bool Window::IsDoubtful() const {
  if (overflown_ || !open_ || chunk_->HiddenHeld() != 0) return true;
  return std::any_of(recent_.begin(), recent_.end(),
                     [this](uint32_t xid) { return chunk_->Hides(xid); });
}

}  // namespace walduct::incremental
