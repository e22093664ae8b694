// What `walduct offsets` does: the stored position of a stopped connector, as the body of Connect's
// /connectors/{name}/offsets, or as an LSN. Blocking; for the command line.
//
// What changes a position answers lines for people: what it was, what it is, what that means.
// FailedPrecondition connector_running while the slot is in use.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/environment.h"
#include "base/lsn.h"
#include "event/change_id.h"
#include "operate/commands/lsn_place.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::operate {

// What is done all the same. See JudgeMove and JudgeImport.
struct Accepts {
  bool loss = false;     // changes are never published; what is imported no start goes on from
  bool foreign = false;  // what is stored is the position of another server
};

// {"offsets":[…]}; an empty list when nothing is stored.
absl::StatusOr<std::string> ReadOffsets(const engine::ConnectorOptions& options,
                                        const Environment& environment);

// Stores (or, for "offset": null, forgets) the offset of this connector's partition. An unreachable
// database does not matter: then nobody can be streaming from us either.
absl::StatusOr<std::string> WriteOffsets(const engine::ConnectorOptions& options,
                                         absl::string_view rest_body, Accepts accepts,
                                         const Environment& environment);

struct OffsetMove {
  std::optional<Lsn> to;  // absent: forgets the position
  int slot = 0;           // of several, the one that goes there; 0: not named
  Accepts accepts = {};
  bool drop_slot = false;  // where it is forgotten: the slot, too; one that is lost goes anyway
};
// The server has to answer: it is asked what the move means. See JudgeMove for what is refused.
// InvalidArgument: which slot goes there is not said, or there is none of that number.
absl::StatusOr<std::string> MoveOffset(const engine::ConnectorOptions& options,
                                       const OffsetMove& move, const Environment& environment);

// Of a reader that may begin anew, such as a shadow: a position that nobody can go on from, for its
// slot is gone or lost, is forgotten, and what is left of the slot dropped. Answers what became of
// the slot; empty: nothing was changed.
absl::StatusOr<std::string> ForgetWithoutSlot(const engine::ConnectorOptions& options,
                                              const Environment& environment);

// The stored position goes with the order not to publish that change when the stream comes to it.
// Answers lines as above. FailedPrecondition offset_missing, change_behind: nothing could be
// skipped.
absl::StatusOr<std::string> SkipChange(const engine::ConnectorOptions& options,
                                       const event::ChangeId& change,
                                       const Environment& environment);

// Where an LSN lies; changes nothing. The transaction is known where the extension pg_walinspect is
// installed and may be used, and the WAL is still there.
absl::StatusOr<LsnFacts> FactsOfLsn(const engine::ConnectorOptions& options, Lsn lsn,
                                    const Environment& environment);

}  // namespace walduct::operate
