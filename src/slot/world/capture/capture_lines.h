// CaptureLines: findings about captured tables, from look to look: since when each stands, and when
// the log has to say so. A finding counts once two looks have seen it: statements of a migration
// come one after the other. What loses changes is said again and again, what is worth knowing once.
// Not thread-safe; outlives sessions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "metrics/capture_board.h"
#include "replication/capture/capture_judge.h"

namespace walduct::slot {

class CaptureLines {
 public:
  struct Line {
    metrics::CaptureProblem problem;
    std::string tables;  // those that it names
  };
  struct News {
    std::vector<Line> warnings, notices;
    // Findings that stand no more, after they were said.
    std::vector<std::pair<std::string, std::string>> ended;  // reason, tables
  };

  struct When {
    absl::Time now;
    bool at_start = false;  // a start has just said what is only worth knowing
    bool in_turn = true;    // else the look before may have been a moment ago
    // What stands no more is not over before Settle: what it has cost is still to be found out.
    bool keeps = false;
  };
  void Saw(std::vector<replication::CaptureFinding> findings, const When& when);
  // It is mended, and nothing of what it has cost is still to be found out.
  void End(const replication::CaptureFinding& finding);
  // A look in turn, and nothing has changed since the one before.
  void SawTheSame();
  // Whatever what was kept has cost has been told of.
  void Settle();
  // What is over but for that.
  bool keeps() const;
  // The next look decides whether something counts, or is over.
  bool undecided() const;

  // What is to be said now; repeat: so often again.
  News Take(absl::Duration now, absl::Duration repeat, const replication::CaptureWish& wish);
  // What stands, by reason.
  std::vector<metrics::CaptureProblem> Problems(const replication::CaptureWish& wish) const;

 private:
  using Key = std::pair<std::string, std::string>;  // reason, table
  struct Standing {
    replication::CaptureFinding finding;
    absl::Time since;
    int looks = 1;
    bool said = false;
    bool kept = false;  // the last look has not seen it

    bool stands() const { return looks > 1 || finding.at_once; }
  };

  std::map<Key, Standing> all_;
  std::map<std::string, absl::Duration> said_at_;  // by reason
  std::vector<Key> ended_;                         // of those that were said
};

}  // namespace walduct::slot
