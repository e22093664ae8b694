#include "offset/file_offset_store.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "java/serial/hash_map_file.h"
#include "offset/offset_file.h"

namespace walduct::offset {
namespace {

constexpr char kServersFolder[] = "data";
constexpr absl::string_view kServersFile = "data/offsets.dat";

// Connectors of this process that share a file must not overwrite each other's entries between
// reading and replacing it.
Mutex g_rewrite;

absl::StatusOr<java::HashMapFile> ReadMap(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string content, ReadOffsetFile(path));
  absl::StatusOr<java::HashMapFile> map = java::HashMapFile::Parse(content);
  if (!map.ok()) return WithContext(map.status(), path);
  return map;
}

// All spellings of the connector's key.
std::vector<std::string> KeysOf(const java::HashMapFile& map, const OffsetIdentity& identity) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map.entries()) {
    if (key && KeyBelongsTo(*key, identity)) keys.push_back(*key);
  }
  return keys;
}

std::optional<std::string> ValueOf(const java::HashMapFile& map, const OffsetIdentity& identity) {
  for (const auto& [key, value] : map.entries()) {
    if (key && value && KeyBelongsTo(*key, identity)) return *value;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileOffsetStore>> FileOffsetStore::Create(std::string path,
                                                                         OffsetIdentity identity) {
  // Debezium Server makes its own folder. Another one that is gone may be a volume that is.
  if (path == kServersFile) static_cast<void>(mkdir(kServersFolder, 0755));
  path = BehindLinks(std::move(path));
  RETURN_IF_ERROR(CheckReplaceable(path));
  return std::unique_ptr<FileOffsetStore>(
      new FileOffsetStore(std::move(path), std::move(identity)));
}

absl::StatusOr<std::optional<StoredOffset>> FileOffsetStore::Load() {
  ASSIGN_OR_RETURN(const java::HashMapFile map, ReadMap(path_));
  value_.Saw(ValueOf(map, identity_));
  const std::optional<std::string>& seen = value_.seen();
  erased_ = !seen && !KeysOf(map, identity_).empty();
  if (!seen) return std::optional<StoredOffset>();
  absl::StatusOr<StoredOffset> offset = DecodeOffset(*seen);
  if (!offset.ok()) return WithContext(offset.status(), path_);
  return std::optional<StoredOffset>(*std::move(offset));
}

absl::Status FileOffsetStore::CheckUnchanged(const java::HashMapFile& map) {
  const std::optional<std::string> found = ValueOf(map, identity_);
  // A file that was taken away holds nobody's position.
  if (!found && KeysOf(map, identity_).empty()) return absl::OkStatus();
  return value_.CheckUnchanged(found, " in " + path_);
}

absl::Status FileOffsetStore::StartSave(const StoredOffset& offset) {
  const MutexLock lock(g_rewrite);
  const FileLock others(path_);
  RETURN_IF_ERROR(others.status(path_));
  ASSIGN_OR_RETURN(java::HashMapFile map, ReadMap(path_));
  RETURN_IF_ERROR(CheckUnchanged(map));
  const std::string own = OffsetKey(identity_);
  for (const std::string& key : KeysOf(map, identity_)) {
    if (key != own) map.Remove(key);
  }
  map.Set(own, value_.Try(EncodeOffset(offset)));
  RETURN_IF_ERROR(ReplaceOffsetFile(path_, map.Serialize()));
  value_.Stored();
  return absl::OkStatus();
}

absl::Status FileOffsetStore::Erase() {
  const MutexLock lock(g_rewrite);
  const FileLock others(path_);
  RETURN_IF_ERROR(others.status(path_));
  ASSIGN_OR_RETURN(java::HashMapFile map, ReadMap(path_));
  for (const std::string& key : KeysOf(map, identity_)) map.Remove(key);
  // As Connect does it; tells an offset that was erased from one that was lost.
  map.Set(OffsetKey(identity_), std::nullopt);
  RETURN_IF_ERROR(ReplaceOffsetFile(path_, map.Serialize()));
  value_.Saw(std::nullopt);
  return absl::OkStatus();
}

}  // namespace walduct::offset
