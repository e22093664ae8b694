// Chain: the transforms of a connector in order, each with its predicate. Immutable; thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "event/transform_chain.h"
#include "transform/chain/chain_spec.h"
#include "transform/template/predicate.h"
#include "transform/template/stage.h"

namespace walduct::transform {

class Chain final : public event::TransformChain {
 public:
  // Null when there are no transforms: records are written as they come.
  static std::unique_ptr<const Chain> Create(const ChainSpec& spec);

  event::ChainOutcome Start(event::RecordTemplate record) const override;
  bool shares_headers() const override;
  event::ChainOutcome StartTombstone(event::RecordTemplate tombstone,
                                     event::RecordTemplate of_delete) const override;
  event::ChainOutcome Resume(const event::ChainOutcome& at,
                             const event::Answer& answer) const override;

 private:
  struct Link {
    std::string alias;
    StagePtr stage;
    PredicatePtr predicate;  // null: always
    bool negate = false;
  };

  event::ChainOutcome Run(event::ChainOutcome from) const;
  // The delete before a tombstone, as far as both have their headers in common. False: a question.
  bool PassDelete(event::ChainOutcome* from) const;
  // Whether it is the stage's turn; nullopt: a question.
  static std::optional<bool> Takes(const Link& link, const event::RecordTemplate& record,
                                   Questions* questions);
  static absl::StatusOr<Verdict> Apply(const Link& link, event::RecordTemplate* record,
                                       Questions* questions);

  std::vector<Link> links_;
};

}  // namespace walduct::transform
