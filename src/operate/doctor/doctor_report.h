// What a doctor has found, as JSON, and read from JSON: a running process answers with it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "engine/control/status_board.h"
#include "operate/commands/offset_topic_watch.h"
#include "operate/doctor/doctor.h"

namespace walduct::engine {
class Connectors;
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::metrics {
struct ConnectorMetrics;
}
namespace walduct::names {
struct TableFilterOptions;
}

namespace walduct::operate {

struct Examined {
  std::string connector;
  Findings findings;
};

// What this process knows of a connector.
struct KnownHere {
  bool runs = false;      // here, and knows a position
  bool had_slot = false;  // seen here
  // Lists of other connectors that read by the same publication; borrowed.
  std::vector<const names::TableFilterOptions*> sharing = {};
  std::set<std::string> slots_of_others = {};         // of the same server
  std::set<std::string> publications_of_others = {};  // of the same database
};

// The connector has had a slot, as this process has seen.
bool HadSlot(const metrics::ConnectorMetrics& numbers);

// What another connector of this process, or of its worker, reads is not to be dropped. own: the
// slot of this one.
void KeepSlotsOfOthers(const std::string& own, const std::set<std::string>& slots_of_others,
                       Findings* findings);

// Beside an error that a start is refused for, a slot that nobody reads is not to be read by one.
void NoStartBesideErrors(Findings* findings);

// Asks its servers; blocks. names: as hints are to call it.
Examined ExamineConnector(const engine::ConnectorOptions& options,
                          const engine::ConnectorNames& names, const Environment& environment,
                          const KnownHere& known = {});

// The same of a connector that runs here, each of its lanes, as JSON. One at a time. warnings: of
// its configuration. slots_of_others: on its server, beside those of `connectors`;
// publications_of_others: of its database.
std::string ExamineRunning(const engine::ConnectorOptions& options,
                           const engine::Connectors& connectors, const Environment& environment,
                           const std::vector<std::string>& warnings = {},
                           const std::set<std::string>& slots_of_others = {},
                           const std::set<std::string>& publications_of_others = {});

// For OffsetTopicWatch; borrows the options.
OffsetTopic OffsetTopicOf(const engine::ConnectorOptions& options, const Environment& environment);

// Before the text of a prefix that connectors share.
inline constexpr char kOfPrefix[] = "property 'topic.prefix': ";
// What loading a configuration has warned of, "property 'x': …".
void AddWarnings(const std::vector<std::string>& warnings, Findings* findings);

size_t CountOf(const Examined& one, Severity severity);
std::string ExaminedJson(const std::vector<Examined>& all);
// Absent: it is none of these.
std::optional<std::vector<Examined>> ParseExamined(absl::string_view json);

// What a connector that runs here knows of itself: captured tables of which changes do not come,
// and what it waits for without progress. What it fails of, or has failed of, comes before all.
void AddLive(const engine::ConnectorStatus& status, const metrics::ConnectorMetrics& numbers,
             absl::Time now, Findings* findings);

}  // namespace walduct::operate
