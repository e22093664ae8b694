// Properties of the sink rabbitmq.
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::HasSubstr;

class RabbitMqOptionsTest : public LoadFixture {
 protected:
  std::string With(const std::string& lines) const {
    std::string all;
    for (const std::string& error : LoadWith("sink=rabbitmq\n" + lines).errors) all += error + "\n";
    return all;
  }
};

TEST_F(RabbitMqOptionsTest, IsASinkWithItsPositionInAFile) { EXPECT_EQ(With(""), ""); }

TEST_F(RabbitMqOptionsTest, BadValuesAreRefused) {
  EXPECT_THAT(With("sink.rabbitmq.connection.port=0"), HasSubstr("is not a port"));
  EXPECT_THAT(With("sink.rabbitmq.deliveryMode=3"), HasSubstr("sink.rabbitmq.deliveryMode"));
  EXPECT_THAT(With("sink.rabbitmq.connection.ssl.enabled=true"), HasSubstr("stunnel"));
  EXPECT_THAT(With("walduct.sink.rabbitmq.addresses=a"), HasSubstr("addresses"));
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
