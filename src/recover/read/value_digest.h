// ValueDigest: what a record says of its row, so that the record of a read can be compared with the
// one that a change has left in the topic: the row's members by name, without what tells of the
// change (op, source, ts_ms, before, transaction). NULL counts as no member: a column that was
// added without a value changes nothing. Reads JSON text as it stands and converts nothing. Both
// sides are read by one of it: bits mean something to the one that gave them. Not thread-safe;
// keeps its buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace walduct::recover {

class ValueDigest {
 public:
  // placeholder: what stands for a value that the server did not send.
  explicit ValueDigest(absl::string_view placeholder);

  // By name, as they stand in the text.
  using Members = std::vector<std::pair<absl::string_view, absl::string_view>>;

  // False: a binary format. value: borrowed until the next one.
  bool Read(absl::string_view value);

  // The record tells of a deletion.
  bool gone() const { return gone_; }
  // The table was emptied.
  bool truncated() const { return truncated_; }
  // The transaction of the change; absent: it does not say.
  std::optional<uint32_t> xid() const;
  // A bit for each name of a member whose value the record does not have. Of the first 64 such
  // names: a record without the value of another one equals no row.
  uint64_t unknown() const { return unknown_; }
  // Without members of these bits, and without what is unknown.
  uint64_t Of(uint64_t without) const;

 private:
  bool ReadFramed(absl::string_view value);
  bool ReadPayload(absl::string_view value);
  void AddRow(const Members& row, bool flat);
  void Add(absl::string_view name, absl::string_view value);
  bool IsPlaceholder(absl::string_view value) const;

  const std::string placeholder_, base64_;  // with their quotes
  std::string frame_;  // the text before the payload of the last record with a schema
  Members payload_, row_;
  std::vector<std::pair<uint64_t, uint64_t>> members_;  // hash; bit, 0: none
  absl::flat_hash_map<std::string, uint64_t> bits_;     // of names that were ever without a value
  bool gone_ = false, truncated_ = false;
  uint64_t unknown_ = 0;
  absl::string_view xid_, source_;
};

}  // namespace walduct::recover
