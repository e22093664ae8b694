#include "engine/configuration/shared_prefixes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace walduct::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

ConnectorNames Named(const std::string& connector, const std::string& prefix) {
  ConnectorNames names;
  names.connector = connector;
  names.prefix = prefix;
  names.called.name = connector;
  return names;
}

TEST(SharedPrefixes, AreToldToEach) {
  SharedPrefixes all;
  all.Add(Named("a", "shop"));
  all.Add(Named("b", "shop"));
  all.Add(Named("c", "other"));
  EXPECT_THAT(all.TextOf(Named("a", "shop")),
              HasSubstr("topic.prefix 'shop' is that of connector b, too"));
  EXPECT_THAT(all.TextOf(Named("b", "shop")), HasSubstr("connector a, too"));
  EXPECT_THAT(all.TextOf(Named("c", "other")), IsEmpty());
  EXPECT_THAT(all.TextOf(Named("d", "none")), IsEmpty());
}

TEST(SharedPrefixes, ManyAreCounted) {
  SharedPrefixes all;
  for (char name = 'a'; name <= 'h'; ++name) all.Add(Named(std::string(1, name), "shop"));
  EXPECT_THAT(all.TextOf(Named("b", "shop")), HasSubstr("connector a, c, d, e, f and 2 more, too"));
}

TEST(SharedPrefixes, LanesOfOneConnectorAreOne) {
  SharedPrefixes all;
  for (const char* const lane : {"a-1", "a-2"}) {
    ConnectorNames names = Named("a", "shop");
    names.connector = lane;
    all.Add(names);
  }
  EXPECT_THAT(all.TextOf(Named("a", "shop")), IsEmpty());
  // Those whose prefix nobody knows share none.
  all.Add(Named("x", ""));
  all.Add(Named("y", ""));
  EXPECT_THAT(all.TextOf(Named("x", "")), IsEmpty());
}

}  // namespace
}  // namespace walduct::engine
