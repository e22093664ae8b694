#include "kafka/group/seat_view.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"

namespace walduct::kafka {
namespace {

// Big-endian; absent: the text ends before.
template <typename T>
std::optional<T> TakeInteger(absl::string_view* text) {
  if (text->size() < sizeof(T)) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value = value << 8 | static_cast<unsigned char>((*text)[i]);
  text->remove_prefix(sizeof(T));
  return static_cast<T>(value);
}

}  // namespace

absl::Duration SilentSince(const Silence& silence) {
  const absl::Duration first = std::min({silence.trouble, silence.lost, silence.now});
  return std::max(first, silence.answered);
}

// version, topics: {name, partitions}.
bool AssignsSeat(absl::string_view assignment, absl::string_view topic) {
  const std::optional<int16_t> version = TakeInteger<int16_t>(&assignment);
  const std::optional<int32_t> topics = TakeInteger<int32_t>(&assignment);
  for (int32_t i = 0; version && topics && i < *topics; ++i) {
    const std::optional<int16_t> size = TakeInteger<int16_t>(&assignment);
    if (!size || *size < 0 || assignment.size() < static_cast<size_t>(*size)) return false;
    const bool is_topic = assignment.substr(0, static_cast<size_t>(*size)) == topic;
    assignment.remove_prefix(static_cast<size_t>(*size));
    const std::optional<int32_t> partitions = TakeInteger<int32_t>(&assignment);
    if (!partitions) return false;
    for (int32_t j = 0; j < *partitions; ++j) {
      const std::optional<int32_t> partition = TakeInteger<int32_t>(&assignment);
      if (!partition) return false;
      if (is_topic && *partition == 0) return true;
    }
  }
  return false;
}

SeatVerdict JudgeSeat(const SeatView& view, absl::Duration now) {
  if (view.held) return SeatVerdict::kOurs;
  if (view.foreign || !view.holder.empty()) return SeatVerdict::kTaken;
  const absl::Duration since = std::max(view.held_since, view.silent_since);
  const bool long_silent = !view.answered && now - since >= kMayBeTakenAfter;
  return view.others > 0 && long_silent ? SeatVerdict::kMayBeTaken : SeatVerdict::kHoldOn;
}

bool HasTwin(const SeatView& view) {
  const auto self = absl::c_find_if(view.members, [](const auto& one) { return one.self; });
  return self != view.members.end() && absl::c_any_of(view.members, [&](const auto& one) {
           return !one.self && one.client == self->client && one.host != self->host;
         });
}

SeatVerdict JudgeShare(const SeatView& view, absl::Duration now, absl::Duration lease,
                       bool serves) {
  const absl::string_view holder = view.holder;
  const bool shares = holder.empty() || absl::StrContains(holder, "://");
  if (view.foreign || !shares) return SeatVerdict::kTaken;
  if (!serves && HasTwin(view)) return SeatVerdict::kHoldOn;
  if (now - view.listed_at < lease)
    return view.answered ? SeatVerdict::kOurs : SeatVerdict::kHoldOn;
  if (view.others == 0) return SeatVerdict::kHoldOn;
  if (!view.answered) return SeatVerdict::kMayBeTaken;
  return serves ? SeatVerdict::kTaken : SeatVerdict::kHoldOn;
}

}  // namespace walduct::kafka
