#include "postgres/client_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

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

TEST(ClientEnvironmentTest, KerberosIsThereWithAFileOrAVariableOfIts) {
  for (const char* name : {"KRB5_CONFIG", "KRB5CCNAME", "KRB5_CLIENT_KTNAME"}) unsetenv(name);
  const std::filesystem::path root = testing::TempDir() + "kerberos_root";
  std::filesystem::remove_all(root);
  EXPECT_FALSE(HasKerberos(root));
  const std::string tickets = absl::StrCat("tmp/krb5cc_", getuid());
  const std::string keytab = absl::StrCat("etc/krb5/user/", geteuid(), "/client.keytab");
  for (const std::string& name : {std::string("etc/krb5.conf"), tickets, keytab}) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << "";
    EXPECT_TRUE(HasKerberos(root)) << name;
    std::filesystem::remove_all(root);
  }
  setenv("KRB5CCNAME", "KCM:", 1);
  EXPECT_TRUE(HasKerberos(root));
  unsetenv("KRB5CCNAME");
}

}  // namespace
}  // namespace walduct::postgres
