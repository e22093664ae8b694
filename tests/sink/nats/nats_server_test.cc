// The contract of sinks (tests/sink/contract.h) against a real NATS, whose URL is in
// WALDUCT_TEST_NATS. A program of its own that the end-to-end tests run: tests/e2e/test_nats.py.
#include <rapidjson/document.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/json.h"
#include "kafka/options.h"
#include "nats/admin.h"
#include "nats/connection.h"
#include "sink/nats/nats_sink_type.h"
#include "tests/sink/contract.h"

namespace walduct::sink {
namespace {

const std::string& Url() {
  static const auto* const url = new std::string([] {
    const char* text = std::getenv("WALDUCT_TEST_NATS");
    CHECK(text != nullptr);
    return text;
  }());
  return *url;
}

enum class Limits { kNone, kDiscardNew };

// Over libnats alone: a message of a stream by its number.
class Reader {
 public:
  Reader() : nats_(**nats::NatsLibrary::Load()) {
    natsOptions* options = nullptr;
    CHECK(nats_.natsOptions_Create(&options) == NATS_OK);
    const char* const urls[] = {Url().c_str()};
    CHECK(nats_.natsOptions_SetServers(options, const_cast<const char**>(urls), 1) == NATS_OK);
    CHECK(nats_.natsConnection_Connect(&connection_, options) == NATS_OK);
    nats_.natsOptions_Destroy(options);
  }
  ~Reader() {
    nats_.natsConnection_Close(connection_);
    nats_.natsConnection_Destroy(connection_);
  }
  std::string Ask(const std::string& subject, const std::string& request) {
    natsMsg* message = nullptr;
    const natsStatus status = nats_.natsConnection_RequestString(
        &message, connection_, subject.c_str(), request.c_str(), 10000);
    CHECK(status == NATS_OK);
    std::string answer(nats_.natsMsg_GetData(message),
                       static_cast<size_t>(nats_.natsMsg_GetDataLength(message)));
    nats_.natsMsg_Destroy(message);
    return answer;
  }

 private:
  const nats::NatsLibrary& nats_;
  natsConnection* connection_ = nullptr;
};

class NatsTarget final : public SinkTarget {
 public:
  explicit NatsTarget(Limits limits) {
    static int number = 0;
    name_ = absl::StrCat("contract-", getpid(), "-", ++number);
    reader_.Ask(
        absl::StrCat("$JS.API.STREAM.CREATE.", name_),
        absl::StrCat(R"({"name":")", name_, R"(","subjects":[")", name_,
                     R"(.>"],"storage":"memory","retention":"limits","num_replicas":1,)",
                     limits == Limits::kNone ? R"("discard":"old","max_bytes":-1})"
                                             : R"("discard":"new","max_bytes":100000000})"));
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"sink", "nats-jetstream"}, {"sink.nats-jetstream.url", Url()}})
      properties_.Put({.name = name, .written_as = name, .raw = value, .value = value});
  }
  ~NatsTarget() override { reader_.Ask(absl::StrCat("$JS.API.STREAM.DELETE.", name_), ""); }
  std::unique_ptr<Sink> Open(size_t buffer_bytes) override {
    const kafka::KafkaOptions kafka;
    auto sink = kNatsSink.build(properties_, buffer_bytes)
                    ->Open({.kafka = kafka, .environment = environment()});
    CHECK(sink.ok());
    return *std::move(sink);
  }
  std::string Topic(const std::string& name) override { return absl::StrCat(name_, ".", name); }
  std::vector<test::KeptRecord> Read(const std::string& topic) override;
  // JetStream has no room for keys and tombstones, and headers have no order.
  std::optional<test::KeptRecord> Seen(test::KeptRecord written) override {
    if (!written.value) return std::nullopt;
    written.key.reset();
    for (auto& [name, value] : written.headers) value = value.value_or("null");
    std::stable_sort(written.headers.begin(), written.headers.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return written;
  }
  const std::string& stream() const { return name_; }
  std::string Ask(const std::string& subject, const std::string& request) {
    return reader_.Ask(subject, request);
  }

 private:
  static const config::PropertyTable& Table() {
    static const auto* const table = new config::PropertyTable(
        {{"", kNatsSink.rows()}, {"", absl::Span<const config::PropertyDefinition>(kOthers)}});
    return *table;
  }
  static constexpr config::PropertyDefinition kOthers[] = {{.name = "sink"},
                                                           {.name = "database.hostname"},
                                                           {.name = "database.port"},
                                                           {.name = "database.dbname"},
                                                           {.name = "topic.prefix"}};

  std::string name_;
  Reader reader_;
  config::PropertySet properties_{Table()};
};

