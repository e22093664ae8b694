#include "offset/options.h"
#include "redis/options.h"
#include "sink/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class RedisOptionsTest : public LoadFixture {
 protected:
  static std::string Redis() { return "sink=redis\nsink.redis.address=redis:6379\n"; }
  std::string Errors(const std::string& lines) const {
    std::string all;
    for (const std::string& error : LoadWith(lines).errors) all += error + "\n";
    return all;
  }
};

TEST_F(RedisOptionsTest, IsASinkWithItsPositionInAFile) {
  const LoadResult result = LoadWith(Redis());
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.sink->target->type().name, "redis");
  EXPECT_EQ(result.options.offset->file_path, "data/offsets.dat");
}

TEST_F(RedisOptionsTest, ThePositionTakesTheSinksConnection) {
  const LoadResult result =
      LoadWith(Redis() +
               "sink.redis.password=p\noffset.storage=io.debezium.storage.redis.offset."
               "RedisOffsetBackingStore\noffset.storage.redis.db.index=2\n");
  EXPECT_THAT(result.errors, IsEmpty());
  const offset::OffsetOptions& offset = *result.options.offset;
  EXPECT_EQ(offset.kind, offset::OffsetStoreKind::kRedis);
  EXPECT_EQ(offset.redis_key, "metadata:debezium:offsets");
  EXPECT_EQ(redis::AddressOf(*offset.redis), "redis:6379");
  EXPECT_EQ(offset.redis->password, "p");
  EXPECT_EQ(offset.redis->database, 2);
}

TEST_F(RedisOptionsTest, BadValuesAreRefused) {
  EXPECT_THAT(Errors("sink=redis"), HasSubstr("sink.redis.address"));
  EXPECT_THAT(Errors("sink=redis\nsink.redis.address=redis"), HasSubstr("is not host:port"));
  EXPECT_THAT(Errors("sink=redis\nsink.redis.address=a:1,b:2"), HasSubstr("no Sentinel"));
  EXPECT_THAT(Errors(Redis() + "sink.redis.cluster.enabled=true"),
              HasSubstr("sink.redis.cluster.enabled"));
  EXPECT_THAT(Errors(Redis() + "sink.redis.message.format=wide"), HasSubstr("compact, extended"));
  EXPECT_THAT(Errors(Redis() + "sink.redis.batch.size=0"), HasSubstr("sink.redis.batch.size"));
  EXPECT_THAT(Errors(Redis() + "walduct.sink.redis.minid.age.ms=5\nwalduct.sink.redis.maxlen=5"),
              HasSubstr("remove one"));
  EXPECT_THAT(
      Errors(Redis() + "walduct.sink.redis.minid.age.ms=5\nwalduct.sink.redis.ids=position"),
      HasSubstr("no age"));
  EXPECT_THAT(Errors(Redis() + "walduct.slots=2\nwalduct.sink.redis.ids=position"),
              HasSubstr("redis has one writer"));
  EXPECT_THAT(Errors("offset.storage=RedisOffsetBackingStore"),
              HasSubstr("offset.storage.redis.address"));
  EXPECT_THAT(Errors(Redis() + "exactly.once.support=required"), HasSubstr("exactly.once"));
}

}  // namespace
}  // namespace walduct::loader
