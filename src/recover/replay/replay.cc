#include "recover/replay/replay.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "sink/list/sink_types.h"

namespace walduct::recover {
namespace {

constexpr absl::string_view kFormats[] = {"%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%d %H:%M:%E*S%Ez",
                                          "%Y-%m-%d %H:%M:%E*SZ", "%Y-%m-%d %H:%M:%E*S %Ez"};

}  // namespace

absl::StatusOr<ReplayEnd> ParseReplayEnd(absl::string_view option, absl::string_view text) {
  ReplayEnd end{.text = std::string(text)};
  if (const absl::StatusOr<Lsn> lsn = Lsn::Parse(text); lsn.ok() && lsn->valid()) {
    end.lsn = *lsn;
    return end;
  }
  for (const absl::string_view format : kFormats) {
    absl::Time time;
    if (!absl::ParseTime(format, text, &time, nullptr)) continue;
    end.time_us = absl::ToUnixMicros(time);
    return end;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      option, ": '", text,
      "' is neither an LSN nor a time with its zone: write 0/5A3B1C8 or 2026-08-01T09:30:00Z"));
}

std::vector<LivePlace> LivePlaces(const sink::PropertyText& live) {
  std::vector<LivePlace> found;
  const std::string sink = live("sink");
  for (const sink::SinkType* const type : sink::SinkTypes()) {
    if (type->name != sink || type->places == nullptr) continue;
    for (sink::FixedPlace& place : type->places(live)) {
      std::string value = live(place.property);
      if (!value.empty())
        found.push_back({std::string(place.property), std::move(value), std::move(place.instead)});
    }
  }
  return found;
}

}  // namespace walduct::recover
