// ChainSpec: the transforms of a connector as its configuration says, checked and read, ready to be
// made. Made by properties/chain_properties.h. Immutable; copies share the options.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::transform {

class Predicate;
class Stage;
struct TransformClass;

struct TransformSpec {
  std::string alias;
  std::string class_name = {};                      // in full, with $Key or $Value
  const TransformClass* type = nullptr;             // lives as long as the process
  std::shared_ptr<const Predicate> predicate = {};  // null: every record
  bool negate = false;
  bool strict = false;  // walduct.strict: nothing is guessed
  // walduct.outbox.tables: the rows it sees; absent: all
  std::shared_ptr<const java::RegexList> tables = {};
  // A new stage, with no memory of what the ones before it have seen.
  std::function<std::unique_ptr<const Stage>()> make = {};
};

struct ChainSpec {
  std::vector<TransformSpec> transforms;  // in order; empty: records are written as they come

  // Can rows of the table become events of their own? table: "schema.table".
  bool MayMakeEvents(absl::string_view table) const;
  // All rows of the table become events, or are dropped: updates and deletes are wanted by nobody.
  bool IsOutbox(absl::string_view table) const;
  // An outbox without a table.
  bool ReadsMessages() const;
  bool DropsHeaders() const;
  // walduct.strict.
  bool IsStrict() const;
};

}  // namespace walduct::transform
