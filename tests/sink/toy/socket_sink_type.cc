#include "tests/sink/toy/socket_sink_type.h"

#include "tests/sink/toy/socket_sink.h"

namespace walduct::sink {
namespace {

constexpr config::PropertyDefinition kRows[] = {
    {.name = "sink.socket.path", .doc = "UNIX socket for sink=socket."},
};

absl::Span<const config::PropertyDefinition> Rows() { return kRows; }

void Check(const config::PropertySet& properties, config::Findings* findings) {
  if (properties.Text("sink") != "socket" || properties.IsSet("sink.socket.path")) return;
  findings->Error("sink.socket.path", "A value is required when sink=socket",
                  "add the path of the socket");
}

// Its reader takes one connection.
bool HasOneWriter(const config::PropertySet&) { return true; }

class SocketDestination final : public Destination {
 public:
  explicit SocketDestination(SocketSinkOptions options) : options_(std::move(options)) {}
  const SinkType& type() const override { return kSocketSink; }
  absl::StatusOr<std::unique_ptr<Sink>> Open(const SinkContext&) const override {
    return SocketSink::Connect(options_);
  }

 private:
  const SocketSinkOptions options_;
};

std::shared_ptr<Destination> Build(const config::PropertySet& properties, size_t buffer_bytes) {
  return std::make_shared<SocketDestination>(
      SocketSinkOptions{.buffer_bytes = buffer_bytes, .path = properties.Text("sink.socket.path")});
}

}  // namespace

constinit const SinkType kSocketSink = {
    .name = "socket",
    .traits = {.store = SinkTraits::Store::kMemory},
    .section = "walduct's own",
    .rows = Rows,
    .check = Check,
    .one_writer = HasOneWriter,
    .build = Build,
};

}  // namespace walduct::sink
