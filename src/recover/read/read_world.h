// ReadWorld: the world of a connector whose tables are compared with its topics. Its sink asks a
// judge. The gap of a lost slot is left behind: the connector goes on at the primary's slot, and
// until all is read the store keeps the position before the gap, marked as held, whatever is
// streamed meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/lsn.h"
#include "offset/stored_offset.h"
#include "recover/read/judged_sink.h"
#include "recover/read/report.h"
#include "slot/world/reads/read_parts.h"
#include "slot/world/server_world.h"

namespace walduct::recover {

struct ReadOptions {
  std::string name, slot;  // of the connector
  std::string tables;      // regular expressions; empty: all
  std::string folder;      // for the keys of the topics
  size_t examples = 5;
  bool accept_loss = false;  // of tables that are not compared
  // As `run` has it, and as it holds its lost slot (slot::HoldConfig).
  std::shared_ptr<const engine::ConnectorOptions> connector, holding;
  slot::ReadParts parts;
  ReadReport* report = nullptr;  // borrowed
};

// What the attempt tells its world. Data thread only.
struct ReadState {
  RecordJudge* judge = nullptr;
  Lsn from;  // where the connector goes on; 0/0: at its position
  bool done = false;
};

class ReadWorld final : public slot::ServerWorld {
 public:
  ReadWorld(const Environment& environment, ReadOptions options)
      : ServerWorld(environment), options_(std::move(options)) {}

  std::unique_ptr<engine::Attempts> MakeAttempts(const engine::AttemptParts& parts) override;
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions& config,
                                                       sink::Refusals* refusals) override;
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config) override;

  ReadState& state() { return state_; }

 private:
  const ReadOptions options_;
  ReadState state_;
};

}  // namespace walduct::recover
