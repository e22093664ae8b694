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

TEST(ClientEnvironmentTest, KerberosIsThereWithItsConfigurationOrAVariable) {
  constexpr const char* kNone = "/no/such/krb5.conf";
  for (const char* name : {"KRB5_CONFIG", "KRB5CCNAME", "KRB5_CLIENT_KTNAME"}) unsetenv(name);
  EXPECT_FALSE(HasKerberos(kNone, kNone));
  EXPECT_TRUE(HasKerberos("/etc/hostname", kNone));
  setenv("KRB5CCNAME", "KCM:", 1);
  EXPECT_TRUE(HasKerberos(kNone, kNone));
  unsetenv("KRB5CCNAME");
}

}  // namespace
}  // namespace walduct::postgres
