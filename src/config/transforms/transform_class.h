// TransformClass: everything walduct knows about the configuration of one transform or predicate.
// The tables are the only place: checks, error texts, `walduct validate` and docs/transforms.md are
// made from them. All strings are literals. Immutable; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/options/transform_spec.h"
#include "config/transforms/outbox_guess.h"

namespace walduct::config {

enum class OptionType { kText, kBoolean, kInteger, kReal, kList, kEnum, kRegex };

struct TransformOption {
  absl::string_view name;
  OptionType type = OptionType::kText;
  std::optional<absl::string_view> default_value = std::nullopt;
  bool required = false;
  absl::string_view allowed = "";  // kEnum: "a, b"
  absl::string_view doc = "";      // one sentence
  absl::string_view aliases = "";  // older names that mean the same: "a, b"
  // "" when value is fine, else what is wrong with it. May be null.
  std::string (*check)(absl::string_view value) = nullptr;
};

// What is wrong between options; no text: nothing. The option is the one to change, whether it is
// set or not.
struct OptionProblem {
  std::string option, text, fix;
};

struct TransformClass {
  absl::string_view name;  // of the Java class, without $Key or $Value
  TransformKind kind = TransformKind::kRefused;
  bool has_targets = false;  // written with $Key or $Value
  absl::Span<const TransformOption> options = {};
  absl::string_view doc = "";  // one sentence
  absl::string_view refused =
      "";  // why it is not supported, and what to use instead; empty: supported
  // Rules between options, asked when each of them is fine. May be null.
  OptionProblem (*check)(const TransformOptionValues& options) = nullptr;
  // Replaces options of older releases by those of today; gives a warning, empty: none. May be
  // null.
  std::string (*modernize)(TransformOptionValues* options) = nullptr;
  // Reads what is not right as what was meant, and says so; with walduct.strict that is refused.
  // May be null.
  std::vector<Guess> (*guess)(absl::string_view alias, TransformOptionValues* options) = nullptr;
  absl::string_view older_options = "";  // names that modernize reads: "a, b"
  // Properties of the connector without which it can do nothing: "a, b"; one of them must be set.
  absl::string_view needs_one_of = "";
};

struct PredicateClass {
  absl::string_view name;
  PredicateKind kind;
  absl::Span<const TransformOption> options = {};
  absl::string_view doc;
};

absl::Span<const TransformClass> ConnectTransformClasses();
absl::Span<const TransformClass> DebeziumTransformClasses();
absl::Span<const PredicateClass> PredicateClasses();

// By full or simple name without $Key or $Value; null when unknown, or when two classes have that
// simple name.
const TransformClass* FindTransformClass(absl::string_view class_name);
const PredicateClass* FindPredicateClass(absl::string_view class_name);

// With the package, $Key and $Value kept; as written when unknown.
std::string FullTransformClass(absl::string_view written);

// What to write instead of a class that is not known: the nearest one, else the full names of all,
// separated by ", ".
std::string AdviseTransformClass(absl::string_view written);
std::string AdvisePredicateClass(absl::string_view written);

// docs/transforms.md's table of classes and options.
std::string TransformsMarkdown();

}  // namespace walduct::config
