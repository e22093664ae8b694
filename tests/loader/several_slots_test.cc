#include "loader/several_slots.h"

#include <gmock/gmock.h>

#include "engine/configuration/connector_options.h"
#include "replication/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SeveralSlotsTest : public LoadFixture {
 protected:
  LoadResult Load(const std::string& more) {
    return LoadWith(
        "walduct.slots=3\npublication.autocreate.mode=filtered\noffset.storage.topic=o\n" + more);
  }
};

TEST_F(SeveralSlotsTest, OneUnlessMoreAreAskedFor) {
  EXPECT_EQ(LoadWith("").options.replication->share.count, 1);
  const LoadResult result = Load("walduct.slots.tables=public\\\\.a:1,public\\\\.b.*:3");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(result.options.replication->share.count, 3);
  ASSERT_EQ(result.options.replication->share.pins.size(), 2u);
  EXPECT_EQ(result.options.replication->share.pins[1].slot, 3);
}

TEST_F(SeveralSlotsTest, BadNumbersAndPins) {
  for (const char* number : {"0", "33", "-1", "two"})
    EXPECT_THAT(LoadWith(std::string("walduct.slots=") + number).errors,
                Contains(HasSubstr("walduct.slots")))
        << number;
  for (const char* pins : {"public.a", "public.a:", "public.a:0", "public.(:1", "public.a:x"})
    EXPECT_THAT(Load(std::string("walduct.slots.tables=") + pins).errors,
                ElementsAre(HasSubstr("walduct.slots.tables")))
        << pins;
  EXPECT_THAT(Load("walduct.slots.tables=public.a:4").errors,
              ElementsAre(HasSubstr("names slot 4, and walduct.slots is 3")));
  EXPECT_EQ(Report(LoadWith("walduct.slots.tables=public.a:1"), "walduct.slots.tables")->status,
            config::PropertyStatus::kIgnored);
}

TEST_F(SeveralSlotsTest, PublicationsFollowWhereTheyAreFiltered) {
  constexpr char kFollow[] = "walduct.publication.follow=true\n";
  EXPECT_TRUE(Load(kFollow).options.replication->publication_follow);
  EXPECT_FALSE(Load("").options.replication->publication_follow);
  const LoadResult idle = LoadWith(kFollow);
  EXPECT_THAT(idle.errors, IsEmpty());
  EXPECT_FALSE(idle.options.replication->publication_follow);
  EXPECT_EQ(Report(idle, "walduct.publication.follow")->status, config::PropertyStatus::kIgnored);
  EXPECT_THAT(LoadWith("walduct.publication.follow=sometimes").errors,
              ElementsAre(HasSubstr("walduct.publication.follow")));
}

TEST_F(SeveralSlotsTest, NamesHaveToLeaveRoomForTheNumber) {
  const std::string name(62, 'a');
  EXPECT_THAT(Load("slot.name=" + name).errors, ElementsAre(HasSubstr("has 64 characters")));
  EXPECT_THAT(Load("publication.name=" + name).errors, ElementsAre(HasSubstr("publication.name")));
  EXPECT_THAT(Load("slot.name=" + name.substr(1)).errors, IsEmpty());
}

TEST_F(SeveralSlotsTest, WhatCannotBeMeantIsRefusedWithItsFix) {
  for (const char* property :
       {"provide.transaction.metadata=true", "exactly.once.support=required",
        "signal.data.collection=public.signals", "signal.enabled.channels=source,file",
        "signal.enabled.channels=kafka", "sink=stdout", "sink=file\nsink.file.path=/tmp/x",
        "notification.enabled.channels=sink\nnotification.sink.topic.name=n",
        "walduct.outbox.cleanup=delete\nwalduct.outbox.tables=public.outbox"}) {
    const LoadResult result = Load(property);
    EXPECT_THAT(result.errors, ElementsAre(HasSubstr("walduct.slots=1"))) << property;
  }
  EXPECT_THAT(LoadWith("walduct.slots=2").errors,
              ElementsAre(HasSubstr("set publication.autocreate.mode=filtered")));
  EXPECT_THAT(Load("sink=file\nsink.file.path=/dev/null").errors, IsEmpty());
}

TEST_F(SeveralSlotsTest, TopicsOfSeveralTablesAreWarnedAbout) {
  EXPECT_THAT(Load("transforms=r\ntransforms.r.type=org.apache.kafka.connect.transforms.RegexRouter"
                   "\ntransforms.r.regex=(.*)\ntransforms.r.replacement=all")
                  .warnings,
              ElementsAre(HasSubstr("walduct.slots.tables puts tables together")));
}

}  // namespace
}  // namespace walduct::loader
