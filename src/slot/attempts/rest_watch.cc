#include "slot/attempts/rest_watch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "engine/errors/named_hint.h"
#include "slot/incremental/new_tables.h"
#include "slot/world/capture/capture_options.h"
#include "slot/world/known/known_slots.h"
#include "slot/world/known/known_tables.h"

namespace walduct::slot {
namespace {

// They go by what was captured before, which a session remembers, or are not looked for at rest.
constexpr std::array<absl::string_view, 12> kOfMemory = {
    "captured_table_dropped",  "captured_table_renamed",  "column_matches_nothing",
    "partition_attached",      "publication_column_list", "publication_lacks_operations",
    "publication_row_filter",  "replica_identity_weaker", "table_created_anew",
    "table_was_not_published", "table_was_unlogged",      "topic_deleted"};

}  // namespace

void RestWatch::End() {
  watch_.reset();
  record_ = {};
  recalled_ = false;
  before_.clear();
  due_ = absl::ZeroDuration();
}

// What goes with the position is less than a session knows.
void RestWatch::Recall(const Parts& parts) {
  replication::CaptureMemory& memory = record_.memory;
  memory = parts.known->captured();
  const KnownTables known = KnownTablesIn(parts.stored->members);
  recalled_ = true;
  watch_.reset();
  if (known.publication != Oid{}) memory.read_by = known.publication;
  if (memory.begun || known.publication == Oid{}) return;
  if (!known.settings.empty()) {
    const auto sent = [&known](char letter) {
      return absl::StrContains(known.settings.substr(0, known.settings.find(' ')), letter);
    };
    memory.begun = true;
    memory.inserts = sent('i');
    memory.updates = sent('u');
    memory.deletes = sent('d');
    memory.truncates = sent('t');
    memory.generated = sent('g');
    memory.via_root = sent('r');
    memory.publication = known.publication;
  }
  for (const auto& [name, table] : known.tables) {
    if (table.relation == Oid{}) continue;
    memory.tables[name] = {
        .relation = table.relation, .filter = {}, .from_start = false, .bare = true};
  }
  for (const Lack& lack : known.lacks)
    record_.lacking.push_back(FindingOf(lack, parts.names.called));
}

absl::Status RestWatch::Look(const Parts& parts, const postgres::StopCheck& stopping) {
  names_ = parts.names;
  if (!recalled_ && parts.stored) Recall(parts);
  if (watch_ == nullptr) {
    if (!record_.memory.begun) record_.memory = parts.known->captured();
    recalled_ = record_.memory.begun;
    if (const auto shown = parts.metrics->capture.Read()) before_ = shown->problems;
    names::TableFilterOptions tables = *parts.look->tables;
    tables.share = nullptr;
    CaptureWatch::Options watch = CaptureOptionsOf(
        tables, *parts.look->route, *parts.look->replication, absl::Seconds(10), {},
        parts.environment, parts.look->heartbeat_query, parts.look->publications_of_others);
    watch.wish.follows = false;
    watch.wanted = parts.look->wanted;
    watch.names = parts.names;
    watch.retell = [this](std::vector<metrics::CaptureProblem>* problems) { Retell(problems); };
    watch.record = &record_;
    watch.metrics = parts.metrics;
    watch_ = std::make_unique<CaptureWatch>(std::move(watch));
  }
  const absl::Status looked = watch_->Look(*parts.look->session, stopping);
  if (looked.ok() && watch_->WantsLookSoon()) due_ += kSoon - kInterval;
  return looked;
}

void RestWatch::Retell(std::vector<metrics::CaptureProblem>* problems) const {
  for (metrics::CaptureProblem& problem : *problems)
    problem.hint = engine::NamedHint(problem.reason, "", problem.hint, names_);
  const bool undecided = record_.lines.undecided();
  for (const metrics::CaptureProblem& one : before_) {
    const bool of_memory =
        std::find(kOfMemory.begin(), kOfMemory.end(), one.reason) != kOfMemory.end();
    const bool told = std::any_of(problems->begin(), problems->end(),
                                  [&one](const auto& now) { return now.reason == one.reason; });
    if (!told && (of_memory || undecided)) problems->push_back(one);
  }
}

}  // namespace walduct::slot
