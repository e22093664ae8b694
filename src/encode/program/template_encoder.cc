#include "encode/program/template_encoder.h"

#include <utility>

#include "base/status_macros.h"
#include "encode/options/encode_options.h"

namespace walduct::encode {

using event::ChainOutcome;

TemplateEncoder::TemplateEncoder(const event::TransformChain* chain, const EncodeOptions& options,
                                 const std::string& run_id, event::SchemaIdSources ids,
                                 ValueContext* context)
    : chain_(chain),
      builder_(options, run_id),
      converters_{options.key, options.value, options.header, ids},
      inputs_(options.values),
      context_(context) {}

void TemplateEncoder::Compile(const event::RecordTemplate& record, const TablePlan* plan,
                              RecordBranch* branch) {
  auto program = RecordProgram::Compile(record, plan, converters_, &headers_);
  if (program.ok()) {
    branch->program = *std::move(program);
  } else {
    branch->error = program.status();
  }
}

std::unique_ptr<RecordBranch> TemplateEncoder::MakeBranch(ChainOutcome outcome,
                                                          const TablePlan* plan,
                                                          RecordBranches* branches) {
  branches->bytes += kBranchBytes;
  auto branch = std::make_unique<RecordBranch>();
  branch->warned = outcome.warned;
  for (const std::string& notice : outcome.notices) {
    if (reported_.size() < kMaxNotices && reported_.insert(notice).second)
      notices_.push_back(notice);
  }
  switch (outcome.kind) {
    case ChainOutcome::Kind::kRecord:
      Compile(outcome.record, plan, branch.get());
      break;
    case ChainOutcome::Kind::kQuestion:
      branch->question = std::make_unique<RecordQuestion>();
      branch->question->program = QuestionProgram::Compile(outcome.question, plan);
      branch->question->outcome = std::move(outcome);
      break;
    case ChainOutcome::Kind::kFailed:
      branch->error = outcome.error;
      break;
    case ChainOutcome::Kind::kDropped:
      break;
  }
  return branch;
}

std::vector<std::string> TemplateEncoder::TakeNotices() { return std::exchange(notices_, {}); }

RecordBranch* TemplateEncoder::MakeRoot(const event::Emission& emission, const TablePlan* plan,
                                        RecordBranches* branches) {
  event::RecordTemplate record =
      plan == nullptr ? builder_.OfOther(emission) : builder_.OfRow(emission, *plan);
  const bool shares = plan != nullptr && emission.value == event::PublishedValue::kTombstone &&
                      chain_ != nullptr && chain_->shares_headers();
  std::unique_ptr<RecordBranch> branch;
  if (chain_ == nullptr) {
    branch = std::make_unique<RecordBranch>();
    Compile(record, plan, branch.get());
  } else if (shares) {
    event::Emission of_delete = emission;
    of_delete.value = event::PublishedValue::kEnvelope;
    of_delete.with_before = true;
    branch = MakeBranch(chain_->StartTombstone(std::move(record), builder_.OfRow(of_delete, *plan)),
                        plan, branches);
  } else {
    branch = MakeBranch(chain_->Start(std::move(record)), plan, branches);
  }
  branches->kinds.emplace_back(TemplateKey(emission), std::move(branch));
  return branches->kinds.back().second.get();
}

RecordBranch* TemplateEncoder::RootOf(const event::Emission& emission, const TablePlan* plan,
                                      RecordBranches* branches) {
  const uint32_t key = TemplateKey(emission);
  for (const auto& [known, branch] : branches->kinds) {
    if (known == key) return branch.get();
  }
  return MakeRoot(emission, plan, branches);
}

absl::Status TemplateEncoder::Follow(RecordQuestion* question, const TablePlan* plan,
                                     RecordBranches* branches, RecordBranch** next) {
  RETURN_IF_ERROR(question->program.Run(inputs_, context_, &buffers_, &answer_));
  if (!answer_.null) {
    if (const auto found = question->answers.find(answer_.text); found != question->answers.end()) {
      *next = found->second.get();
      return absl::OkStatus();
    }
  }
  std::unique_ptr<RecordBranch>& made =
      answer_.null ? question->null_answer : question->answers[answer_.text];
  if (made == nullptr) {
    branches->bytes += kBytesPerAnswerByte * answer_.text.size();
    made = MakeBranch(chain_->Resume(question->outcome, answer_), plan, branches);
  }
  *next = made.get();
  return absl::OkStatus();
}

absl::Status TemplateEncoder::Encode(const event::Emission& emission, const TablePlan* plan,
                                     RecordBranches* branches, int64_t now_nanos,
                                     event::Record* record) {
  inputs_.Begin(emission, plan, now_nanos);
  if (branches->bytes > kMaxBytes) *branches = {};
  RecordBranch* branch = RootOf(emission, plan, branches);
  while (branch->question != nullptr)
    RETURN_IF_ERROR(Follow(branch->question.get(), plan, branches, &branch));
  if (branch->program == nullptr) {
    record->dropped = branch->error.ok();
    return branch->error;
  }
  record->warned = branch->warned;
  return branch->program->Run(inputs_, context_, &buffers_, record);
}

}  // namespace walduct::encode
