#include "transform/chain/chain.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "event/transform_error.h"

namespace walduct::transform {
namespace {

using event::Answer;
using event::ChainOutcome;

// Functions that have no owner yet are of the stage that has just run: their errors name it.
void Sign(const std::string& alias, event::Node* node) {
  for (event::Node& member : node->members) Sign(alias, &member);
  if (node->kind != event::Node::Kind::kLeaf || node->leaf.function == nullptr) return;
  if (node->leaf.by.empty()) node->leaf.by = alias;
  for (event::Node& operand : node->leaf.operands) Sign(alias, &operand);
}

void Sign(const std::string& alias, event::RecordTemplate* record) {
  for (event::Node& header : record->headers) Sign(alias, &header);
  for (std::optional<event::Node>* part :
       {&record->key, &record->value, &record->partition, &record->timestamp}) {
    if (part->has_value()) Sign(alias, &**part);
  }
}

void AddNotices(const std::string& alias, const Questions& questions, ChainOutcome* outcome) {
  const auto add = [&](const std::string& notice) {
    if (!notice.empty())
      outcome->notices.push_back(absl::StrCat("transform '", alias, "': ", notice));
  };
  add(questions.reason());
  for (const std::string& notice : questions.notices()) add(notice);
  outcome->warned = outcome->warned || questions.warned();
  outcome->event = outcome->event || questions.event();
}

bool SameNodes(const std::vector<event::Node>& a, const std::vector<event::Node>& b);

// Of one template and its copy: what was not touched is shared.
bool SameNode(const event::Node& a, const event::Node& b) {
  const event::Leaf &left = a.leaf, &right = b.leaf;
  return a.kind == b.kind && a.name == b.name && a.schema == b.schema && left.kind == right.kind &&
         left.input == right.input && left.function == right.function &&
         left.constant_text == right.constant_text && SameNodes(left.operands, right.operands) &&
         SameNodes(a.members, b.members);
}

bool SameNodes(const std::vector<event::Node>& a, const std::vector<event::Node>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameNode);
}

bool SamePart(const std::optional<event::Node>& a, const std::optional<event::Node>& b) {
  return a.has_value() == b.has_value() && (!a || SameNode(*a, *b));
}

// But for the headers.
bool SameRecord(const event::RecordTemplate& a, const event::RecordTemplate& b) {
  return a.topic == b.topic && SamePart(a.key, b.key) && SamePart(a.value, b.value) &&
         SamePart(a.partition, b.partition) && SamePart(a.timestamp, b.timestamp);
}

}  // namespace

std::unique_ptr<const Chain> Chain::Create(const ChainSpec& spec) {
  if (spec.transforms.empty()) return nullptr;
  auto chain = std::make_unique<Chain>();
  for (const TransformSpec& transform : spec.transforms) {
    chain->links_.push_back(
        {transform.alias, transform.make(), transform.predicate, transform.negate});
  }
  return chain;
}

ChainOutcome Chain::Start(event::RecordTemplate record) const {
  ChainOutcome from;
  from.record = std::move(record);
  return Run(std::move(from));
}

bool Chain::shares_headers() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const Link& link) { return link.stage->adds_to_shared_headers(); });
}

ChainOutcome Chain::StartTombstone(event::RecordTemplate tombstone,
                                   event::RecordTemplate of_delete) const {
  ChainOutcome from;
  from.record = std::move(of_delete);
  from.tombstone = std::move(tombstone);
  return Run(std::move(from));
}

ChainOutcome Chain::Resume(const ChainOutcome& at, const Answer& answer) const {
  CHECK(at.kind == ChainOutcome::Kind::kQuestion);
  ChainOutcome from;
  from.record = at.record;
  from.tombstone = at.tombstone;
  from.stage = at.stage;
  from.answers = at.answers;
  from.answers.push_back(answer);
  from.notices = at.notices;
  from.warned = at.warned;
  from.event = at.event;
  return Run(std::move(from));
}

std::optional<bool> Chain::Takes(const Link& link, const event::RecordTemplate& record,
                                 Questions* questions) {
  if (link.predicate == nullptr) return true;
  const std::optional<bool> holds = link.predicate->Test(record, questions);
  if (!holds) return std::nullopt;
  return *holds != link.negate;
}

absl::StatusOr<Verdict> Chain::Apply(const Link& link, event::RecordTemplate* record,
                                     Questions* questions) {
  const std::optional<bool> takes = Takes(link, *record, questions);
  if (!takes) return Verdict::kAsk;
  return *takes ? link.stage->Apply(record, questions) : Verdict::kKeep;
}

// What is worth saying of the delete, it has said itself.
bool Chain::PassDelete(ChainOutcome* from) const {
  for (; from->stage < links_.size(); ++from->stage, from->answers.clear()) {
    const Link& link = links_[from->stage];
    Questions questions(from->answers);
    event::RecordTemplate record = from->record;
    const std::optional<bool> takes = Takes(link, record, &questions);
    if (takes && !*takes) continue;
    const SharedHeaders headers = link.stage->shared_headers(record);
    const absl::StatusOr<Verdict> verdict =
        takes ? link.stage->Apply(&record, &questions) : Verdict::kAsk;
    if (verdict.ok() && *verdict == Verdict::kAsk) {
      from->kind = ChainOutcome::Kind::kQuestion;
      from->by = link.alias;
      from->question = questions.pending();
      Sign(link.alias, &from->question);
      return false;
    }
    Sign(link.alias, &record);
    const bool added = headers == SharedHeaders::kAddedTo;
    if (added) from->tombstone->headers = record.headers;
    const bool same = SameRecord(from->record, record) &&
                      (added || SameNodes(from->record.headers, record.headers));
    const bool shared =
        headers == SharedHeaders::kKept || (same && headers != SharedHeaders::kCopied);
    if (!verdict.ok() || *verdict == Verdict::kDrop || !shared) break;
    from->record = std::move(record);
  }
  from->record = *std::exchange(from->tombstone, std::nullopt);
  from->stage = 0;
  from->answers.clear();
  return true;
}

ChainOutcome Chain::Run(ChainOutcome from) const {
  if (from.tombstone && !PassDelete(&from)) return from;
  for (; from.stage < links_.size(); ++from.stage, from.answers.clear()) {
    const Link& link = links_[from.stage];
    Questions questions(from.answers);
    event::RecordTemplate record = from.record;
    const absl::StatusOr<Verdict> verdict = Apply(link, &record, &questions);
    from.by = link.alias;
    AddNotices(link.alias, questions, &from);
    if (!verdict.ok()) {
      from.kind = ChainOutcome::Kind::kFailed;
      from.error = event::TransformError(verdict.status(), link.alias,
                                         absl::StrCat("a record of topic ", from.record.topic));
      return from;
    }
    if (*verdict == Verdict::kAsk) {
      from.kind = ChainOutcome::Kind::kQuestion;
      from.question = questions.pending();
      Sign(link.alias, &from.question);
      return from;
    }
    if (*verdict == Verdict::kDrop) {
      from.kind = ChainOutcome::Kind::kDropped;
      return from;
    }
    Sign(link.alias, &record);
    from.record = std::move(record);
  }
  from.kind = ChainOutcome::Kind::kRecord;
  return from;
}

}  // namespace walduct::transform
