// ServerWorld: the real World: PostgreSQL, Kafka and files as configured.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/world/world.h"

namespace walduct::engine {

struct ConnectorOptions;

class ServerWorld final : public World {
 public:
  explicit ServerWorld(const Environment& environment) : environment_(environment) {}

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override;
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const ConnectorOptions& config,
                                                       sink::Refusals* refusals) override;
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const ConnectorOptions& config) override;
  absl::StatusOr<std::unique_ptr<spill::Disk>> OpenSpill(const ConnectorOptions& config) override;
  absl::StatusOr<Registries> OpenRegistries(const ConnectorOptions& config) override;
  absl::StatusOr<std::unique_ptr<HandoverServer>> OpenHandover(
      const ConnectorOptions& config, const postgres::StopCheck& stopping) override;
  std::optional<SlotPlace> PlaceOfSlot(const ConnectorOptions& config) override;
  absl::StatusOr<std::vector<replication::SlotLook>> LookAtSlots(
      const ConnectorOptions& config, const std::vector<std::string>& slots,
      const postgres::StopCheck& stopping) override;
  std::unique_ptr<Source> MakeSource(const SourceOptions& options) override;

 private:
  const Environment environment_;
};

}  // namespace walduct::engine
