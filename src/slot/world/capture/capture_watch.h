// CaptureWatch: looks at the catalog from beside the stream for what a start has found right: that
// the publication still sends the tables that the lists admit, by their OIDs, and as much of them
// as before. What is not so is said in the log, again and again, and shown on the board; with
// walduct.publication.follow the publication gets the tables that it lacks. Never waits for a lock
// for longer than a moment, never stops anything.
//
// A look asks for a mark of the catalog, and for the rest only when that has changed.
//
// Thread-safety: one thread, that of a ServerWatch, but for what says otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "engine/configuration/connector_names.h"
#include "event/wanted_columns.h"
#include "metrics/connector_metrics.h"
#include "names/table_filter.h"
#include "postgres/connection.h"
#include "replication/capture/capture_judge.h"
#include "replication/capture/follow.h"
#include "replication/slot_share.h"
#include "slot/world/capture/capture_record.h"
#include "slot/world/capture/captured_now.h"

namespace walduct::incremental {
struct IncrementalOptions;
}

namespace walduct::slot {

class CaptureWatch {
 public:
  // A session with the right to alter the publication.
  using Open = std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>(
      const postgres::StopCheck&)>;

  struct Options {
    std::vector<std::string> publications;  // of all slots, by number
    names::TableFilterOptions tables;
    replication::SlotShare share;
    replication::CaptureWish wish;  // without what is borrowed, and without names
    absl::Duration interval;        // of looks, when it is asked more often
    absl::Duration repeat;          // what loses changes is said again so often
    Open open;                      // used only to follow
    // Where each look that finds something changed leaves what is captured; null: nobody asks.
    std::shared_ptr<CapturedBox> captured = nullptr;
    std::set<Oid> held_back = {};  // see StartCoverage
    engine::ConnectorNames names = {};
    event::WantedColumns wanted = {};  // of tables that a snapshot reads
    bool keyless_left_out = true;      // by an incremental snapshot
    // What else is to be found, asked with what has changed; null: nothing.
    std::function<absl::StatusOr<std::vector<replication::CaptureFinding>>(postgres::Connection&)>
        more = nullptr;
    // What is shown, before it is; empty: as it is.
    std::function<void(std::vector<metrics::CaptureProblem>*)> retell = {};
    CaptureRecord* record = nullptr;               // borrowed
    metrics::ConnectorMetrics* metrics = nullptr;  // borrowed
    Environment environment;

    void Takes(const incremental::IncrementalOptions& incremental);
  };
  explicit CaptureWatch(Options options);

  // The next look is one whatever the interval; again: it leaves what it finds for whoever asks,
  // though nothing has changed. Any thread.
  void Hurry(bool again) {
    if (again && options_.captured != nullptr) options_.captured->Ask();
    hurry_ = true;
  }
  // Something was seen for the first time: another look is wanted in a few seconds.
  bool WantsLookSoon() const { return options_.record->lines.undecided(); }
  // Something is over but for what it has cost; any thread.
  bool keeps() const { return keeps_; }
  // Before there is a stream: how all is captured now is what a first look is compared with, unless
  // an earlier session is. Says nothing.
  absl::Status Remember(postgres::Connection& connection);
  // connection: none of the stream's.
  absl::Status Look(postgres::Connection& connection, const postgres::StopCheck& stopping);
  // A look that has come to an end, or for which there was no session.
  void Tried(const absl::Status& looked);

 private:
  absl::Status LookWell(postgres::Connection& connection, bool in_turn,
                        const postgres::StopCheck& stopping);
  absl::Status Resolve(postgres::Connection& connection);
  absl::StatusOr<replication::CaptureVerdict> Judge(postgres::Connection& connection);
  // True: the publication was altered.
  bool Follow(const std::vector<replication::PublishedTable>& tables,
              const postgres::StopCheck& stopping);
  void Spread();
  size_t OwnPublication() const;
  void Tell();
  bool Hear();
  // What is captured goes to the data thread.
  absl::Status HandOn(postgres::Connection& connection);
  // True: a table that is held back has none left.
  absl::StatusOr<bool> WritersHaveEnded(postgres::Connection& connection);
  absl::Status HoldBack(postgres::Connection& connection, replication::Coverage* coverage);
  bool Admits(const replication::TableFacts& table);
  void AddMore(postgres::Connection& connection,
               std::vector<replication::CaptureFinding>* findings);
  static absl::Status AddGrants(postgres::Connection& connection,
                                const event::WantedColumns& wanted,
                                std::vector<replication::CaptureFinding>* findings);

  Options options_;
  const names::TableFilter filter_;
  const std::function<bool(const replication::TableFacts&)> admits_;
  absl::flat_hash_map<std::string, bool> admitted_;  // by name, as the lists answered
  std::vector<std::string> publications_;            // as they are called
  std::string mark_;
  bool of_columns_ = false;  // what was found may end without a trace in the mark
  std::atomic<bool> hurry_{false};
  std::atomic<bool> keeps_{false};
  std::optional<absl::Duration> looked_at_;
  bool looked_ = false;
  bool follow_again_ = false;                                          // not all was done
  absl::Duration follow_at_;                                           // not before
  std::map<std::string, replication::FollowResult::Refusal> refused_;  // by table
  replication::CaptureFacts facts_;
  std::set<Oid> elsewhere_;  // other slots' tables
  // By table, what named it when it was looked last; and who may have written to it before it was
  // named so, and has not ended.
  std::map<Oid, std::vector<Oid>> named_by_;
  std::map<Oid, std::set<std::string>> writers_;
  bool handed_on_ = false;
  bool hand_on_ = false;  // to be done with this look, or the next one, whatever has changed
};

}  // namespace walduct::slot
