#include "poll/session/poll_world.h"

#include <utility>

#include "base/status_macros.h"
#include "engine/configuration/options_of.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "offset/topic/offset_topics.h"
#include "poll/session/open_tables.h"
#include "postgres/notifications.h"
#include "sink/options.h"
#include "sink/sink_type.h"

namespace walduct::poll {
namespace {

class ServerSession final : public TableSession {
 public:
  explicit ServerSession(std::unique_ptr<postgres::Connection> connection)
      : connection_(std::move(connection)) {}

  absl::Status Send(const postgres::Statement& statement) override {
    return connection_->Send(statement);
  }
  absl::StatusOr<std::optional<postgres::Result>> PollResult() override {
    return connection_->PollResult();
  }
  int ready_fd() const override { return connection_->ready_fd(); }
  void Cancel() override { connection_->Cancel(); }
  absl::Status CheckAlive() override { return connection_->CheckAlive(); }
  bool shared() const override { return connection_->shared(); }
  bool TakeNotifications() override { return postgres::TakeNotifications(*connection_); }
  absl::Status Set(absl::string_view name, absl::string_view value) override {
    return connection_->Set(name, value);
  }

 private:
  const std::unique_ptr<postgres::Connection> connection_;
};

class ServerWorld final : public PollWorld {
 public:
  absl::StatusOr<TableSessions> OpenSessions(const engine::ConnectorOptions& config,
                                             const Environment& environment,
                                             const postgres::StopCheck& stopping) override {
    ASSIGN_OR_RETURN(OpenedTables opened, OpenTables(config, environment, stopping));
    TableSessions sessions{.session = std::make_unique<ServerSession>(std::move(opened.connection)),
                           .owner = nullptr,
                           .tables = std::move(opened.tables)};
    if (opened.owner != nullptr)
      sessions.owner = std::make_unique<ServerSession>(std::move(opened.owner));
    return sessions;
  }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions& config,
                                                       const Environment& environment,
                                                       sink::Refusals* refusals) override {
    return engine::SinkOf(config).target->Open({engine::KafkaOf(config), environment, refusals});
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config, const Environment& environment) override {
    return offset::CreateOffsetStore(engine::OffsetOf(config), engine::KafkaOf(config),
                                     engine::OffsetIdentityOf(config), environment, topics_);
  }

 private:
  const std::shared_ptr<offset::OffsetTopics> topics_ = std::make_shared<offset::OffsetTopics>();
};

}  // namespace

PollWorld& PollWorld::Real() {
  static ServerWorld world;
  return world;
}

}  // namespace walduct::poll
