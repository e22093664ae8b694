// FakeWorld: a world of one fake database, one fake broker and one fake offset store.
#pragma once

#include <atomic>
#include <memory>

#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/runtime_options.h"
#include "offset/options.h"
#include "route/options.h"
#include "slot/world/world.h"
#include "tests/support/fake_broker.h"
#include "tests/support/fake_database.h"

namespace walduct::test {

class FakeWorld final : public slot::World {
 public:
  explicit FakeWorld(const Environment& environment = Environment::Real())
      : environment_(environment) {}

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return random_.fetch_add(1); }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions&,
                                                       sink::Refusals*) override {
    return std::make_unique<BrokerSink>(broker);
  }
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions&) override {
    return std::make_unique<OffsetsStore>(offsets);
  }
  std::unique_ptr<slot::Source> MakeSource(const slot::SourceOptions&) override {
    return std::make_unique<FakeSource>(database);
  }

  FakeDatabase database;
  FakeBroker broker;
  FakeOffsets offsets;

 private:
  const Environment environment_;
  std::atomic<uint64_t> random_{1};
};

// Plain JSON of the fake table; begins with a snapshot.
inline engine::ConnectorOptions FakeConfig(std::string name = "orders") {
  engine::ConnectorOptions config;
  config.name = std::move(name);
  config.route->topic_prefix = config.encode->topic_prefix = "srv";
  config.encode->database = "shop";
  config.encode->key.schemas_enable = config.encode->value.schemas_enable = false;
  config.offset->flush_interval = absl::Milliseconds(2);
  config.runtime->catalog_delay = absl::ZeroDuration();
  return config;
}

}  // namespace walduct::test
