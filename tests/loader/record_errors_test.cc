// errors.tolerance and its companions.
#include "engine/configuration/record_error_options.h"
#include "loader/load_connector.h"
#include "sink/kafka_sink_type.h"
#include "sink/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RecordErrorOptionsTest : public LoadFixture {
 protected:
  LoadResult LoadWith(const std::string& lines) { return Load(Minimal() + lines); }
  static sink::KafkaSinkOptions ToKafka(const LoadResult& result) {
    return dynamic_cast<const sink::KafkaDestination&>(*result.options.sink->target).options();
  }
};

TEST_F(RecordErrorOptionsTest, NothingIsToleratedUnlessAskedFor) {
  const LoadResult result = LoadWith("");
  EXPECT_FALSE(result.options.record_errors->tolerate);
  EXPECT_TRUE(ToKafka(result).dead_letter_topic.empty());
}

// As Connect names them, however they are written.
TEST_F(RecordErrorOptionsTest, ClassesHaveTheirFullNames) {
  const LoadResult result = LoadWith(
      "value.converter=String\nheader.converter=JsonConverter\n"
      "walduct.outbox.tables=public.outbox\n"
      "transforms=cast\ntransforms.cast.type=Cast$Key\ntransforms.cast.spec=id:string\n");
  ASSERT_THAT(result.errors, IsEmpty());
  const engine::RecordErrorOptions& errors = *result.options.record_errors;
  EXPECT_EQ(errors.value_converter, "org.apache.kafka.connect.storage.StringConverter");
  EXPECT_EQ(errors.header_converter, "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_EQ(errors.transforms.at("cast"), "org.apache.kafka.connect.transforms.Cast$Key");
  EXPECT_EQ(errors.transforms.at("outbox"), "io.debezium.transforms.outbox.EventRouter");
}

TEST_F(RecordErrorOptionsTest, DeadLettersAreRead) {
  const LoadResult result = LoadWith(
      "errors.tolerance=ALL\n"
      "errors.deadletterqueue.topic.name=shop.letters\n"
      "errors.deadletterqueue.topic.replication.factor=2\n"
      "errors.deadletterqueue.context.headers.enable=true\n"
      "errors.log.enable=true\n"
      "errors.log.include.messages=true\n"
      "transforms=cast\n"
      "transforms.cast.type=org.apache.kafka.connect.transforms.Cast$Key\n"
      "transforms.cast.spec=id:string\n");
  ASSERT_THAT(result.errors, IsEmpty());
  const engine::ConnectorOptions& options = result.options;
  EXPECT_TRUE(options.record_errors->tolerate);
  EXPECT_EQ(options.record_errors->dead_letter_topic, "shop.letters");
  EXPECT_TRUE(options.record_errors->context_headers);
  EXPECT_TRUE(options.record_errors->log);
  EXPECT_TRUE(options.record_errors->log_records);
  EXPECT_EQ(options.record_errors->value_converter, "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_EQ(options.record_errors->transforms.at("cast"),
            "org.apache.kafka.connect.transforms.Cast$Key");
  EXPECT_EQ(ToKafka(result).dead_letter_topic, "shop.letters");
  EXPECT_EQ(ToKafka(result).dead_letter_replication_factor, 2);
}

TEST_F(RecordErrorOptionsTest, TopicWithoutToleranceHasNoEffectAndSaysSo) {
  const LoadResult result = LoadWith("errors.deadletterqueue.topic.name=letters\n");
  EXPECT_THAT(result.warnings, Contains(HasSubstr("set errors.tolerance=all")));
  EXPECT_TRUE(ToKafka(result).dead_letter_topic.empty());
}

TEST_F(RecordErrorOptionsTest, PoliciesByCause) {
  using Policy = engine::RecordErrorOptions::Policy;
  const LoadResult result = LoadWith(
      "walduct.errors.too.large=placeholder\nwalduct.errors.refused=dead.letter\n"
      "walduct.errors.topic.missing=skip\nerrors.deadletterqueue.topic.name=letters\n");
  ASSERT_TRUE(result.errors.empty());
  const engine::RecordErrorOptions& errors = *result.options.record_errors;
  EXPECT_EQ(errors.too_large, Policy::kPlaceholder);
  EXPECT_EQ(errors.refused, Policy::kDeadLetter);
  EXPECT_EQ(errors.topic_missing, Policy::kSkip);
  EXPECT_EQ(errors.topic_denied, Policy::kStop);
  EXPECT_EQ(ToKafka(result).dead_letter_topic, "letters");
  EXPECT_TRUE(ToKafka(result).tolerates_missing);
  EXPECT_FALSE(ToKafka(result).tolerates_denied);
  EXPECT_THAT(LoadWith("walduct.errors.refused=dead.letter\n").errors,
              Contains(HasSubstr("errors.deadletterqueue.topic.name")));
  EXPECT_THAT(LoadWith("walduct.errors.refused=placeholder\n").errors,
              Contains(HasSubstr("walduct.errors.refused")));
}

TEST_F(RecordErrorOptionsTest, ToleranceWithoutTopicIsWarnedAbout) {
  EXPECT_THAT(LoadWith("errors.tolerance=all\n").warnings,
              Contains(HasSubstr("errors.deadletterqueue.topic.name")));
}

TEST_F(RecordErrorOptionsTest, CompanionsWithoutTopicAreWarnedAbout) {
  EXPECT_THAT(LoadWith("errors.tolerance=all\n"
                       "errors.deadletterqueue.context.headers.enable=true\n")
                  .warnings,
              Contains(HasSubstr("context.headers.enable': has no effect without")));
}

TEST_F(RecordErrorOptionsTest, BadValuesAreRefused) {
  EXPECT_THAT(LoadWith("errors.tolerance=some\n").errors,
              ElementsAre(HasSubstr("'errors.tolerance'")));
  EXPECT_THAT(LoadWith("errors.tolerance=all\nerrors.deadletterqueue.topic.name=a b\n").errors,
              ElementsAre(HasSubstr("'errors.deadletterqueue.topic.name'")));
  EXPECT_THAT(LoadWith("errors.tolerance=all\nerrors.deadletterqueue.topic.name=" +
                       std::string(250, 'x') + "\n")
                  .errors,
              ElementsAre(HasSubstr("'errors.deadletterqueue.topic.name'")));
  EXPECT_THAT(LoadWith("errors.deadletterqueue.topic.replication.factor=0\n").errors,
              ElementsAre(HasSubstr("replication.factor")));
}

TEST_F(RecordErrorOptionsTest, TopicOfTheOffsetsIsRefused) {
  EXPECT_THAT(LoadWith("errors.tolerance=all\n"
                       "offset.storage.topic=offsets\n"
                       "errors.deadletterqueue.topic.name=offsets\n")
                  .errors,
              ElementsAre(HasSubstr("use a separate topic")));
}

}  // namespace
}  // namespace walduct::loader
