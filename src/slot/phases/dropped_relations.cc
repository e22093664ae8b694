#include "slot/phases/dropped_relations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/log.h"

namespace walduct::slot {

void DroppedRelations::Turn() {
  switch (step_) {
    case Step::kNothing:
      if (parts_.assembler->known_relations() >= look_at_) Ask();
      break;
    case Step::kAsked:
      TakeAnswer();
      break;
    case Step::kPassing:
      if (parts_.assembler->position().commit_end >= passed_at_) Forget();
      break;
  }
}

void DroppedRelations::Ask() {
  listed_ = parts_.assembler->ListRelations();
  std::vector<replication::ToldRelation> told;
  told.reserve(listed_.size());
  for (const pgoutput::KnownRelation& known : listed_)
    told.push_back({.relation = known.relation, .transaction = known.transaction});
  parts_.ask(std::move(told));
  step_ = Step::kAsked;
}

void DroppedRelations::TakeAnswer() {
  const std::optional<replication::GoneRelations> answer = parts_.take();
  if (!answer) return;
  const absl::flat_hash_set<Oid> gone(answer->gone.begin(), answer->gone.end());
  std::erase_if(listed_, [&gone](const auto& known) { return !gone.contains(known.relation); });
  passed_at_ = answer->end;
  if (listed_.empty()) return LookLater();
  step_ = Step::kPassing;
}

void DroppedRelations::Forget() {
  for (const pgoutput::KnownRelation& known : listed_) {
    parts_.assembler->Forget(known);
    parts_.resolver->Forget(known.relation);
  }
  log::Debug("dropped tables are forgotten", {{"count", listed_.size()}});
  LookLater();
}

void DroppedRelations::LookLater() {
  listed_ = {};
  const size_t known = parts_.assembler->known_relations();
  look_at_ = known + std::max(kLeast, known / 4);
  step_ = Step::kNothing;
}

}  // namespace walduct::slot
