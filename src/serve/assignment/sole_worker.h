// SoleWorker: the assignment of a worker that has no group. All connectors are its own, for good.
#pragma once

#include "serve/assignment/assignment.h"

namespace walduct::serve {

class SoleWorker final : public Assignment {
 public:
  SoleWorker() { Changed(); }

  bool Owns(absl::string_view /*connector*/) const override { return true; }
  absl::Status Confirmed() const override { return absl::OkStatus(); }
  Leader leader() const override { return {.self = true}; }
};

}  // namespace walduct::serve
