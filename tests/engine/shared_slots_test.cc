#include "engine/configuration/shared_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace walduct::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

ConnectorNames Named(const std::string& connector, const std::string& port,
                     const std::string& slot) {
  ConnectorNames names;
  names.connector = connector;
  names.host = "h";
  names.port = port;
  names.slot = slot;
  names.called.name = connector;
  return names;
}

TEST(SharedSlots, AreToldToEach) {
  SharedSlots all;
  all.Add(Named("a", "5432", "s"));
  all.Add(Named("b", "5432", "s"));
  all.Add(Named("c", "5433", "s"));
  all.Add(Named("d", "5432", "other"));
  EXPECT_THAT(all.TextOf(Named("a", "5432", "s")), HasSubstr("that of connector b, too"));
  EXPECT_THAT(all.TextOf(Named("b", "5432", "s")), HasSubstr("that of connector a, too"));
  EXPECT_THAT(all.TextOf(Named("c", "5433", "s")), IsEmpty()) << "on another server";
  EXPECT_THAT(all.TextOf(Named("d", "5432", "other")), IsEmpty());
}

TEST(SharedSlots, AnotherNameCanBeTyped) {
  ConnectorNames names = Named("Plain-1", "5432", "s");
  names.called.where = "http://h:1";
  names.called.who = "Plain-1";
  EXPECT_THAT(
      SharedSlotHint(names, false),
      testing::AllOf(HasSubstr("curl -X PATCH"), HasSubstr("\"slot.name\":\"plain_1_slot\"")));
  names.slot = "plain_1_slot";
  EXPECT_THAT(SharedSlotHint(names, false), HasSubstr("plain_1_slot2"));
  EXPECT_THAT(SharedSlotHint(names, true), testing::Not(HasSubstr("curl")))
      << "who reads it would lose its place";
}

TEST(SharedSlots, WhoReadsNoneSharesNone) {
  SharedSlots all;
  all.Add(Named("a", "5432", ""));
  all.Add(Named("b", "5432", ""));
  EXPECT_THAT(all.TextOf(Named("a", "5432", "")), IsEmpty());
}

}  // namespace
}  // namespace walduct::engine
