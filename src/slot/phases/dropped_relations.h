// DroppedRelations: forgets what a stream has told of tables that were dropped since, of which the
// server says nothing. Whenever so many more relations are known than the last time, the catalog is
// asked which of them are gone, beside the stream (Source::AskForGone). One that is gone is
// forgotten once the stream has passed the end of the WAL as of after the answer: whoever wrote to
// the table had ended before it was dropped, so no row of it comes behind. Announced again
// meanwhile, it stays. Data thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/lsn.h"
#include "pgoutput/assembler.h"
#include "replication/gone_relations.h"
#include "slot/phases/delayed_schema_resolver.h"

namespace walduct::slot {

class DroppedRelations {
 public:
  static constexpr size_t kLeast = 128;

  struct Parts {
    // Source::AskForGone and TakeGone.
    std::function<void(std::vector<replication::ToldRelation>)> ask;
    std::function<std::optional<replication::GoneRelations>()> take;
    pgoutput::Assembler* assembler = nullptr;   // borrowed, as the next
    DelayedSchemaResolver* resolver = nullptr;  // that the assembler asks
  };
  explicit DroppedRelations(Parts parts) : parts_(std::move(parts)) {}

  // Now and then, between transactions. Never waits.
  void Turn();

 private:
  enum class Step { kNothing, kAsked, kPassing };

  void Ask();
  void TakeAnswer();
  void Forget();
  void LookLater();

  Parts parts_;
  Step step_ = Step::kNothing;
  size_t look_at_ = kLeast;                      // as soon as so many are known
  std::vector<pgoutput::KnownRelation> listed_;  // kAsked: all of them; kPassing: those gone
  Lsn passed_at_;
};

}  // namespace walduct::slot
