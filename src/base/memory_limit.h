// How much memory the system lets this process use: the bound of its control group (a container, a
// systemd unit), or of one above it, whichever is the smallest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace walduct {

// Absent: no bound, or none that can be read.
std::optional<uint64_t> MemoryLimit();
// The same of other files: /sys/fs/cgroup and /proc/self/cgroup.
std::optional<uint64_t> MemoryLimit(const std::string& groups, const std::string& own);

}  // namespace walduct
