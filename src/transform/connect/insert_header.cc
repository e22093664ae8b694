// Kafka Connect's InsertHeader: adds a header with a constant.
#include <memory>

#include "transform/connect/header_literal.h"
#include "transform/stages/stages.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::Node;
using event::RecordTemplate;

class InsertHeader final : public Stage {
 public:
  explicit InsertHeader(const TransformSpec& spec)
      : header_(
            ParseHeaderLiteral(spec.options.Text("header"), spec.options.Text("value.literal"))) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    record->headers.push_back(header_);
    return Verdict::kKeep;
  }

 private:
  const Node header_;
};

}  // namespace

StagePtr MakeInsertHeader(const TransformSpec& spec) {
  return std::make_unique<InsertHeader>(spec);
}

}  // namespace walduct::transform
