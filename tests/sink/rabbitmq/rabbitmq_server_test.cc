// The contract of sinks (tests/sink/contract.h) against a real RabbitMQ, whose host:port is in
// WALDUCT_TEST_RABBITMQ. A program of its own that the end-to-end tests run:
// tests/e2e/test_rabbitmq.py.
#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "kafka/options.h"
#include "sink/rabbitmq/rabbitmq_sink_type.h"
#include "tests/sink/contract.h"
#include "tests/support/await.h"

namespace walduct::sink {
namespace {

std::pair<std::string, std::string> Address() {
  const char* text = std::getenv("WALDUCT_TEST_RABBITMQ");
  CHECK(text != nullptr);
  return absl::StrSplit(text, absl::MaxSplits(':', 1));
}

std::string Text(const amqp_bytes_t& bytes) {
  return {static_cast<const char*>(bytes.bytes), bytes.len};
}

// Over librabbitmq alone: what a queue holds, which it holds still when this is gone.
class Reader {
 public:
  Reader() {
    const auto [host, port_text] = Address();
    int port = 0;
    CHECK(absl::SimpleAtoi(port_text, &port));
    CHECK(amqp_socket_open(amqp_tcp_socket_new(state_), host.c_str(), port) == AMQP_STATUS_OK);
    Check(amqp_login(state_, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"));
    amqp_channel_open(state_, 1);
    Check(amqp_get_rpc_reply(state_));
  }
  ~Reader() { amqp_destroy_connection(state_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  void Declare(const std::string& queue) {
    amqp_queue_declare(state_, 1, amqp_cstring_bytes(queue.c_str()), false, true, false, false,
                       amqp_empty_table);
    Check(amqp_get_rpc_reply(state_));
  }
  void Delete(const std::string& queue) {
    amqp_queue_delete(state_, 1, amqp_cstring_bytes(queue.c_str()), false, false);
    Check(amqp_get_rpc_reply(state_));
  }
  std::vector<test::KeptRecord> Read(const std::string& queue) {
    std::vector<test::KeptRecord> read;
    while (true) {
      const amqp_rpc_reply_t got =
          amqp_basic_get(state_, 1, amqp_cstring_bytes(queue.c_str()), false);
      Check(got);
      if (got.reply.id != AMQP_BASIC_GET_OK_METHOD) return read;
      amqp_message_t message;
      Check(amqp_read_message(state_, 1, &message, 0));
      test::KeptRecord record;
      record.topic = queue;
      record.value = Text(message.body);
      const amqp_table_t& headers = message.properties.headers;
      for (int i = 0; i < headers.num_entries; ++i) {
        const amqp_table_entry_t& entry = headers.entries[i];
        record.headers.emplace_back(
            Text(entry.key), entry.value.kind == AMQP_FIELD_KIND_VOID
                                 ? std::nullopt
                                 : std::optional<std::string>(Text(entry.value.value.bytes)));
      }
      amqp_destroy_message(&message);
      read.push_back(std::move(record));
    }
  }

 private:
  static void Check(const amqp_rpc_reply_t& reply) {
    CHECK(reply.reply_type == AMQP_RESPONSE_NORMAL);
  }
  const amqp_connection_state_t state_ = amqp_new_connection();
};

// Between a sink and the server: takes one connection, and leads it on once it is opened.
class Gate {
 public:
  Gate() {
    CHECK(bind(listener_, reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)) == 0);
    CHECK(listen(listener_, 8) == 0);
    socklen_t size = sizeof(address_);
    CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size) == 0);
    thread_ = std::thread([this] { Lead(); });
  }
  ~Gate() {
    Open();
    shutdown(listener_, SHUT_RDWR);
    for (const int one : {from_.load(), to_.load()}) shutdown(one, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int port() const { return ntohs(address_.sin_port); }
  bool AwaitConnection() const {
    return test::Await([this] { return from_ >= 0; });
  }
  void Open() { open_ = true; }

 private:
  void Lead() {
    from_ = accept(listener_, nullptr, nullptr);
    if (from_ < 0) return;
    while (!open_) Poller::Real().WaitReadable({}, absl::Milliseconds(10));
    const auto [host, port_text] = Address();
    sockaddr_in server{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
    int port = 0;
    CHECK(absl::SimpleAtoi(port_text, &port));
    server.sin_port = htons(static_cast<uint16_t>(port));
    CHECK(inet_pton(AF_INET, host.c_str(), &server.sin_addr) == 1);
    to_ = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(to_, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) == 0);
    for (bool goes_on = true; goes_on;) {
      pollfd both[] = {{.fd = from_, .events = POLLIN, .revents = 0},
                       {.fd = to_, .events = POLLIN, .revents = 0}};
      poll(both, 2, -1);
      for (const int i : {0, 1}) {
        char bytes[4096];
        if (both[i].revents == 0) continue;
        const ssize_t count = read(both[i].fd, bytes, sizeof(bytes));
        goes_on = goes_on && count > 0 &&
                  send(both[1 - i].fd, bytes, static_cast<size_t>(count), MSG_NOSIGNAL) == count;
      }
    }
    close(from_);
    close(to_);
  }

  sockaddr_in address_{.sin_family = AF_INET,
                       .sin_port = 0,
                       .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                       .sin_zero = {}};
  const int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  std::atomic<bool> open_ = false;
  std::atomic<int> from_ = -1, to_ = -1;
  std::thread thread_;
};

// A topic is a queue, behind the default exchange.
class RabbitMqTarget : public SinkTarget {
 public:
  RabbitMqTarget() {
    static int number = 0;
    name_ = absl::StrCat("contract-", getpid(), "-", ++number);
    const auto [host, port] = Address();
    Set("sink", "rabbitmq");
    Set("sink.rabbitmq.connection.host", host);
    Set("sink.rabbitmq.connection.port", port);
    Set("sink.rabbitmq.routingKey.source", "topic");
    Set("walduct.sink.rabbitmq.default.exchange", "true");
    Set("sink.rabbitmq.autoCreateRoutingKey", "true");
  }
  ~RabbitMqTarget() override {
    Reader reader;
    for (const std::string& topic : topics_) reader.Delete(topic);
  }
  void Set(const std::string& name, const std::string& value) {
    properties_.Put({.name = name, .written_as = name, .raw = value, .value = value});
  }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    const kafka::KafkaOptions kafka;
    auto sink = kRabbitMqSink.build(properties_, buffer_bytes)
                    ->Open({.kafka = kafka, .environment = environment()});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::string Topic(const std::string& name) override {
    topics_.push_back(absl::StrCat(name_, ".", name));
    return topics_.back();
  }
  std::vector<test::KeptRecord> Read(const std::string& topic) override {
    Reader reader;
    reader.Declare(topic);
    return reader.Read(topic);
  }
  // A message has no key, and a tombstone is a text.
  std::optional<test::KeptRecord> Seen(test::KeptRecord written) override {
    written.key.reset();
    written.value = written.value.value_or("default");
    return written;
  }
  size_t longest_name() const override { return 255; }

 private:
  static const config::PropertyTable& Table() {
    static const auto* const table = new config::PropertyTable(
        {{"", kRabbitMqSink.rows()}, {"", absl::Span<const config::PropertyDefinition>(kOthers)}});
    return *table;
  }
  static constexpr config::PropertyDefinition kOthers[] = {{.name = "sink"},
                                                           {.name = "database.hostname"},
                                                           {.name = "database.port"},
                                                           {.name = "database.dbname"},
                                                           {.name = "topic.prefix"}};

  std::string name_;
  std::vector<std::string> topics_;
  config::PropertySet properties_{Table()};
};

INSTANTIATE_TEST_SUITE_P(Server, SinkContract,
                         testing::Values(ContractParameter{
                             "RabbitMq", [] { return std::make_unique<RabbitMqTarget>(); }}),
                         NameOf);

class RabbitMqSinkTest : public SinkContract {
 protected:
  RabbitMqTarget& target() { return static_cast<RabbitMqTarget&>(*target_); }
  // Until what it waits for is said.
  void Await(Sink& sink, absl::string_view what) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (!absl::StrContains(sink.WaitingFor(), what)) {
      ASSERT_LT(Clock::Real().Monotonic(), deadline) << sink.WaitingFor();
      ASSERT_TRUE(sink.Poll(acks_).ok());
      Poller::Real().WaitReadable({sink.ready_fd()}, absl::Milliseconds(50));
    }
  }
  std::vector<std::string> Values(const std::string& topic) {
    std::vector<std::string> values;
    for (const auto& record : target_->Read(topic)) values.push_back(*record.value);
    return values;
  }
};

// What comes behind it is taken, and acknowledged in its turn.
TEST_P(RabbitMqSinkTest, WhatNoQueueTakesIsWaitedForInItsTurn) {
  target().Set("sink.rabbitmq.autoCreateRoutingKey", "false");
  const std::string here = target_->Topic("here"), missing = target_->Topic("missing");
  Reader reader;
  reader.Declare(here);
  const auto sink = target_->Open(kRoomy);
  Write(*sink, Of(here, "k", "1"), 1);
  Write(*sink, Of(missing, "k", "2"), 2);
  Write(*sink, Of(here, "k", "3"), 3);
  Await(*sink, "no queue takes");
  EXPECT_EQ(acks_.by_ticket.count(2), 0u);
  EXPECT_EQ(acks_.by_ticket.count(3), 0u);
  EXPECT_NE(sink->WaitingHint().find("rabbitmqadmin declare queue name="), std::string::npos);
  reader.Declare(missing);
  Flush(*sink);
  EXPECT_EQ(Values(missing), std::vector<std::string>{"2"});
  EXPECT_EQ(Values(here), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(acks_.records, 3u);
}

// As RefusalContract has it: all wait behind the first one, whose letter needs room.
TEST_P(RabbitMqSinkTest, ALetterHasRoomWhateverWaitsBehindTheRecord) {
  target().Set("sink.rabbitmq.autoCreateRoutingKey", "false");
  target().Set("walduct.sink.rabbitmq.unroutable", "refuse");
  const std::string missing = target_->Topic("missing"), letters = target_->Topic("letters");
  Reader reader;
  reader.Declare(letters);
  const auto sink = target_->Open(2000);
  acks_.letters_to = sink.get();
  acks_.letters = letters;
  Ticket last = 0;
  for (const std::string value(100, 'v'); last < 1000; ++last) {
    if (const absl::Status written = sink->Write(Of(missing, "k", value), last + 1);
        !written.ok()) {
      ASSERT_TRUE(absl::IsResourceExhausted(written)) << written;
      break;
    }
  }
  ASSERT_GT(last, 1u);
  ASSERT_LT(last, 1000u) << "it is full";
  Flush(*sink);
  EXPECT_EQ(acks_.refusals.size(), last);
  EXPECT_EQ(acks_.records, last);
  EXPECT_EQ(Values(letters).size(), last);
}

// A sink that has ended over a refused record sends nothing more.
TEST_P(RabbitMqSinkTest, WhatIsBehindTheRecordThatEndsItIsNotSent) {
  target().Set("sink.rabbitmq.autoCreateRoutingKey", "false");
  target().Set("walduct.sink.rabbitmq.unroutable", "refuse");
  target().Set("walduct.sink.rabbitmq.max.in.flight", "1");
  const std::string here = target_->Topic("here"), missing = target_->Topic("missing");
  Reader reader;
  reader.Declare(here);
  const auto sink = target_->Open(kRoomy);
  acks_.breaks = true;
  Write(*sink, Of(here, "k", "1"), 1);
  Write(*sink, Of(missing, "k", "2"), 2);
  Write(*sink, Of(here, "l", "3"), 3);
  EXPECT_TRUE(absl::IsInvalidArgument(sink->Flush(acks_, kPatience)));
  reader.Declare(missing);
  Poller::Real().WaitReadable({}, absl::Seconds(1));
  EXPECT_EQ(Values(here), std::vector<std::string>{"1"});
  EXPECT_EQ(acks_.records, 1u);
}

// One that is destroyed while it connects sends nothing afterwards: the next one may have by then.
TEST_P(RabbitMqSinkTest, WhoHasEndedMeanwhileSendsNothing) {
  const std::string topic = target_->Topic("late");
  Reader reader;
  reader.Declare(topic);
  Gate gate;
  target().Set("sink.rabbitmq.connection.host", "127.0.0.1");
  target().Set("sink.rabbitmq.connection.port", absl::StrCat(gate.port()));
  auto sink = target_->Open(kRoomy);
  Write(*sink, Of(topic, "k", "1"), 1);
  ASSERT_TRUE(sink->Poll(acks_).ok());
  ASSERT_TRUE(gate.AwaitConnection());
  sink.reset();
  gate.Open();
  Poller::Real().WaitReadable({}, absl::Seconds(2));
  EXPECT_EQ(Values(topic), std::vector<std::string>{});
}

// A routing key is a short text of AMQP's.
TEST_P(RabbitMqSinkTest, WhatAmqpHasNoRoomForIsRefusedAlone) {
  const auto sink = target_->Open(kRoomy);
  const std::string topic = target_->Topic("long");
  const std::string name(256, 'x');
  EXPECT_EQ(ErrorReason(sink->Write(Of(name, "k", "v"), 1)), "record_refused");
  event::Record record = Of(topic, "k", "v");
  const event::Header odd[] = {{name, "1"}};
  record.headers = odd;
  EXPECT_EQ(ErrorReason(sink->Write(record, 1)), "record_refused");
  Write(*sink, Of(topic, "k", "v"), 1);
  Flush(*sink);
  EXPECT_EQ(acks_.records, 1u);
}

INSTANTIATE_TEST_SUITE_P(Server, RabbitMqSinkTest,
                         testing::Values(ContractParameter{
                             "RabbitMq", [] { return std::make_unique<RabbitMqTarget>(); }}),
                         NameOf);

}  // namespace
}  // namespace walduct::sink
