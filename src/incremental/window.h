// Window: the rows of a chunk, and which of them the stream has told more of since the window was
// opened. What the stream has told is not published from the chunk. Keys may come before the rows
// do, since the chunk is read beside the stream. Without watermarks the stream may be far behind
// the chunk: what its view shows (Chunk::Shows) does not count, for the row may be newer.
//
// Not thread-safe; the data thread owns it. Memory: one chunk, and the keys that came before it, up
// to kMaxKeys.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "event/emission.h"
#include "incremental/chunks/chunk.h"

namespace walduct::incremental {

class Window {
 public:
  static constexpr size_t kMaxKeys = 100'000;

  // Anew: nothing is in it.
  void Reset();
  // The watermark was streamed. recent: transactions whose commits were streamed before, the last
  // ones.
  void Open(std::vector<uint32_t> recent);
  // The chunk will be of another table, read from here on: what was told before is in it.
  // recent: as above.
  void BeginAgain(std::vector<uint32_t> recent);
  bool open() const { return open_; }
  void Load(Chunk chunk);
  bool loaded() const { return chunk_.has_value(); }

  // The stream tells of these records of the table.
  void Remove(const event::ChangeEvent& change, const event::Emission& emission);
  // All rows are gone.
  void RemoveAll(const event::ChangeEvent& truncate);
  // Of rows without a key, the places of those that may be what the stream has told the change of:
  // they look the same. They are not left; whether they are still there has to be read.
  std::vector<std::string> Doubted() const;

  // The chunk may show less than what was streamed before the window was opened, or more keys came
  // than are kept, or it is unclear(): it has to be read again.
  bool IsDoubtful() const;
  bool overflown() const { return overflown_; }
  // A change names its row by columns that do not tell rows apart, and one of the chunk looks like
  // it.
  bool unclear() const { return unclear_; }

  const Chunk& chunk() const { return *chunk_; }
  // In the order of the key.
  template <typename Handler>
  absl::Status ForEachLeft(Handler handler) const {
    for (size_t i = 0; i < left_.size(); ++i) {
      if (!left_[i] || doubted_.contains(i)) continue;
      absl::Status handled = handler(chunk_->rows[i]);
      if (!handled.ok()) return handled;
    }
    return absl::OkStatus();
  }

 private:
  void LoadWithoutKeys();
  void Doubt(const event::ChangeEvent& change);
  void RemoveByIdentity(const event::ChangeEvent& change);
  void RemoveLike(uint64_t sum);
  bool Counts(const Teller& teller) const { return !chunk_ || !chunk_->Shows(teller); }
  // The last one that tells of a row counts: it has waited for those before.
  template <typename Told>
  void Keep(const typename Told::key_type& row, const Teller& teller, Told* told);

  bool open_ = false;
  bool overflown_ = false;
  std::optional<Teller> emptied_;
  bool unclear_ = false;
  std::vector<uint32_t> recent_;
  std::optional<Chunk> chunk_;
  std::vector<bool> left_;                            // of its rows
  absl::flat_hash_map<std::string, size_t> by_key_;   // rows with a key
  absl::flat_hash_map<std::string, Teller> removed_;  // before the chunk came
  // Rows without a key by a sum over what they hold; those told of before the chunk came.
  absl::flat_hash_map<uint64_t, std::vector<size_t>> by_sum_;
  absl::flat_hash_map<uint64_t, Teller> told_sums_;
  // The same over the columns whose old values are always sent (event::Column).
  absl::flat_hash_map<uint64_t, std::vector<size_t>> by_identity_;
  absl::flat_hash_map<uint64_t, Teller> told_identities_;
  absl::flat_hash_set<size_t> doubted_;
  std::string key_;                   // scratch
  std::vector<event::Value> values_;  // the same
};

// Texts of key columns, so that different keys differ.
void AppendKey(event::RowView row, const std::vector<uint16_t>& columns, std::string* out);

}  // namespace walduct::incremental
