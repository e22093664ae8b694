// TemplateEncoder: writes records. For each kind of record of each version of a table it makes the
// template once, has the transforms change it, compiles what comes out, and from then on only runs
// the program. Questions of the transforms make a tree: a record costs one look-up per question.
//
// Thread-safety: none; one per encoder. Records borrow from it until the next call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "encode/program/record_program.h"
#include "encode/records/record_inputs.h"
#include "encode/records/template_builder.h"
#include "event/emission.h"
#include "event/record.h"
#include "event/transform_chain.h"

namespace walduct::encode {

struct EncodeOptions;
struct RecordBranch;

// A question of the chain, and what becomes of records by their answers.
struct RecordQuestion {
  event::ChainOutcome outcome;
  QuestionProgram program;
  absl::flat_hash_map<std::string, std::unique_ptr<RecordBranch>> answers;
  std::unique_ptr<RecordBranch> null_answer;
};

// A place in the tree of answers: what becomes of the records that come here.
struct RecordBranch {
  std::unique_ptr<RecordProgram> program;    // they are written; null: one of the others
  std::unique_ptr<RecordQuestion> question;  // it depends on a value
  absl::Status error;                        // each is refused; OK, and no question: dropped
  bool warned = false;
};

// The kinds of records of one table plan, or of records without a table, by TemplateKey. Dies with
// the plan.
struct RecordBranches {
  size_t bytes = 0;  // of all trees, about
  std::vector<std::pair<uint32_t, std::unique_ptr<RecordBranch>>> kinds;
};

class TemplateEncoder {
 public:
  // All borrowed for life. chain: null: no transforms.
  TemplateEncoder(const event::TransformChain* chain, const EncodeOptions& options,
                  const std::string& run_id, event::SchemaIdSources ids, ValueContext* context);

  // plan: null for records that are about no row. record->dropped: a transform wants it not to
  // be published.
  absl::Status Encode(const event::Emission& emission, const TablePlan* plan,
                      RecordBranches* branches, int64_t now_nanos, event::Record* record);

  // What the chain makes of such records, as far as it can be told without their values. Only with
  // a chain.
  event::ChainOutcome Preview(const event::Emission& emission, const TablePlan& plan) const {
    return chain_->Start(builder_.OfRow(emission, plan));
  }

  void SetXmin(std::optional<uint64_t> xmin) { inputs_.SetXmin(xmin); }

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
  RecordBranch* MakeRoot(const event::Emission& emission, const TablePlan* plan,
                         RecordBranches* branches);
  // *branches counts what they make.
  absl::Status Follow(RecordQuestion* question, const TablePlan* plan, RecordBranches* branches,
                      RecordBranch** next);
  std::unique_ptr<RecordBranch> MakeBranch(event::ChainOutcome outcome, const TablePlan* plan,
                                           RecordBranches* branches);
  void Compile(const event::RecordTemplate& record, const TablePlan* plan, RecordBranch* branch);

  const event::TransformChain* const chain_;
  const TemplateBuilder builder_;
  const RecordProgram::Converters converters_;
  HeaderPool headers_;
  RecordInputs inputs_;
  ValueContext* const context_;
  ProgramBuffers buffers_;
  event::Answer answer_;
  absl::flat_hash_set<std::string> reported_;
  std::vector<std::string> notices_;
};

}  // namespace walduct::encode
