#include "offset/options.h"
#include "sink/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class NatsOptionsTest : public LoadFixture {
 protected:
  static std::string Nats() {
    return "sink=nats-jetstream\nsink.nats-jetstream.url=nats://a:4222,tls://b\n";
  }
  std::string Errors(const std::string& lines) const {
    std::string all;
    for (const std::string& error : LoadWith(lines).errors) all += error + "\n";
    return all;
  }
};

TEST_F(NatsOptionsTest, IsASinkWithItsPositionInAFile) {
  const LoadResult result = LoadWith(Nats() + "sink.nats-jetstream.subjects=a.>,b.*.c\n");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.sink->target->type().name, "nats-jetstream");
  EXPECT_EQ(result.options.offset->file_path, "data/offsets.dat");
}

TEST_F(NatsOptionsTest, BadValuesAreRefused) {
  const auto with = [this](const std::string& line) {
    return Errors(Nats() + "sink.nats-jetstream." + line);
  };
  EXPECT_THAT(Errors("sink=nats-jetstream"), HasSubstr("sink.nats-jetstream.url"));
  EXPECT_THAT(with("url=ws://a:1"), HasSubstr("WebSocket"));
  EXPECT_THAT(with("url=http://a:1"), HasSubstr("which is not nats or tls"));
  EXPECT_THAT(with("url=nats://"), HasSubstr("names no host"));
  EXPECT_THAT(with("subjects=a..b"), HasSubstr("has an empty part"));
  EXPECT_THAT(with("subjects=a.>.b"), HasSubstr("has > before its end"));
  EXPECT_THAT(with("stream-name=a.b"), HasSubstr("is no name of a stream"));
  EXPECT_THAT(with("async.timeout.ms=0"), HasSubstr("sink.nats-jetstream.async.timeout.ms"));
  EXPECT_THAT(with("auth.user=u"), HasSubstr("sink.nats-jetstream.auth.password"));
  EXPECT_THAT(with("auth.jwt=u"), HasSubstr("sink.nats-jetstream.auth.seed"));
  EXPECT_THAT(Errors(Nats() + "walduct.slots=2"), HasSubstr("nats-jetstream has one writer"));
  EXPECT_THAT(Errors(Nats() + "exactly.once.support=required"), HasSubstr("exactly.once"));
}

}  // namespace
}  // namespace walduct::loader
