#include "recover/commit_record.h"

#include <bit>
#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "recover/wal_record.h"

namespace walduct::recover {
namespace {

constexpr size_t kCommitTimeBytes = 8;
// xl_xact_xinfo: which parts follow, in the order in which they do.
constexpr uint32_t kHasDatabase = 1, kHasSubtransactions = 2, kHasFiles = 4,
                   kHasDroppedStatistics = 0x100, kHasMessages = 8, kHasPrepared = 16;
constexpr size_t kXidBytes = 4, kFileBytes = 12;
// SharedInvalidationMessage: an id, a database, and what it is about. Ids from 0 on are caches of
// rows of catalogs (SysCacheIdentifier).
constexpr size_t kMessageBytes = 16, kDatabaseAt = 4, kSubjectAt = 8;
constexpr int8_t kOfRelation = -2, kOfAttribute = 7, kOfEnum = 23, kOfEnumLabel = 24;
// A table has it, as others have that have rows; no index and no view does. Nothing alters it.
constexpr int16_t kSystemColumn = -1;

struct CacheIds {
  int8_t index, type;
};
// 18 has two caches more, of pg_extension.
CacheIds CachesOf(int major) { return major >= 18 ? CacheIds{34, 82} : CacheIds{32, 80}; }

size_t DroppedStatisticsBytes(int major) { return major >= 18 ? 16 : 12; }

// Takes one part after the other.
class CommitParts {
 public:
  explicit CommitParts(absl::string_view bytes) : bytes_(bytes) {}

  uint32_t Number() {
    const auto number = At<uint32_t>(bytes_, 0);
    Take(sizeof(number));
    return number;
  }
  // Their number, and they.
  absl::string_view Items(size_t bytes_of_each) {
    const uint64_t count = Number();
    return Take(count * bytes_of_each);
  }
  bool whole() const { return whole_; }

 private:
  absl::string_view Take(uint64_t bytes) {
    if (bytes > bytes_.size()) {
      whole_ = false;
      bytes_ = {};
      return {};
    }
    const absl::string_view taken = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return taken;
  }

  absl::string_view bytes_;
  bool whole_ = true;
};

// murmurhash32 of PostgreSQL (common/hashfn.h).
uint32_t Murmur(uint32_t value) {
  value ^= value >> 16;
  value *= 0x85EBCA6B;
  value ^= value >> 13;
  value *= 0xC2B2AE35;
  return value ^ value >> 16;
}

// What the messages of a commit speak of.
struct Subjects {
  std::vector<uint32_t> relations;
  absl::flat_hash_set<uint32_t> attributes, indexes;  // by their hashes
  bool labels = false, types = false, catalogs = false;
};

Subjects SubjectsOf(absl::string_view messages, uint32_t database, int major) {
  const CacheIds caches = CachesOf(major);
  Subjects subjects;
  for (size_t at = 0; at + kMessageBytes <= messages.size(); at += kMessageBytes) {
    const auto id = At<int8_t>(messages, at);
    const auto subject = At<uint32_t>(messages, at + kSubjectAt);
    if (id == kOfRelation && subject != 0 && subject < kFirstOidOfUsers) subjects.catalogs = true;
    if (At<uint32_t>(messages, at + kDatabaseAt) != database) continue;  // what all databases share
    if (id == kOfRelation && subject >= kFirstOidOfUsers) subjects.relations.push_back(subject);
    if (id == kOfAttribute) subjects.attributes.insert(subject);
    if (id == caches.index) subjects.indexes.insert(subject);
    if (id == kOfEnum || id == kOfEnumLabel) subjects.labels = true;
    if (id == caches.type) subjects.types = true;
  }
  return subjects;
}

// gone: files of tables that are not temporary are.
bool AltersTables(const Subjects& subjects, bool gone) {
  bool made_or_dropped = false, was_there = false;
  for (const uint32_t relation : subjects.relations) {
    if (subjects.attributes.contains(HashOfAttribute(relation, kSystemColumn)))
      made_or_dropped = true;
    else if (!subjects.indexes.contains(HashOfIndex(relation)))
      was_there = true;
  }
  if (was_there && !(subjects.attributes.empty() && subjects.indexes.empty())) return true;
  // A table that is made has a type of its own.
  return (made_or_dropped && gone) || subjects.labels || (subjects.types && !made_or_dropped);
}

}  // namespace

uint32_t HashOfIndex(uint32_t relation) { return Murmur(relation); }

uint32_t HashOfAttribute(uint32_t relation, int16_t number) {
  const auto widened = static_cast<uint32_t>(static_cast<int32_t>(number));
  return std::rotl(Murmur(widened), 8) ^ Murmur(relation);
}

CommitRecord ReadCommit(absl::string_view data, bool has_info, int major) {
  CommitRecord commit;
  if (!has_info) return commit;
  CommitParts parts(data.substr(data.size() < kCommitTimeBytes ? data.size() : kCommitTimeBytes));
  const uint32_t info = parts.Number();
  if ((info & kHasDatabase) != 0) {
    commit.database = parts.Number();
    parts.Number();  // its tablespace
  }
  if ((info & kHasSubtransactions) != 0) {
    const absl::string_view ids = parts.Items(kXidBytes);
    for (size_t at = 0; at < ids.size(); at += kXidBytes)
      commit.subtransactions.push_back(Xid(At<uint32_t>(ids, at)));
  }
  const bool gone = (info & kHasFiles) != 0 && !parts.Items(kFileBytes).empty();
  if ((info & kHasDroppedStatistics) != 0) parts.Items(DroppedStatisticsBytes(major));
  if ((info & kHasMessages) != 0) {
    const absl::string_view messages = parts.Items(kMessageBytes);
    const Subjects subjects = SubjectsOf(messages, commit.database, major);
    commit.alters = AltersTables(subjects, gone);
    commit.of_catalogs = subjects.catalogs;
  }
  if ((info & kHasPrepared) != 0) commit.prepared = Xid(parts.Number());
  if (!parts.whole()) commit.alters = true;
  return commit;
}

}  // namespace walduct::recover
