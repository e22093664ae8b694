// TransformClass, PredicateClass: everything walduct knows about one class of transforms or
// predicates: its name, its options with their checks, and how it is made. Each is defined in the
// file of its transform and listed once, in registry/registry.cc. All strings are literals.
// Immutable; thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transform/options/guess.h"
#include "transform/options/option_row.h"
#include "transform/options/option_values.h"
#include "transform/template/predicate.h"
#include "transform/template/stage.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::transform {

// What is wrong between options; no text: nothing. The option is the one to change, whether it is
// set or not.
struct OptionProblem {
  std::string option, text, fix;
};

// One transform of a chain as its configuration says, after all checks.
struct Setting {
  std::string alias;
  TransformTarget target = TransformTarget::kRecord;
  OptionValues options;
  bool strict = false;  // walduct.strict: nothing is guessed
  // walduct.outbox.tables: the rows it sees; absent: all
  std::shared_ptr<const java::RegexList> tables = {};
  bool implicit = false;  // nobody has configured it
};

// Makes a new stage of options that were read before.
using StageFactory = std::function<StagePtr()>;

struct TransformClass {
  absl::string_view name;    // of the Java class, without $Key or $Value
  bool has_targets = false;  // written with $Key or $Value
  absl::Span<const OptionRow> options = {};
  absl::string_view doc = "";  // one sentence
  // Why it is not supported, and what to use instead; empty: supported.
  absl::string_view refused = "";

  // Rules between options, asked when each of them is fine; defaults are not there yet. May be
  // null.
  OptionProblem (*check)(const OptionValues& options) = nullptr;
  // Replaces options of older releases by those of today; gives a warning, empty: none. May be
  // null.
  std::string (*modernize)(OptionValues* options) = nullptr;
  // Reads what is not right as what was meant, and says so; with walduct.strict that is refused.
  // May be null.
  std::vector<Guess> (*guess)(absl::string_view alias, OptionValues* options) = nullptr;
  absl::string_view older_options = "";  // names that modernize reads: "a, b"
  // Properties of the connector without which it can do nothing: "a, b"; one of them must be set.
  absl::string_view needs_one_of = "";
  absl::string_view without_predicate = "";  // what it does then, when that is worth a warning

  // What the rest of walduct must know of a chain with this transform.
  bool makes_events = false;    // of rows of outbox tables
  bool reads_messages = false;  // logical messages become rows
  bool drops_headers = false;

  // Reads the options into what the stage wants, once; null when refused. See MakeStage.
  StageFactory (*make)(const Setting& setting) = nullptr;
};

struct PredicateClass {
  absl::string_view name;
  absl::Span<const OptionRow> options = {};
  absl::string_view doc;  // one sentence
  PredicatePtr (*make)(const OptionValues& options) = nullptr;
};

// For TransformClass::make: Read turns a Setting into the options of StageType, whose constructor
// takes them.
template <typename StageType, auto Read>
StageFactory MakeStage(const Setting& setting) {
  using Options = decltype(Read(setting));
  return [options = std::make_shared<const Options>(Read(setting))]() -> StagePtr {
    return std::make_unique<const StageType>(*options);
  };
}

// The same without options.
template <typename StageType>
StageFactory MakeStage(const Setting&) {
  return []() -> StagePtr { return std::make_unique<const StageType>(); };
}

}  // namespace walduct::transform
