// Entries of column.mask.*, column.truncate.*, column.exclude.list, column.include.list and
// column.propagate.source.type that match no column of a captured table: misspelt, or of columns
// that are gone, or still to come.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/errors/warn_once.h"
#include "metrics/capture_board.h"
#include "replication/capture/capture_judge.h"
#include "slot/masks/former_names.h"
#include "slot/masks/mask_losses.h"

namespace walduct::encode {
struct ColumnOptions;
}
namespace walduct::engine {
struct ConnectorOptions;
}
namespace walduct::names {
struct Called;
}
namespace walduct::postgres {
class Connection;
}

namespace walduct::slot {

struct CaptureRecord;

// names: "schema.table.column" of all captured tables; empty: nothing is found. Those that were to
// hide a column lose. former: an entry of such a name is kept for older rows, and is no finding
// while its list has the name of now, too. Pure.
std::vector<replication::CaptureFinding> FindIdleColumns(const encode::ColumnOptions& columns,
                                                         const std::vector<std::string>& names,
                                                         const FormerNames& former = {});

// In the words of a connector that runs, before anything does; of several slots the first says it
// of all. begun: what was to hide no column is only worth knowing by now. With walduct.allow.empty
// all of it is.
absl::StatusOr<std::vector<metrics::CaptureProblem>> FindColumnProblems(
    const engine::ConnectorOptions& config, postgres::Connection& connection,
    const FormerNames& former = {}, bool begun = false);

// The same in the log. Advice: it never stops a start.
void WarnOfColumnEntries(const engine::ConnectorOptions& config, postgres::Connection& connection,
                         const FormerNames& former, engine::WarnOnce* warn_once);

// For looks beside a stream, as of what has begun. Null: there is nothing to look for.
using LookForMore =
    std::function<absl::StatusOr<std::vector<replication::CaptureFinding>>(postgres::Connection&)>;
LookForMore ColumnLook(const engine::ConnectorOptions& config, const CaptureRecord& record);

// Of entries that hid a column which is called otherwise now: the next row of its table stops the
// connector, and what to type is known.
void TellLostMasks(const std::vector<MaskLoss>& losses, const names::Called& called,
                   std::vector<replication::CaptureFinding>* findings);

}  // namespace walduct::slot
