#include "postgres/client_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace walduct::postgres {
namespace {

TEST(ClientEnvironmentTest, WhatSteersAConnectionIsRemovedAndNamed) {
  for (const char* name : {"PGHOSTADDR", "PGSERVICE", "PGSSLMODE", "PGOPTIONS", "PGSERVICEFILE"})
    setenv(name, "nonsense", 1);
  setenv("PG_PASSWORD", "kept", 1);
  EXPECT_THAT(RemoveEnvironment(), testing::IsSupersetOf({"PGHOSTADDR", "PGOPTIONS", "PGSERVICE",
                                                          "PGSERVICEFILE", "PGSSLMODE"}));
  EXPECT_EQ(std::getenv("PGHOSTADDR"), nullptr);
  EXPECT_STREQ(std::getenv("PG_PASSWORD"), "kept");
  EXPECT_THAT(RemoveEnvironment(), testing::IsEmpty());
}

}  // namespace
}  // namespace walduct::postgres
