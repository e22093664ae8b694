// Properties of the sink rabbitmq.
#include "rabbitmq/uri.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RabbitMqOptionsTest : public LoadFixture {
 protected:
  std::string With(const std::string& lines) const {
    std::string all;
    for (const std::string& error : LoadWith("sink=rabbitmq\n" + lines).errors) all += error + "\n";
    return all;
  }
};

TEST_F(RabbitMqOptionsTest, IsASinkWithItsPositionInAFile) { EXPECT_EQ(With(""), ""); }

// Its parts, and what goes before them.
TEST_F(RabbitMqOptionsTest, AnAddressIsReadAsRabbitMqsClientsDo) {
  const auto uri = rabbitmq::ParseUri("amqps://u:p%2Fw@h/v%2F1?heartbeat=30&connection_timeout=7");
  ASSERT_TRUE(uri.ok()) << uri.status();
  EXPECT_EQ(uri->host, "h");
  EXPECT_EQ(uri->user, "u");
  EXPECT_EQ(uri->password, "p/w");
  EXPECT_EQ(uri->virtual_host, "v/1");
  EXPECT_EQ(uri->port, 5671);
  EXPECT_TRUE(uri->tls);
  EXPECT_EQ(uri->heartbeat_seconds, 30);
  EXPECT_EQ(uri->connect_timeout_ms, 7);
  EXPECT_EQ(rabbitmq::ParseUri("amqp://h")->virtual_host, "/");
  EXPECT_FALSE(rabbitmq::ParseUri("amqp://h/?heartbeat=soon").ok());
}

TEST_F(RabbitMqOptionsTest, WhoeverAnswersIsTrustedWithAWarning) {
  const auto warnings = [&](const std::string& lines) {
    return testing::PrintToString(LoadWith("sink=rabbitmq\n" + lines).warnings);
  };
  const std::string tls = "sink.rabbitmq.connection.ssl.enabled=true\n";
  EXPECT_THAT(warnings(tls), HasSubstr("whoever answers"));
  EXPECT_THAT(warnings("sink.rabbitmq.connection.uri=amqps://h"), HasSubstr("whoever answers"));
  EXPECT_THAT(warnings(tls + "sink.rabbitmq.connection.ssl.trust.store=ca.pem"),
              Not(HasSubstr("whoever answers")));
  EXPECT_THAT(warnings(tls + "sink.rabbitmq.connection.ssl.verify.hostname=true"),
              Not(HasSubstr("whoever answers")));
}

TEST_F(RabbitMqOptionsTest, BadValuesAreRefused) {
  EXPECT_THAT(With("sink.rabbitmq.connection.port=70000"), HasSubstr("is not a port"));
  EXPECT_THAT(With("sink.rabbitmq.deliveryMode=3"), HasSubstr("sink.rabbitmq.deliveryMode"));
  EXPECT_THAT(With("sink.rabbitmq.connection.uri=http://h"), HasSubstr("is no address"));
  EXPECT_THAT(With("sink.rabbitmq.connection.uri=amqp://u:geheim@h/?x=1"),
              AllOf(HasSubstr("parameter 'x'"), Not(HasSubstr("geheim"))));
  EXPECT_THAT(With("walduct.sink.rabbitmq.addresses=a:b"), HasSubstr("addresses"));
  EXPECT_THAT(With("walduct.sink.rabbitmq.max.in.flight=70000"), HasSubstr("65535"));
  EXPECT_THAT(With("sink.rabbitmq.autoCreateRoutingKey=true"), HasSubstr("no routing key"));
  EXPECT_THAT(With("walduct.sink.rabbitmq.bind=true"), HasSubstr("autoCreateRoutingKey"));
  EXPECT_THAT(With("walduct.sink.rabbitmq.default.exchange=true"), HasSubstr("routing key"));
  EXPECT_THAT(With("walduct.sink.rabbitmq.default.exchange=true\nsink.rabbitmq.exchange=e\n"
                   "sink.rabbitmq.routingKey.source=topic"),
              HasSubstr("remove one"));
  EXPECT_THAT(With("walduct.sink.rabbitmq.message.properties=true\nwalduct.slots=2"),
              HasSubstr("one writer"));
}

}  // namespace
}  // namespace walduct::loader
