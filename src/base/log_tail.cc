#include "base/log_tail.h"

#include <utility>

namespace walduct::log {
namespace {

// Never in the middle of a character.
std::string Cut(std::string text) {
  if (text.size() <= LogTail::kMostOfALine) return text;
  size_t end = LogTail::kMostOfALine;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text + "…";
}

}  // namespace

void LogTail::Keep(const std::string& connector, Level level, absl::Time at, std::string text) {
  text = Cut(std::move(text));
  const MutexLock lock(mutex_);
  if (connectors_.size() >= kNames && !connectors_.contains(connector)) return;
  Lines& lines = connectors_[connector];
  lines.bytes += text.size();
  lines.all.push_back({.number = ++last_, .at = at, .level = level, .text = std::move(text)});
  while (lines.all.size() > kLines || lines.bytes > kBytes) {
    lines.bytes -= lines.all.front().text.size();
    lines.all.pop_front();
  }
}

std::vector<LogTail::Line> LogTail::Read(const std::string& connector, uint64_t after) const {
  const MutexLock lock(mutex_);
  const auto found = connectors_.find(connector);
  if (found == connectors_.end()) return {};
  std::vector<Line> lines;
  for (const Line& line : found->second.all)
    if (line.number > after) lines.push_back(line);
  return lines;
}

void LogTail::KeepOnly(const std::set<std::string>& connectors) {
  const MutexLock lock(mutex_);
  std::erase_if(connectors_, [&connectors](const auto& one) {
    return !one.first.empty() && !connectors.contains(one.first);
  });
}

}  // namespace walduct::log
