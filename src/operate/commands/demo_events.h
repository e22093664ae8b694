// The records of a demo as they arrive: from the topics, or where there is no Kafka from the file
// that they were written to. Blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/environment.h"

namespace walduct::kafka {
struct KafkaOptions;
}

namespace walduct::operate {

struct DemoRecord {
  std::string topic;
  std::optional<std::string> key, value;
  int64_t timestamp_ms = 0;  // 0: not known
};

// For eyes, with its end; columns: of the terminal, 0: it is not cut.
std::string DemoLine(const DemoRecord& record, bool colour, size_t columns);

class DemoEvents {
 public:
  virtual ~DemoEvents() = default;
  // Those that have come since the last call.
  virtual absl::StatusOr<std::vector<DemoRecord>> Next() = 0;

  static std::unique_ptr<DemoEvents> InFile(const std::string& path);
  static std::unique_ptr<DemoEvents> InTopics(const kafka::KafkaOptions& kafka,
                                              std::vector<std::string> topics,
                                              const Environment& environment);
};

// Of topics that begin so.
absl::StatusOr<std::vector<std::string>> DemoTopics(const kafka::KafkaOptions& kafka,
                                                    const std::string& prefix);
absl::Status DeleteDemoTopics(const kafka::KafkaOptions& kafka,
                              const std::vector<std::string>& topics);

}  // namespace walduct::operate
