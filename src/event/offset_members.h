// OffsetMembers: what is stored beside a position, in the same JSON object: Debezium's members of
// incremental snapshots, ours, and those that nobody here knows. Connect takes only primitives in
// an offset, so ours are texts that hold JSON.
#pragma once

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace walduct::event {

// By name; the values are JSON.
using OffsetMembers = std::map<std::string, std::string>;

inline constexpr char kIncrementalPrefix[] = "incremental_snapshot_";  // Debezium's
inline constexpr char kCollectionsMember[] = "incremental_snapshot_collections";
inline constexpr char kIncrementalMember[] = "walduct_incremental_snapshot";
inline constexpr char kBlockingMember[] = "walduct_blocking_snapshots";
inline constexpr char kReadMember[] = "walduct_snapshot_read";
inline constexpr char kTablesMember[] = "walduct_tables";
inline constexpr char kTypesMember[] = "walduct_types";
inline constexpr char kMasksMember[] = "walduct_masks";
// Of outbox tables that are polled.
inline constexpr char kOutboxMember[] = "walduct_outbox";

inline bool IsIncrementalMember(absl::string_view name) {
  return absl::StartsWith(name, kIncrementalPrefix) || name == kIncrementalMember;
}
// One of ours, not of the position itself.
inline bool IsOurMember(absl::string_view name) {
  return name == kIncrementalMember || name == kBlockingMember || name == kReadMember ||
         name == kTablesMember || name == kTypesMember || name == kMasksMember ||
         name == kOutboxMember;
}

// Empty: it is not there.
inline const std::string& FindMember(const OffsetMembers& members, const std::string& name) {
  static const std::string* const kNone = new std::string;
  const auto found = members.find(name);
  return found == members.end() ? *kNone : found->second;
}

}  // namespace walduct::event
