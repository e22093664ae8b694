#include "encode/program/template_encoder.h"

#include <utility>

#include "base/status_macros.h"

namespace walduct::encode {

using event::ChainOutcome;

TemplateEncoder::TemplateEncoder(const event::TransformChain& chain,
                                 const config::EncodeOptions& options, const std::string& run_id,
                                 SourceBlock* source, ValueContext* context)
    : chain_(chain),
      builder_(options, run_id),
      converters_{options.key, options.value, options.header},
      inputs_(options.values, source),
      context_(context) {}

event::Node TemplateEncoder::SourceOf(const TablePlan* plan) const {
  return plan == nullptr ? event::NullNode(nullptr)
                         : builder_.SourceOf(*emission_->change->schema, *plan);
}

std::unique_ptr<RecordBranch> TemplateEncoder::MakeBranch(ChainOutcome outcome,
                                                          const TablePlan* plan,
                                                          RecordBranches* branches) {
  branches->bytes += kBranchBytes;
  auto branch = std::make_unique<RecordBranch>();
  const event::Node source = SourceOf(plan);
  const InputPlans inputs{plan, plan == nullptr ? nullptr : &source};
  switch (outcome.kind) {
    case ChainOutcome::Kind::kRecord: {
      auto program = RecordProgram::Compile(outcome.record, inputs, converters_);
      if (program.ok()) {
        branch->program = *std::move(program);
      } else {
        branch->error = program.status();
      }
      break;
    }
    case ChainOutcome::Kind::kQuestion:
      branch->question = QuestionProgram::Compile(outcome.question, inputs);
      break;
    case ChainOutcome::Kind::kFailed:
      branch->error = outcome.error;
      break;
    case ChainOutcome::Kind::kDropped:
      break;
  }
  for (const std::string& notice : outcome.notices) {
    if (reported_.size() < kMaxNotices && reported_.insert(notice).second)
      notices_.push_back(notice);
  }
  if (outcome.kind != ChainOutcome::Kind::kQuestion) outcome.record = {};  // only Resume needs it
  branch->outcome = std::move(outcome);
  return branch;
}

std::vector<std::string> TemplateEncoder::TakeNotices() { return std::exchange(notices_, {}); }

RecordBranch* TemplateEncoder::RootOf(const event::Emission& emission, const TablePlan* plan,
                                      RecordBranches* branches) {
  const uint32_t kind = TemplateKey(emission);
  for (const auto& [known, branch] : branches->kinds) {
    if (known == kind) return branch.get();
  }
  event::RecordTemplate record =
      plan == nullptr ? builder_.OfOther(emission) : builder_.OfRow(emission, *plan);
  branches->kinds.emplace_back(kind, MakeBranch(chain_.Start(std::move(record)), plan, branches));
  return branches->kinds.back().second.get();
}

absl::Status TemplateEncoder::Follow(RecordBranch* branch, const TablePlan* plan,
                                     RecordBranches* branches, RecordBranch** next) {
  RETURN_IF_ERROR(branch->question.Run(inputs_, context_, &buffers_, &answer_));
  if (!answer_.null) {
    if (const auto found = branch->answers.find(answer_.text); found != branch->answers.end()) {
      *next = found->second.get();
      return absl::OkStatus();
    }
  }
  std::unique_ptr<RecordBranch>& made =
      answer_.null ? branch->null_answer : branch->answers[answer_.text];
  if (made == nullptr) {
    branches->bytes += kBytesPerAnswerByte * answer_.text.size();
    made = MakeBranch(chain_.Resume(branch->outcome, answer_), plan, branches);
  }
  *next = made.get();
  return absl::OkStatus();
}

absl::Status TemplateEncoder::Encode(const event::Emission& emission, const TablePlan* plan,
                                     RecordBranches* branches, int64_t now_nanos,
                                     event::Record* record) {
  emission_ = &emission;
  inputs_.Begin(emission, plan, now_nanos);
  if (branches->bytes > kMaxBytes) *branches = {};
  RecordBranch* branch = RootOf(emission, plan, branches);
  while (branch->outcome.kind == ChainOutcome::Kind::kQuestion)
    RETURN_IF_ERROR(Follow(branch, plan, branches, &branch));
  RETURN_IF_ERROR(branch->error);
  if (branch->outcome.kind == ChainOutcome::Kind::kDropped) {
    record->dropped = true;
    return absl::OkStatus();
  }
  record->warned = branch->outcome.warned;
  return branch->program->Run(inputs_, context_, &buffers_, record);
}

}  // namespace walduct::encode
