#include "delivery/settling/destination_meter.h"

#include <algorithm>

#include "absl/time/time.h"

namespace walduct::delivery {
namespace {

using metrics::DestinationCounters;

// Beyond, a destination that is not known is one of the others.
constexpr size_t kMostKnown = 2 * metrics::DestinationMetrics::kMaxDestinations;

void Move(metrics::Gauge* gauge, uint64_t up, uint64_t down) {
  gauge->Set(gauge->value() + up - down);
}

}  // namespace

size_t BytesOf(const event::Record& record) {
  return (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
}

DestinationMeter::~DestinationMeter() {
  for (const Run& run : runs_) Move(&run.of->in_flight, 0, run.records);
}

DestinationCounters* DestinationMeter::Find(absl::string_view destination) {
  if (last_ != nullptr && last_name_ == destination) return last_;
  const auto found = known_.find(destination);
  if (found != known_.end()) {
    last_ = found->second;
  } else if (known_.size() < kMostKnown) {
    last_ = metrics_.Of(destination);
    known_.emplace(destination, last_);
  } else {
    if (others_ == nullptr) others_ = metrics_.Of(metrics::DestinationMetrics::kOthers);
    return others_;
  }
  last_name_.assign(destination.data(), destination.size());
  return last_;
}

std::deque<DestinationMeter::Run>::iterator DestinationMeter::Begin(uint64_t ticket) {
  return std::lower_bound(runs_.begin(), runs_.end(), ticket,
                          [](const Run& run, uint64_t wanted) { return run.ticket < wanted; });
}

// Null: there is none.
DestinationMeter::Run* DestinationMeter::FindRun(uint64_t ticket, const DestinationCounters* of) {
  for (auto at = Begin(ticket); at != runs_.end() && at->ticket == ticket; ++at) {
    if (at->of == of && at->records > 0) return &*at;
  }
  return nullptr;
}

void DestinationMeter::OnWritten(uint64_t ticket, absl::string_view destination, size_t bytes) {
  constexpr int kLook = 8;
  DestinationCounters* const of = Find(destination);
  Move(&of->in_flight, 1, 0);
  int looked = 0;
  for (auto run = runs_.rbegin(); run != runs_.rend() && run->ticket == ticket; ++run) {
    if (run->of == of) {
      ++run->records;
      run->bytes += bytes;
      return;
    }
    if (++looked == kLook) break;
  }
  runs_.push_back({.ticket = ticket, .of = of, .records = 1, .bytes = bytes});
}

void DestinationMeter::OnRefused(uint64_t ticket, const event::Record& record,
                                 absl::string_view letter) {
  DestinationCounters* const of = Find(record.topic);
  of->refused.Add();
  Run* const run = FindRun(ticket, of);
  if (run == nullptr) return;
  const uint64_t bytes = std::min<uint64_t>(BytesOf(record), run->bytes);
  --run->records;
  run->bytes -= bytes;
  Move(&of->in_flight, 0, 1);
  if (letter.empty()) return;
  DestinationCounters* const letters = Find(letter);
  Move(&letters->in_flight, 1, 0);
  if (Run* const known = FindRun(ticket, letters); known != nullptr) {
    ++known->records;
    known->bytes += bytes;
  } else {
    runs_.insert(Begin(ticket), {.ticket = ticket, .of = letters, .records = 1, .bytes = bytes});
  }
}

void DestinationMeter::OnAcknowledged(uint64_t ticket) {
  const auto now = static_cast<uint64_t>(absl::ToUnixMicros(clock_.Now()));
  const auto begin = Begin(ticket);
  auto run = begin;
  for (; run != runs_.end() && run->ticket == ticket; ++run) {
    if (run->records == 0) continue;
    run->of->records.Add(run->records);
    run->of->bytes.Add(run->bytes);
    run->of->last_acknowledged_us.Set(now);
    Move(&run->of->in_flight, 0, run->records);
  }
  // One that stays away for long keeps none of those behind it.
  runs_.erase(begin, run);
}

}  // namespace walduct::delivery
