// Secrets whose names nobody knows, and secrets where others can read them.
#include <cstdlib>

#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SecretsTest : public LoadFixture {};

TEST_F(SecretsTest, UnknownNamesThatLookLikeSecretsAreMasked) {
  for (const std::string name :
       {"database.passwort", "database.pasword", "databse.password", "database.pwd",
        "acme.api-token", "acme.signing.key", "driver.acme.secretValue", "producer.sasl.passw0rd",
        "sasl.jaas.confg"}) {
    const LoadResult result = LoadWith(name + "=sesam");
    ASSERT_NE(Report(result, name), nullptr) << name;
    EXPECT_EQ(Report(result, name)->value, "******") << name;
    for (const std::string& line : result.warnings) EXPECT_THAT(line, Not(HasSubstr("sesam")));
  }
  for (const std::string name :
       {"database.hostnam", "producer.linger.ms", "acme.plain", "acme.keys.shown"}) {
    EXPECT_EQ(Report(LoadWith(name + "=sesam"), name)->value, "sesam") << name;
  }
}

TEST_F(SecretsTest, ASecretOnTheCommandLineIsWarnedAbout) {
  const auto given = [&](const std::string& name, const std::string& value) {
    return Load(Minimal(), "", {{name, value}}).warnings;
  };
  EXPECT_THAT(
      given("database.password", "sesam"),
      ElementsAre(AllOf(HasSubstr("property 'database.password'"), HasSubstr("(ps)"),
                        HasSubstr("-o 'database.password=${env:NAME}'"), Not(HasSubstr("sesam")))));
  setenv("WALDUCT_TEST_PASSWORD", "sesam", 1);
  EXPECT_THAT(given("database.password", "${env:WALDUCT_TEST_PASSWORD}"), IsEmpty());
  EXPECT_THAT(given("database.port", "5433"), IsEmpty());
  EXPECT_THAT(LoadWith("database.password=sesam").warnings, IsEmpty());
}

}  // namespace
}  // namespace walduct::loader
