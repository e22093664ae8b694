// ServerWorld: the real World: PostgreSQL, Kafka and files as configured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "engine/lifecycle/start_turns.h"
#include "kafka/look/topic_stream.h"
#include "slot/world/known/known_slots.h"
#include "slot/world/world.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::offset {
class OffsetTopics;
}  // namespace walduct::offset

namespace walduct::slot {

class ServerWorld : public World {
 public:
  explicit ServerWorld(const Environment& environment);

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override;
  engine::StartTurns* start_turns() override { return &start_turns_; }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions& config,
                                                       sink::Refusals* refusals) override;
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config) override;
  absl::StatusOr<std::unique_ptr<spill::Disk>> OpenSpill(
      const engine::ConnectorOptions& config) override;
  absl::StatusOr<Registries> OpenRegistries(const engine::ConnectorOptions& config) override;
  absl::StatusOr<std::unique_ptr<HandoverServer>> OpenHandover(
      const engine::ConnectorOptions& config, const postgres::StopCheck& stopping) override;
  std::optional<SlotPlace> PlaceOfSlot(const engine::ConnectorOptions& config) override;
  absl::StatusOr<std::vector<replication::WatchedSlot>> ReadWatchedSlots(
      const engine::ConnectorOptions& config, const std::vector<std::string>& slots,
      const postgres::StopCheck& stopping) override;
  absl::StatusOr<CaptureSession> OpenCaptureSession(const engine::ConnectorOptions& config,
                                                    const postgres::StopCheck& stopping) override;
  void CloseLooks() override;
  std::shared_ptr<KnownSlot> KnownOf(const engine::ConnectorOptions& config) override;
  std::vector<std::string> OtherReadersOf(const engine::ConnectorOptions& config) override;
  std::unique_ptr<Source> MakeSource(const SourceOptions& options) override;
  // Who knows of other connectors than this process runs: slots of a server that others than this
  // one are to read. Before the first connector; asked from any thread.
  using SlotsOfOthers =
      std::function<std::set<std::string>(const std::string& connector, const std::string& server)>;
  void AskForSlots(SlotsOfOthers ask) { slots_of_others_ = std::move(ask); }
  // What is stored by a connector whose positions this process is going to store. With exactly once
  // earlier instances are shut out first: a transaction that one of them has left open, killed,
  // would hold up whoever reads the position until its time is over.
  absl::StatusOr<std::optional<offset::StoredOffset>> LoadOwnPosition(
      const engine::ConnectorOptions& config);
  // What a topic holds, by the connector's consumer, from its beginning to its end of now.
  absl::StatusOr<std::unique_ptr<kafka::TopicStream>> OpenTopic(
      const engine::ConnectorOptions& config, const std::string& topic) const;
  // One of the connector's sessions; what: behind its name. longest: to connect in.
  absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenSession(
      const engine::ConnectorOptions& config, postgres::SessionKind kind, absl::string_view what,
      const postgres::StopCheck& stopping, absl::Duration longest = absl::InfiniteDuration()) const;

 private:
  absl::StatusOr<std::unique_ptr<postgres::Connection>> OpenLook(
      const engine::ConnectorOptions& config, const postgres::StopCheck& stopping) const;
  absl::StatusOr<std::shared_ptr<postgres::Connection>> SharedLook(
      const engine::ConnectorOptions& config, const postgres::StopCheck& stopping);

  const Environment environment_;
  engine::StartTurns start_turns_;
  KnownSlots known_;
  const std::shared_ptr<WatchSessions> watch_sessions_;
  const std::shared_ptr<offset::OffsetTopics> offset_topics_;
  SlotsOfOthers slots_of_others_;  // null: nobody knows
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<postgres::Connection>> looks_
      ABSL_GUARDED_BY(mutex_);  // by server, role and database
};

}  // namespace walduct::slot
