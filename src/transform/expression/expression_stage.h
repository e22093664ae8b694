// ExpressionStage: what Debezium's Filter and ContentBasedRouter have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/record_template.h"
#include "event/transform_chain.h"
#include "java/regex/regex.h"
#include "transform/expression/expression.h"
#include "transform/options/option_checks.h"
#include "transform/options/option_row.h"
#include "transform/options/option_values.h"
#include "transform/template/stage.h"

namespace walduct::transform {

std::string CheckLanguage(absl::string_view value);
std::string CheckExpression(absl::string_view value);

// Rows that both have.
inline constexpr OptionRow kLanguage = {
    .name = "language",
    .required = true,
    .doc = "jsr223.groovy or jsr223.graal.js: the subset below is supported in both syntaxes.",
    .check = CheckLanguage};
inline constexpr OptionRow kTopicRegex = {
    .name = "topic.regex",
    .type = OptionType::kRegex,
    .doc = "Java regular expression for the whole topic name; other topics pass.",
    .check = CheckPattern};
inline constexpr OptionRow kNullHandling = {.name = "null.handling.mode",
                                            .type = OptionType::kEnum,
                                            .default_value = "keep",
                                            .allowed = "keep, drop, evaluate",
                                            .doc = "What to do with records without a value."};

struct ExpressionOptions {
  std::shared_ptr<const Expression> expression;
  std::shared_ptr<const java::Regex> topics;  // null: all
  std::string nulls;                          // null.handling.mode
};

// option: the name of that row.
ExpressionOptions ReadExpressionOptions(const OptionValues& options, absl::string_view option);

class ExpressionStage : public Stage {
 protected:
  explicit ExpressionStage(ExpressionOptions options) : options_(std::move(options)) {}

  // kKeep where the expression says nothing about the record; nullopt: it does.
  std::optional<Verdict> Before(const event::RecordTemplate& record, Questions* questions) const;

  // wanted: what the result must be, or null. nullopt: asked.
  absl::StatusOr<std::optional<event::Answer>> Result(const event::RecordTemplate& record,
                                                      event::Scalar::Kind wanted,
                                                      Questions* questions) const;

 private:
  const ExpressionOptions options_;
};

}  // namespace walduct::transform
