// A sink is a row: what it is called, which properties it has, what they make, what the rest of the
// program may rely on. sink_types.cc lists the rows; nobody else asks which sink it is.
//
// Thread-safety: rows are constants. Options belong to whoever builds them, and are read by any
// thread from then on.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/environment.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "sink/sink.h"

namespace walduct::kafka {
struct KafkaOptions;
struct NewTopic;
}  // namespace walduct::kafka
namespace walduct::metrics {
class TopicBoard;
}

namespace walduct::sink {

class Refusals;
struct SinkType;

// What a sink is opened with, all borrowed until it is destroyed.
struct SinkContext {
  const kafka::KafkaOptions& kafka;
  const Environment& environment;
  Refusals* refusals = nullptr;  // null: nobody keeps what brokers refuse
};

// What becomes of records that a sink refuses.
struct Tolerance {
  std::string dead_letter_topic;  // empty: none
  int replication_factor = 3;     // of that topic; -1: the target's default
  bool missing = false;           // a topic that is missing costs its records, not the sink
  bool denied = false;            // so does one that is not ours to write to
};

// The options of one sink. What a sink has no use for it ignores.
class Destination {
 public:
  virtual ~Destination() = default;

  virtual const SinkType& type() const = 0;

  // InvalidArgument for properties that cannot work; FailedPrecondition output_unwritable. Reaches
  // for no server yet: that is Sink::PrepareTopics'.
  virtual absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext& context) const = 0;

  // What can be known of the output without a server, and without changing it.
  virtual absl::Status CheckOutput() const { return absl::OkStatus(); }

  // The same with its server, which is named in *asked. Waits up to Sink::kPrepareTimeout. For
  // sinks that have one, but for Kafka, which is asked more.
  virtual absl::Status AskServer(const Environment& environment, std::string* asked) const {
    static_cast<void>(environment);
    static_cast<void>(asked);
    return absl::OkStatus();
  }

  // Topics that are missing are created as PlanTopic says, not by the target's default.
  virtual bool creates_topics() const { return false; }
  virtual kafka::NewTopic PlanTopic(absl::string_view topic) const;

  // SinkTraits::Store::kBesideOutput: the file of the position.
  virtual std::string offset_file() const { return ""; }

  virtual void Tolerate(const Tolerance& tolerance) { static_cast<void>(tolerance); }
  // SinkTraits::transactions: one writer for each id.
  virtual void UseTransactions(const std::string& id) { static_cast<void>(id); }
  virtual bool in_transactions() const { return false; }
  // Counts the records of each topic from now on; false: this sink does not.
  virtual bool CountTopics(const std::shared_ptr<metrics::TopicBoard>& topics) {
    static_cast<void>(topics);
    return false;
  }
};

// Kafka's, with its defaults.
std::shared_ptr<Destination> DefaultDestination();

struct SinkTraits {
  // Where the position goes when nothing says so.
  enum class Store { kKafka, kBesideOutput, kMemory };
  Store store = Store::kMemory;
  // Writes with the connector's Kafka client.
  bool kafka = false;
  // Records and positions become durable together: exactly.once.support=required.
  bool transactions = false;
  // Whoever looks has seen the records, and nothing keeps them: a slot that somebody else reads is
  // not to be confirmed for them.
  bool terminal = false;
  // Records stay on this machine, where no consumer of the connector's topics reads them.
  bool local = false;
};

// A property of where records go, whatever their topics are called.
struct FixedPlace {
  absl::string_view property;
  std::string instead = {};  // an assignment of another property that does as well; empty: none
};
// The value of a property as it is written; empty: not set.
using PropertyText = std::function<std::string(absl::string_view property)>;

struct SinkType {
  absl::string_view name;  // the value of property `sink`; StoredOffset::sink
  SinkTraits traits;
  absl::string_view section;  // of docs/configuration.md
  absl::Span<const config::PropertyDefinition> (*rows)() = nullptr;
  // Of all properties, whichever sink was chosen.
  void (*check)(const config::PropertySet& properties, config::Findings* findings) = nullptr;
  // Two of them would write into each other's output. Null: they would not.
  bool (*one_writer)(const config::PropertySet& properties) = nullptr;
  // Null: all goes by the topics' names. Those that are not set may be among them.
  std::vector<FixedPlace> (*places)(const PropertyText& text) = nullptr;
  // Expects values that passed their checks. buffer_bytes: not acknowledged yet, at most.
  std::shared_ptr<Destination> (*build)(const config::PropertySet& properties,
                                        size_t buffer_bytes) = nullptr;
};

}  // namespace walduct::sink
