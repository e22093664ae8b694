// TestAssignment: everything is this worker's, as long as a test confirms it.
#pragma once

#include "serve/assignment/assignment.h"

namespace walduct::test {

class TestAssignment final : public serve::Assignment {
 public:
  bool Owns(absl::string_view /*connector*/) const override { return true; }
  absl::Status Confirmed() const override { return confirmed; }
  Leader leader() const override { return {.self = true}; }

  absl::Status confirmed;
};

}  // namespace walduct::test
