// The process, by the names of Prometheus' own client libraries, and those of a JVM that the
// published dashboards show: its memory is the process's.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "admin/series.h"
#include "base/descriptors.h"
#include "base/whole_file.h"

namespace walduct::admin {
namespace {

using enum MetricType;

constexpr Family kCpu = {"process_cpu_seconds_total", kCounter, "CPU time, user and system"};
constexpr Family kStart = {"process_start_time_seconds", kGauge,
                           "when it was started, since the Unix epoch"};
constexpr Family kOpenFiles = {"process_open_fds", kGauge, "open file descriptors"};
constexpr Family kMaxFiles = {"process_max_fds", kGauge, "limit of open file descriptors"};
constexpr Family kVirtual = {"process_virtual_memory_bytes", kGauge, "virtual memory"};
constexpr Family kResident = {"process_resident_memory_bytes", kGauge, "resident memory"};
constexpr Family kThreads = {"process_threads", kGauge, "threads"};
constexpr Family kJvmUsedOld = {"jvm_memory_bytes_used", kGauge, "resident memory"};
constexpr Family kJvmMaxOld = {"jvm_memory_bytes_max", kGauge, "limit of memory; -1: none"};
constexpr Family kJvmUsed = {"jvm_memory_used_bytes", kGauge, "resident memory"};
constexpr Family kJvmThreads = {"jvm_threads_current", kGauge, "threads"};
constexpr Family kJvmThreadsPeak = {"jvm_threads_peak", kGauge, "threads"};
constexpr Family kJvmThreadsStarted = {"jvm_threads_started_total", kCounter, "threads"};
constexpr Family kJvmCollections = {"jvm_gc_collection_seconds_sum", kUntyped, "0: there is none"};

// The fields of /proc/self/stat behind the name of the program: the first is number 3 of proc(5).
std::vector<std::string> StatFields() {
  const std::string text = ReadWholeFile("/proc/self/stat").value_or("");
  const size_t end = text.rfind(") ");
  if (end == std::string::npos) return {};
  return absl::StrSplit(text.substr(end + 2), ' ');
}

double NumberOf(const std::vector<std::string>& fields, size_t number) {
  double value = 0;
  if (fields.size() + 3 <= number || !absl::SimpleAtod(fields[number - 3], &value)) return 0;
  return value;
}

double BootSeconds() {
  const std::string text = ReadWholeFile("/proc/stat").value_or("");
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    double value = 0;
    if (absl::StartsWith(line, "btime ") && absl::SimpleAtod(line.substr(6), &value)) return value;
  }
  return 0;
}

}  // namespace

void AddProcessSeries(MetricText* out) {
  const std::vector<std::string> fields = StatFields();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double resident = NumberOf(fields, 24) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double threads = NumberOf(fields, 20);
  out->Add(kCpu, {}, (NumberOf(fields, 14) + NumberOf(fields, 15)) / ticks);
  out->Add(kStart, {}, BootSeconds() + NumberOf(fields, 22) / ticks);
  out->Add(kOpenFiles, {}, OpenDescriptors());
  out->Add(kMaxFiles, {}, MaxDescriptors());
  out->Add(kVirtual, {}, NumberOf(fields, 23));
  out->Add(kResident, {}, resident);
  out->Add(kThreads, {}, threads);
  out->Add(kJvmUsedOld, {{"area", "heap"}}, resident);
  out->Add(kJvmMaxOld, {{"area", "heap"}}, -1.0);
  out->Add(kJvmUsed, {{"area", "heap"}}, resident);
  for (const Family* family : {&kJvmThreads, &kJvmThreadsPeak, &kJvmThreadsStarted})
    out->Add(*family, {}, threads);
  out->Add(kJvmCollections, {{"gc", "none"}}, uint64_t{0});
}

}  // namespace walduct::admin
