#include "loader/exactly_once.h"

#include <gmock/gmock.h>

#include "engine/configuration/connector_options.h"
#include "offset/options.h"
#include "sink/kafka_sink_type.h"
#include "sink/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kRequired[] = "exactly.once.support=required\noffset.storage.topic=o\n";

class ExactlyOnceTest : public LoadFixture {
 protected:
  LoadResult Load(const std::string& more) { return LoadWith(kRequired + more); }
  static std::string IdOf(const LoadResult& result) {
    return dynamic_cast<const sink::KafkaDestination&>(*result.options.sink->target)
        .options()
        .transactional_id;
  }
};

TEST_F(ExactlyOnceTest, ATransactionalIdOfItsOwn) {
  const LoadResult result = Load("name=orders\ntopic.prefix=shop");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(IdOf(result), "walduct-orders-shop");
  EXPECT_EQ(result.options.offset->commit_interval, absl::Milliseconds(200));
  EXPECT_EQ(result.options.offset->clients, nullptr) << "the position is written with the records";
}

TEST_F(ExactlyOnceTest, ConnectsIdInAGroup) {
  EXPECT_EQ(IdOf(Load("name=orders\ngroup.id=cluster")), "cluster-orders-0");
}

TEST_F(ExactlyOnceTest, NoneUnlessItIsRequired) {
  const LoadResult result = LoadWith("exactly.once.support=requested\noffset.storage.topic=o");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(IdOf(result), "");
  EXPECT_NE(result.options.offset->clients, nullptr);
}

TEST_F(ExactlyOnceTest, Boundaries) {
  EXPECT_EQ(Load("transaction.boundary=interval\ntransaction.boundary.interval.ms=750")
                .options.offset->commit_interval,
            absl::Milliseconds(750));
  EXPECT_EQ(Load("transaction.boundary=interval\noffset.flush.interval.ms=3000")
                .options.offset->commit_interval,
            absl::Seconds(3));
  EXPECT_THAT(Load("transaction.boundary=connector").errors,
              ElementsAre(HasSubstr("connector-defined transaction boundaries")));
  const auto status = [](const LoadResult& result, const std::string& name) {
    return Report(result, name)->status;
  };
  EXPECT_EQ(status(LoadWith("transaction.boundary=interval"), "transaction.boundary"),
            config::PropertyStatus::kIgnored);
  EXPECT_EQ(
      status(Load("transaction.boundary.interval.ms=750"), "transaction.boundary.interval.ms"),
      config::PropertyStatus::kIgnored);
}

TEST_F(ExactlyOnceTest, ThePositionHasToBeInKafka) {
  EXPECT_THAT(
      LoadWith("exactly.once.support=required\noffset.storage.file.filename=/tmp/o").errors,
      ElementsAre(HasSubstr("offset.storage.topic or offsets.storage.topic in place of it")));
  EXPECT_THAT(LoadWith("exactly.once.support=required\nsink=stdout").errors,
              ElementsAre(HasSubstr("needs sink=kafka")));
  EXPECT_THAT(LoadWith("exactly.once.support=required").errors, IsEmpty())
      << "walduct-offsets is a topic";
}

TEST_F(ExactlyOnceTest, AndInTheClusterOfTheRecords) {
  const std::string other =
      "bootstrap.servers=a:9092\nproducer.override.bootstrap.servers=b:9092\n";
  EXPECT_THAT(Load(other).errors, ElementsAre(HasSubstr("offsets.storage.topic")));
  EXPECT_THAT(Load(other + "offsets.storage.topic=own").errors, IsEmpty());
}

TEST_F(ExactlyOnceTest, WhatTransactionsNeedOfTheProducer) {
  EXPECT_THAT(Load("producer.override.enable.idempotence=false").errors,
              ElementsAre(HasSubstr("enable.idempotence")));
  EXPECT_THAT(Load("producer.override.partitioner.ignore.keys=true").errors,
              ElementsAre(HasSubstr("partitioner.ignore.keys")));
  EXPECT_THAT(Load("producer.override.transactional.id=mine").errors,
              ElementsAre(HasSubstr("transactional.id")));
  EXPECT_THAT(Load("producer.override.transaction.timeout.ms=60000").errors, IsEmpty());
}

TEST_F(ExactlyOnceTest, RecordsThatTheBrokerRefusesAreWarnedOf) {
  EXPECT_THAT(Load("errors.tolerance=all\nerrors.deadletterqueue.topic.name=letters").warnings,
              ElementsAre(HasSubstr("only the broker refuses")));
}

TEST_F(ExactlyOnceTest, PoliciesThatCannotBeKeptAreRefused) {
  for (const std::string name : {"refused", "topic.missing", "topic.denied"}) {
    const std::string property = "walduct.errors." + name;
    EXPECT_THAT(Load(property + "=skip").errors, ElementsAre(HasSubstr(property)));
    EXPECT_THAT(Load(property + "=stop").errors, IsEmpty());
    EXPECT_THAT(Load(property + "=tolerance").errors, IsEmpty()) << "errors.tolerance=none";
  }
}

}  // namespace
}  // namespace walduct::loader
