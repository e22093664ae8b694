// The channels of signal.enabled.channels that are not tables, and the process itself.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "incremental/channels/signal_inbox.h"
#include "incremental/options/incremental_options.h"

namespace walduct::kafka {
struct KafkaOptions;
}

namespace walduct::incremental {

struct ChannelParts {
  const IncrementalOptions* options = nullptr;  // borrowed for the call
  const kafka::KafkaOptions* kafka = nullptr;   // the same; of the connector
  std::string connector;                        // whose log lines these are
  std::string topic_prefix;                     // the key of its signals
  Clock* clock = nullptr;                       // borrowed
};
// Null: there is none.
std::unique_ptr<SignalInbox> OpenChannels(const ChannelParts& parts);

}  // namespace walduct::incremental
