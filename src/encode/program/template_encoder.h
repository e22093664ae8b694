// TemplateEncoder: writes records through a chain of transforms. For each kind of record of each
// version of a table it runs the chain once over the template, compiles what comes out, and from
// then on only runs the program. Questions of the chain make a tree: a record costs one look-up per
// question.
//
// Thread-safety: none; one per encoder. Records borrow from it until the next call.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "config/options/options.h"
#include "encode/program/record_program.h"
#include "encode/program/template_builder.h"
#include "encode/records/record_inputs.h"
#include "event/emission.h"
#include "event/record.h"
#include "event/transform_chain.h"

namespace walduct::encode {

// A place in the tree of answers.
struct RecordBranch {
  event::ChainOutcome outcome;                   // without its template, unless kQuestion
  std::unique_ptr<const RecordProgram> program;  // kRecord
  QuestionProgram question;                      // kQuestion
  absl::Status error;                            // the fate of each record here
  absl::flat_hash_map<std::string, std::unique_ptr<RecordBranch>> answers;
  std::unique_ptr<RecordBranch> null_answer;
};

// The kinds of records of one table plan, or of records without a table. Dies with the plan.
struct RecordBranches {
  size_t bytes = 0;  // of all trees, about
  std::vector<std::pair<uint32_t, std::unique_ptr<RecordBranch>>> kinds;
};

class TemplateEncoder {
 public:
  // All borrowed for life.
  TemplateEncoder(const event::TransformChain& chain, const config::EncodeOptions& options,
                  const std::string& run_id, SourceBlock* source, ValueContext* context);

  // plan: null for a logical message. record->dropped: a transform wants it published no more.
  absl::Status Encode(const event::Emission& emission, const TablePlan* plan,
                      RecordBranches* branches, int64_t now_nanos, event::Record* record);

  // What the chain makes of such records, as far as it can be told without their values. Valid
  // until the next call.
  const event::ChainOutcome& Preview(const event::Emission& emission, const TablePlan& plan,
                                     RecordBranches* branches) {
    emission_ = &emission;
    return RootOf(emission, &plan, branches)->outcome;
  }

  // What transforms have to say, each notice once.
  std::vector<std::string> TakeNotices();

 private:
  // What is kept of one table; beyond that it is worked out anew, so that answers without end
  // (topics, the structure of JSON) do not take memory without end. A branch grows with the
  // structure that its answer describes.
  static constexpr size_t kMaxBytes = 32 << 20, kBranchBytes = 8 << 10, kBytesPerAnswerByte = 24;
  static constexpr size_t kMaxNotices = 1000;

  RecordBranch* RootOf(const event::Emission& emission, const TablePlan* plan,
                       RecordBranches* branches);
  // *branches counts what they make.
  absl::Status Follow(RecordBranch* branch, const TablePlan* plan, RecordBranches* branches,
                      RecordBranch** next);
  std::unique_ptr<RecordBranch> MakeBranch(event::ChainOutcome outcome, const TablePlan* plan,
                                           RecordBranches* branches);
  event::Node SourceOf(const TablePlan* plan) const;

  const event::TransformChain& chain_;
  const TemplateBuilder builder_;
  const RecordProgram::Converters converters_;
  RecordInputs inputs_;
  const event::Emission* emission_ = nullptr;  // of the record at hand
  ValueContext* const context_;
  ProgramBuffers buffers_;
  event::Answer answer_;
  absl::flat_hash_set<std::string> reported_;
  std::vector<std::string> notices_;
};

}  // namespace walduct::encode
