// Several hosts of one server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "snapshot/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HostsTest : public LoadFixture {};

TEST_F(HostsTest, SeveralHostsHaveOnePortOrOneEach) {
  const std::string hosts =
      "database.hostname=a,b.example\ndatabase.target_session_attrs=primary\n";
  const engine::ConnectorOptions options =
      LoadWith(hosts + "database.port=5432,5433\nslot.max.retries=6").options;
  EXPECT_EQ(options.database->hostname, "a,b.example");
  EXPECT_EQ(options.database->port, "5432,5433");
  EXPECT_EQ(options.database->target_session_attrs, "primary");
  EXPECT_TRUE(options.replication->retries_given);
  const auto one = LoadWith(hosts);
  EXPECT_EQ(one.options.database->port, "5432");
  EXPECT_FALSE(one.options.replication->retries_given);
  EXPECT_THAT(LoadWith(hosts + "database.port=1,2,3").errors,
              Contains(HasSubstr("lists 3 ports for 2 hosts")));
  EXPECT_THAT(LoadWith("database.hostname=a,,b").errors, Contains(HasSubstr("has invalid format")));
}

TEST_F(HostsTest, TheFolderOfASocketIsAHost) {
  const auto loaded = LoadWith("database.hostname=/var/run/postgresql");
  EXPECT_THAT(loaded.errors, IsEmpty());
  EXPECT_EQ(loaded.options.database->hostname, "/var/run/postgresql");
  for (const absl::string_view wrong : {"/var/run/post gres", "var/run", "postgresql://a"})
    EXPECT_THAT(LoadWith(absl::StrCat("database.hostname=", wrong)).errors,
                Contains(HasSubstr("has invalid format")))
        << wrong;
}

// As the operating system takes them; a URL's brackets are left out.
TEST_F(HostsTest, AddressesOfIpv6AreHosts) {
  const auto host = [this](absl::string_view value) {
    const auto loaded = LoadWith(absl::StrCat("database.hostname=", value));
    EXPECT_THAT(loaded.errors, IsEmpty()) << value;
    return loaded.options.database->hostname;
  };
  EXPECT_EQ(host("::1"), "::1");
  EXPECT_EQ(host("[::1]"), "::1");
  EXPECT_EQ(host("[2001:db8::7],::1,127.0.0.1,db"), "2001:db8::7,::1,127.0.0.1,db");
  EXPECT_EQ(host("fe80::1%eth0.7"), "fe80::1%eth0.7");
  EXPECT_EQ(host("::ffff:10.0.0.1"), "::ffff:10.0.0.1");
  for (const absl::string_view wrong : {"[::1", "::1]", "[::1]:5432", ":::1", "1:2", "fe80::1%",
                                        "fe80::1%a b", "[db]", "::1,", "10.0.0.1:5432"})
    EXPECT_THAT(LoadWith(absl::StrCat("database.hostname=", wrong)).errors,
                Contains(HasSubstr("has invalid format")))
        << wrong;
  const auto standby = LoadWith("walduct.snapshot.standby.hostname=[::1],[fe80::1%eth0]");
  EXPECT_THAT(standby.errors, IsEmpty());
  EXPECT_EQ(standby.options.snapshot->standby_hostname, "::1,fe80::1%eth0");
}

TEST_F(HostsTest, AddressesOfIpv6InListsOfServers) {
  const std::string avro =
      "value.converter=io.confluent.connect.avro.AvroConverter\n"
      "value.converter.schema.registry.url=";
  for (const absl::string_view right :
       {"http://[::1]:8081", "http://user:secret@[::1]:8081/x", "https://registry,http://a:1"})
    EXPECT_THAT(LoadWith(absl::StrCat(avro, right)).errors, IsEmpty()) << right;
  for (const absl::string_view wrong : {"http://::1:8081", "http://[::1:8081",
                                        "http://user:secret@a:b", "http://a,http://[::1]:"}) {
    const auto errors = LoadWith(absl::StrCat(avro, wrong)).errors;
    EXPECT_THAT(errors, Contains(HasSubstr("names no server"))) << wrong;
    EXPECT_THAT(errors, Not(Contains(HasSubstr("secret")))) << wrong;
  }
  EXPECT_THAT(LoadWith("bootstrap.servers=[::1]:x").errors,
              Contains(HasSubstr("is not a list of host:port")));
  EXPECT_THAT(LoadWith("bootstrap.servers=::1:9092,[::1]:9093").errors, IsEmpty());
}

}  // namespace
}  // namespace walduct::loader
