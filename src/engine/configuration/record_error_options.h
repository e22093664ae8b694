// What becomes of a record that cannot be published. Immutable once built.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/configuration/skipped_rows.h"

namespace walduct::engine {

// errors.*: what becomes of a record that cannot be published.
struct RecordErrorOptions {
  // Of records that the sink does not take, by the cause.
  enum class Policy : uint8_t {
    kTolerance,  // as errors.tolerance says
    kStop,       // whatever errors.tolerance says, and so the others
    kDeadLetter,
    kSkip,
    kPlaceholder,  // values make room until the record fits
  };
  Policy too_large = Policy::kTolerance;
  Policy refused = Policy::kTolerance;
  Policy gone = Policy::kStop;            // the receiver has, as it says, for good
  Policy exhausted = Policy::kTolerance;  // a number of attempts that was asked for is used up
  Policy topic_missing = Policy::kStop;
  Policy topic_denied = Policy::kStop;

  bool tolerate = false;                 // errors.tolerance=all
  std::string dead_letter_topic;         // empty: none is needed, such records are logged
  bool context_headers = false;          // errors.deadletterqueue.context.headers.enable
  bool log = false;                      // dead letters, too
  bool log_records = false;              // with key and value
  std::vector<SkippedRow> skipped_rows;  // walduct.snapshot.skip.rows
  // Java classes as configured, for the context headers.
  std::string value_converter, header_converter;
  std::map<std::string, std::string> transforms;  // by name in the chain
};

}  // namespace walduct::engine
