#include "sink/rabbitmq/rabbitmq_sink_type.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "sink/rabbitmq/publisher.h"
#include "sink/rabbitmq/rabbitmq_sink.h"
#include "sink/rabbitmq/rabbitmq_sink_properties.h"

namespace walduct::sink {
namespace {

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  RabbitMqSinkOptions options = BuildRabbitMqSink(properties);
  options.buffer_bytes = buffer_bytes;
  return std::make_shared<RabbitMqDestination>(std::move(options));
}

// Of several slots each counts the changes of a transaction by itself: their ids would be equal.
bool HasOneWriter(const config::PropertySet& properties) {
  return properties.Boolean("walduct.sink.rabbitmq.message.properties");
}

// A queue by its name is not told apart by the topic's.
std::vector<FixedPlace> Places(const PropertyText& text) {
  constexpr absl::string_view kKey = "sink.rabbitmq.routingKey";
  const std::string source = absl::StrCat(kKey, ".source");
  const auto is_set = [&text](absl::string_view name) {
    return absl::EqualsIgnoreCase(text(name), "true");
  };
  std::vector<FixedPlace> places = {{"sink.rabbitmq.exchange"}};
  const bool names_queues =
      is_set("walduct.sink.rabbitmq.default.exchange") || is_set("walduct.sink.rabbitmq.bind");
  if (names_queues && !absl::EqualsIgnoreCase(text(source), "topic"))
    places.push_back({kKey, source + "=topic"});
  return places;
}

}  // namespace

constinit const SinkType kRabbitMqSink = {
    .name = "rabbitmq",
    .traits = {.store = SinkTraits::Store::kBesideOutput},
    .section = "walduct's own",
    .rows = RabbitMqSinkProperties,
    .check = CheckRabbitMqSink,
    .one_writer = HasOneWriter,
    .places = Places,
    .build = Build,
};

absl::StatusOr<std::unique_ptr<Sink>> RabbitMqDestination::Open(const SinkContext& context) const {
  return std::unique_ptr<Sink>(new RabbitMqSink(options_, context.environment));
}

absl::Status RabbitMqDestination::AskServer(const Environment& environment,
                                            std::string* asked) const {
  static_cast<void>(environment);
  RETURN_IF_ERROR(Publisher::Prepare(options_, {}));
  *asked = absl::StrCat("RabbitMQ at ", rabbitmq::AddressOf(options_.server), ", virtual host ",
                        options_.server.virtual_host);
  return absl::OkStatus();
}

}  // namespace walduct::sink
