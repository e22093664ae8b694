#include "base/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace walduct {
namespace {

// What version 1 shows for "none" is a multiple of the page size near 2^63.
constexpr uint64_t kNoLimit = uint64_t{1} << 60;

std::optional<uint64_t> ReadLimit(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  uint64_t bytes = 0;
  const bool read = std::getline(file, text) && absl::SimpleAtoi(text, &bytes);
  return read && bytes < kNoLimit ? std::optional(bytes) : std::nullopt;
}

std::optional<uint64_t> Smaller(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

// Of the group and of those above it. Inside a container the path may be that of the host: then
// only the root, which is the container's own, is there.
std::optional<uint64_t> SmallestAbove(const std::string& groups, std::string path,
                                      absl::string_view file) {
  std::optional<uint64_t> smallest = ReadLimit(absl::StrCat(groups, "/", file));
  for (size_t end = path.size(); end != std::string::npos && end > 0; end = path.rfind('/')) {
    path.resize(end);
    smallest = Smaller(smallest, ReadLimit(absl::StrCat(groups, path, "/", file)));
  }
  return smallest;
}

}  // namespace

std::optional<uint64_t> MemoryLimit() { return MemoryLimit("/sys/fs/cgroup", "/proc/self/cgroup"); }

// Lines are NUMBER:CONTROLLERS:PATH; of version 2 there is one, without controllers.
std::optional<uint64_t> MemoryLimit(const std::string& groups, const std::string& own) {
  std::optional<uint64_t> smallest;
  std::ifstream file(own);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty())
      smallest = Smaller(smallest, SmallestAbove(groups, parts[2], "memory.max"));
    if (parts[1] == "memory") {
      smallest =
          Smaller(smallest, SmallestAbove(groups + "/memory", parts[2], "memory.limit_in_bytes"));
    }
  }
  return smallest;
}

}  // namespace walduct
