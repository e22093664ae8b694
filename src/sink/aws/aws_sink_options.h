// How a sink sends to a service of AWS, whichever it is. Immutable once built.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "sink/aws/aws_target.h"

namespace walduct::sink {

struct AwsSinkOptions {
  std::shared_ptr<const AwsTarget> target = {};
  std::optional<int> attempts = {};  // absent: what passes is waited for without end
  bool tombstones = true;            // false: they are not sent
  size_t buffer_bytes = 0;
};

}  // namespace walduct::sink
