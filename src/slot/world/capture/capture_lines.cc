#include "slot/world/capture/capture_lines.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "replication/capture/capture_words.h"

namespace walduct::slot {

using metrics::CaptureProblem;
using replication::CaptureFinding;

void CaptureLines::Saw(std::vector<CaptureFinding> findings, const When& when) {
  std::map<Key, Standing> all;
  for (CaptureFinding& finding : findings) {
    const Key key = {finding.reason, finding.table};
    const auto before = all_.find(key);
    Standing standing{.finding = std::move(finding), .since = when.now};
    if (before != all_.end()) {
      standing.since = before->second.since;
      standing.looks = before->second.looks + (when.in_turn ? 1 : 0);
      standing.said = before->second.said && before->second.finding.loses == standing.finding.loses;
    } else if (when.at_start && !standing.finding.loses) {
      standing.said = true;
    }
    all.emplace(key, std::move(standing));
  }
  for (auto& [key, standing] : all_) {
    if (all.contains(key) || !standing.finding.loses) continue;
    if (when.keeps && standing.stands()) {
      standing.kept = true;
      all.emplace(key, std::move(standing));
    } else if (standing.said) {
      ended_.push_back(key);
    }
  }
  all_ = std::move(all);
}

void CaptureLines::Settle() {
  std::erase_if(all_, [this](const auto& one) {
    if (one.second.kept && one.second.said) ended_.push_back(one.first);
    return one.second.kept;
  });
}

void CaptureLines::End(const CaptureFinding& finding) {
  const auto found = all_.find({finding.reason, finding.table});
  if (found == all_.end()) return;
  if (found->second.said) ended_.push_back(found->first);
  all_.erase(found);
}

void CaptureLines::SawTheSame() {
  for (auto& [key, standing] : all_) ++standing.looks;
}

bool CaptureLines::keeps() const {
  return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one.second.kept; });
}

bool CaptureLines::undecided() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const auto& one) { return !one.second.stands() || one.second.kept; });
}

std::vector<CaptureProblem> CaptureLines::Problems(const replication::CaptureWish& wish) const {
  std::vector<CaptureProblem> problems;
  std::map<std::pair<std::string, bool>, std::vector<const CaptureFinding*>> groups;
  std::map<std::pair<std::string, bool>, absl::Time> since;
  for (const auto& [key, standing] : all_) {
    if (!standing.stands()) continue;
    const std::pair group = {key.first, standing.finding.loses};
    groups[group].push_back(&standing.finding);
    const auto [oldest, is_new] = since.emplace(group, standing.since);
    if (!is_new) oldest->second = std::min(oldest->second, standing.since);
  }
  for (const auto& [group, findings] : groups) {
    CaptureProblem problem{.reason = group.first,
                           .loses = group.second,
                           .since = since[group],
                           .message = std::string(replication::CaptureMessage(group.first)),
                           .hint = replication::CaptureHint(findings, wish),
                           .count = findings.size()};
    for (const CaptureFinding* const finding : findings) {
      if (problem.tables.size() >= replication::kMostNamed) break;
      // Empty: of the publication as a whole.
      if (std::string subject = replication::CaptureSubject(*finding); !subject.empty())
        problem.tables.push_back(std::move(subject));
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

CaptureLines::News CaptureLines::Take(absl::Duration now, absl::Duration repeat,
                                      const replication::CaptureWish& wish) {
  std::set<std::pair<std::string, bool>> fresh;
  for (auto& [key, standing] : all_) {
    if (!standing.stands() || standing.said) continue;
    standing.said = true;
    fresh.emplace(key.first, standing.finding.loses);
  }
  News news;
  for (CaptureProblem& problem : Problems(wish)) {
    const auto said = said_at_.find(problem.reason);
    const bool again = said == said_at_.end() || now - said->second >= repeat;
    if (!fresh.contains({problem.reason, problem.loses}) && !(problem.loses && again)) continue;
    if (problem.loses) said_at_[problem.reason] = now;
    std::string tables = absl::StrJoin(problem.tables, ", ");
    const size_t named = problem.tables.size();
    if (named >= replication::kMostNamed && problem.count > named) tables += ", …";
    auto& lines = problem.loses ? news.warnings : news.notices;
    lines.push_back({.problem = std::move(problem), .tables = std::move(tables)});
  }
  std::map<std::string, std::vector<std::string>> ended;
  for (const auto& [reason, table] : std::exchange(ended_, {})) ended[reason].push_back(table);
  for (const auto& [reason, tables] : ended)
    news.ended.emplace_back(reason, absl::StrJoin(tables, ", "));
  return news;
}

}  // namespace walduct::slot