// "NATS/1.0", then a line for each header, then an empty one.
void ReadHeaders(const std::string& text, test::KeptRecord* record) {
  std::vector<std::string> lines = absl::StrSplit(text, "\r\n", absl::SkipEmpty());
  for (size_t at = 1; at < lines.size(); ++at) {
    const size_t colon = lines[at].find(':');
    const std::string name = lines[at].substr(0, colon);
    if (absl::StartsWith(name, "Nats-")) continue;
    record->headers.emplace_back(
        name, absl::StripLeadingAsciiWhitespace(std::string(lines[at].substr(colon + 1))));
  }
  std::stable_sort(record->headers.begin(), record->headers.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::vector<test::KeptRecord> NatsTarget::Read(const std::string& topic) {
  const auto info = json::Parse(reader_.Ask(absl::StrCat("$JS.API.STREAM.INFO.", name_), ""));
  const uint64_t last = (*json::FindObject(info, "state"))["last_seq"].GetUint64();
  std::vector<test::KeptRecord> read;
  for (uint64_t number = 1; number <= last; ++number) {
    const auto answer = json::Parse(reader_.Ask(absl::StrCat("$JS.API.STREAM.MSG.GET.", name_),
                                                absl::StrCat(R"({"seq":)", number, "}")));
    const auto* const message = json::FindObject(answer, "message");
    if (message == nullptr || json::TextIn(*message, "subject") != topic) continue;
    test::KeptRecord record;
    record.topic = topic;
    std::string body, headers;
    CHECK(absl::Base64Unescape(json::TextIn(*message, "data"), &body));
    CHECK(absl::Base64Unescape(json::TextIn(*message, "hdrs"), &headers));
    record.value = body;
    ReadHeaders(headers, &record);
    read.push_back(std::move(record));
  }
  return read;
}

template <Limits kLimits>
std::unique_ptr<SinkTarget> Make() {
  return std::make_unique<NatsTarget>(kLimits);
}

INSTANTIATE_TEST_SUITE_P(Server, SinkContract,
                         testing::Values(ContractParameter{"Nats", Make<Limits::kNone>},
                                         ContractParameter{"NatsInTurn",
                                                           Make<Limits::kDiscardNew>}),
                         NameOf);

class NatsSinkTest : public SinkContract {
 protected:
  NatsTarget& target() { return static_cast<NatsTarget&>(*target_); }
  static event::Record Change(absl::string_view topic, absl::string_view value, uint64_t number) {
    event::Record record = Of(topic, "k", value);
    record.id = {.lsn = 1000, .number = number, .of = event::RecordId::Of::kChange};
    return record;
  }
  void Limit(const std::string& settings) {
    const std::string answer = target().Ask(
        absl::StrCat("$JS.API.STREAM.UPDATE.", target().stream()),
        absl::StrCat(R"({"name":")", target().stream(), R"(","subjects":[")", target().stream(),
                     R"(.>"],"storage":"memory","retention":"limits","num_replicas":1,)", settings,
                     "}"));
    ASSERT_FALSE(absl::StrContains(answer, "error")) << answer;
  }
  std::vector<std::string> Values(const std::string& topic) {
    std::vector<std::string> values;
    for (const auto& record : target_->Read(topic)) values.push_back(record.value->substr(0, 4));
    return values;
  }
  // Until what it waits for is said.
  void Await(Sink& sink, absl::string_view what) {
    const absl::Duration deadline = Clock::Real().Monotonic() + kPatience;
    while (!absl::StrContains(sink.WaitingFor(), what)) {
      ASSERT_LT(Clock::Real().Monotonic(), deadline) << sink.WaitingFor();
      ASSERT_TRUE(sink.Poll(acks_).ok());
      Poller::Real().WaitReadable({sink.ready_fd()}, absl::Milliseconds(50));
    }
  }
};

TEST_P(NatsSinkTest, RepeatsAreTakenForWhatTheyAre) {
  const std::string topic = target_->Topic("repeats");
  for (int run = 0; run < 2; ++run) {
    const auto sink = target_->Open(kRoomy);
    for (uint64_t number = 1; number <= 300; ++number) Write(*sink, Change(topic, "v", number), 1);
    Flush(*sink);
  }
  EXPECT_EQ(acks_.records, 600u);
  EXPECT_EQ(target_->Read(topic).size(), 300u);
}

// A large one is refused; the small ones behind it would fit, and are not stored before it.
TEST_P(NatsSinkTest, NothingOvertakesWhatAFullStreamRefuses) {
  const std::string topic = target_->Topic("full"), large(60u << 10, 'L');
  Limit(R"("discard":"new","max_bytes":65536)");
  const auto sink = target_->Open(kRoomy);
  ASSERT_TRUE(sink->PrepareTopics({topic}).ok());
  Write(*sink, Change(topic, absl::StrCat("0001", std::string(20u << 10, 'x')), 1), 1);
  Write(*sink, Change(topic, absl::StrCat("0002", large), 2), 1);
  for (uint64_t number = 3; number <= 9; ++number)
    Write(*sink, Change(topic, absl::StrCat("000", number), number), 1);
  Await(*sink, "maximum bytes exceeded");
  EXPECT_EQ(Values(topic), std::vector<std::string>{"0001"});
  Limit(R"("discard":"new","max_bytes":1000000)");
  Flush(*sink);
  EXPECT_EQ(Values(topic), (std::vector<std::string>{"0001", "0002", "0003", "0004", "0005", "0006",
                                                     "0007", "0008", "0009"}));
  EXPECT_EQ(acks_.records, 9u);
}

