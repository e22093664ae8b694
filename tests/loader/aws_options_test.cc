// The properties of kinesis, sqs and sns.
#include "offset/options.h"
#include "sink/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class AwsOptionsTest : public LoadFixture {
 protected:
  std::string Errors(const std::string& lines) const {
    std::string all;
    for (const std::string& error : LoadWith(lines).errors) all += error + "\n";
    return all;
  }
};

constexpr char kKinesis[] = "sink=kinesis\nsink.kinesis.region=eu-central-1\n";
constexpr char kSqs[] =
    "sink=sqs\nsink.sqs.region=eu-central-1\nsink.sqs.queue.url=https://q/1/a.fifo\n";
constexpr char kSns[] =
    "sink=sns\nsink.sns.region=eu-central-1\nsink.sns.topic.arn=arn:aws:sns:r:1:t\n";

TEST_F(AwsOptionsTest, EachIsASinkWithItsPositionInAFile) {
  for (const auto& [lines, name] : {std::pair{kKinesis, "kinesis"}, {kSqs, "sqs"}, {kSns, "sns"}}) {
    const LoadResult result = LoadWith(lines);
    EXPECT_THAT(result.errors, IsEmpty()) << name;
    EXPECT_EQ(result.options.sink->target->type().name, name);
    EXPECT_EQ(result.options.offset->file_path, "data/offsets.dat");
  }
}

TEST_F(AwsOptionsTest, BadValuesAreRefused) {
  EXPECT_THAT(Errors("sink=kinesis"), HasSubstr("sink.kinesis.region"));
  EXPECT_THAT(Errors("sink=sqs\nsink.sqs.region=r"), HasSubstr("sink.sqs.queue.url"));
  EXPECT_THAT(Errors("sink=sns"), HasSubstr("sink.sns.region"));
  const auto kinesis = [this](const std::string& line) {
    return Errors(kKinesis + ("sink.kinesis." + line));
  };
  EXPECT_THAT(kinesis("region=EU"), HasSubstr("is no region of AWS"));
  EXPECT_THAT(kinesis("endpoint=localhost:4566"), HasSubstr("is no URL"));
  EXPECT_THAT(kinesis("endpoint=http://h/path"), HasSubstr("has a path"));
  EXPECT_THAT(kinesis("batch.size=501"), HasSubstr("from 1 to 500"));
  EXPECT_THAT(kinesis("default.retries=0"), HasSubstr("sink.kinesis.default.retries"));
  EXPECT_THAT(kinesis("batch.size=500"), IsEmpty());
  EXPECT_THAT(Errors(std::string(kSns) + "sink.sns.topic.arn.prefix=topics"),
              HasSubstr("is no ARN"));
  EXPECT_THAT(Errors(std::string(kSqs) + "walduct.slots=2"), HasSubstr("sqs has one writer"));
  EXPECT_THAT(Errors(std::string(kKinesis) + "exactly.once.support=required"),
              HasSubstr("exactly.once"));
}

TEST_F(AwsOptionsTest, LettersNeedAPlaceOfTheirOwn) {
  const std::string letters = "errors.deadletterqueue.topic.name=dead\n";
  EXPECT_THAT(Errors(kKinesis + letters), IsEmpty()) << "a stream of that name";
  EXPECT_THAT(Errors(kSqs + letters), HasSubstr("walduct.sink.sqs.deadletter.queue.url"));
  EXPECT_THAT(Errors(kSqs + letters + "walduct.sink.sqs.deadletter.queue.url=https://q/1/d"),
              IsEmpty());
  EXPECT_THAT(Errors(kSns + letters), HasSubstr("walduct.sink.sns.deadletter.topic.arn"));
  EXPECT_THAT(Errors(kSns + letters + "sink.sns.topic.arn.prefix=arn:aws:sns:r:1:"), IsEmpty());
}

}  // namespace
}  // namespace walduct::loader