TEST_P(NatsSinkTest, AStreamThatIsMissingIsWaitedFor) {
  const std::string stream = absl::StrCat(target().stream(), "-late");
  const auto sink = target_->Open(kRoomy);
  ASSERT_TRUE(sink->PrepareTopics({absl::StrCat(stream, ".t")}).ok());
  EXPECT_TRUE(
      absl::IsResourceExhausted(sink->Write(Change(absl::StrCat(stream, ".t"), "v", 1), 1)));
  Await(*sink, "no stream takes the subject");
  target().Ask(absl::StrCat("$JS.API.STREAM.CREATE.", stream),
               absl::StrCat(R"({"name":")", stream, R"(","subjects":[")", stream,
                            R"(.>"],"storage":"memory","retention":"limits","num_replicas":1})"));
  Write(*sink, Change(absl::StrCat(stream, ".t"), "v", 1), 1);
  Write(*sink, Change(absl::StrCat(stream, ".t"), "v", 2), 1);
  Flush(*sink);
  EXPECT_EQ(acks_.records, 2u);
  EXPECT_TRUE(
      absl::StrContains(target().Ask(absl::StrCat("$JS.API.STREAM.DELETE.", stream), ""), "true"));
}

// Found out by its first record, by what the stream has told, and by what it refuses.
TEST_P(NatsSinkTest, ARecordThatIsTooLargeIsRefusedAlone) {
  const std::string topic = target_->Topic("large"), large(3000, 'L');
  Limit(R"("discard":"old","max_msg_size":2000)");
  const auto sink = target_->Open(kRoomy);
  for (const bool known : {false, true}) {
    if (known) {
      Write(*sink, Change(topic, "small", 1), 1);
    }
    const absl::Status refused = WriteWaiting(*sink, Change(topic, large, 2), 1);
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_EQ(ErrorReason(refused), "record_too_large");
  }
  Write(*sink, Change(topic, "next", 3), 1);
  Flush(*sink);
  Limit(R"("discard":"old","max_msg_size":1000)");
  Write(*sink, Change(topic, std::string(1500, 'L'), 4), 1);
  EXPECT_EQ(ErrorReason(sink->Flush(acks_, kPatience)), "batch_refused");
  EXPECT_EQ(acks_.records, 2u);
  const std::string huge(2u << 20, 'h');
  const auto other = target_->Open(kRoomy);
  ASSERT_TRUE(other->PrepareTopics({topic}).ok());
  EXPECT_EQ(ErrorReason(other->Write(Change(topic, huge, 5), 1)), "record_too_large");
}

// What is added for its turn does not count against it.
TEST_P(NatsSinkTest, ARecordAtTheLimitIsTakenInItsTurn) {
  const std::string topic = target_->Topic("limit");
  Limit(R"("discard":"new","max_bytes":100000000,"max_msg_size":2000)");
  const auto sink = target_->Open(kRoomy);
  ASSERT_TRUE(sink->PrepareTopics({topic}).ok());
  std::string value(1900, 'v');
  // As large as it may be: the id's length is the sink's.
  while (ErrorReason(sink->Write(Change(topic, value + "v", 1), 1)) != "record_too_large" &&
         value.size() < 2000)
    value += 'v';
  Flush(*sink);
  const uint32_t before = acks_.records;
  for (uint64_t number = 2; number <= 9; ++number) Write(*sink, Change(topic, value, number), 1);
  Flush(*sink);
  EXPECT_EQ(acks_.records, before + 8);
  EXPECT_EQ(target_->Read(topic).size(), 1u + 8);
}

TEST_P(NatsSinkTest, WhatIsNoSubjectIsRefused) {
  const auto sink = target_->Open(kRoomy);
  for (const char* topic : {"", "a b", "a..b", ".a", "a.*", "a.>"})
    EXPECT_EQ(ErrorReason(sink->Write(Change(topic, "v", 1), 1)), "topic_name_invalid") << topic;
  const std::string topic = target_->Topic("headers");
  event::Record record = Change(topic, "v", 1);
  const event::Header odd[] = {{"a:b", "1"}}, lines[] = {{"a", "1\n2"}};
  record.headers = odd;
  EXPECT_EQ(ErrorReason(WriteWaiting(*sink, record, 1)), "nats_header_refused");
  record.headers = lines;
  EXPECT_EQ(ErrorReason(WriteWaiting(*sink, record, 1)), "nats_header_refused");
}

INSTANTIATE_TEST_SUITE_P(Server, NatsSinkTest,
                         testing::Values(ContractParameter{"Nats", Make<Limits::kNone>}), NameOf);

}  // namespace
}  // namespace walduct::sink
