#include "config/files/config_providers.h"

#include <cstdlib>

#include "base/error.h"
#include "tests/config/file_fixture.h"

namespace walduct::config {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ConfigProvidersTest : public FileFixture {
 protected:
  absl::StatusOr<std::string> Resolve(const std::string& value, const KeyValues& properties = {}) {
    auto providers = ConfigProviders::Create(properties);
    if (!providers.ok()) return providers.status();
    return (*providers)->Resolve(value);
  }
  std::string Refusal(const std::string& value, const KeyValues& properties = {}) {
    const auto resolved = Resolve(value, properties);
    return resolved.ok() ? "" : std::string(resolved.status().message());
  }
};

TEST_F(ConfigProvidersTest, FileGivesOneKey) {
  const std::string path = WriteFile("secrets.properties", "user=u1\npass=p:1}\n");
  EXPECT_EQ(*Resolve("${file:" + path + ":user}"), "u1");
  EXPECT_EQ(*Resolve("a${file:" + path + ":user}b${file:" + path + ":user}c"), "au1bu1c");
}

TEST_F(ConfigProvidersTest, DirectoryGivesAWholeFileByteForByte) {
  WriteFile("pass", "s3cret\n");
  EXPECT_EQ(*Resolve("${directory:" + folder() + ":pass}"), "s3cret\n");
  EXPECT_EQ(*Resolve("${dir:" + folder() + ":pass}"), "s3cret\n");
}

TEST_F(ConfigProvidersTest, EnvironmentVariable) {
  setenv("WALDUCT_TEST_VARIABLE", "from env", 1);
  EXPECT_EQ(*Resolve("${env:WALDUCT_TEST_VARIABLE}"), "from env");
}

TEST_F(ConfigProvidersTest, TextWithoutAColonIsNoReference) {
  EXPECT_EQ(*Resolve("outbox.${routedByValue}.$1 ${"), "outbox.${routedByValue}.$1 ${");
  EXPECT_FALSE(ConfigProviders::HasReference("${routedByValue}"));
}

TEST_F(ConfigProvidersTest, ResolvedTextIsNotExpandedAgain) {
  setenv("WALDUCT_TEST_VARIABLE", "${env:HOME}", 1);
  EXPECT_EQ(*Resolve("${env:WALDUCT_TEST_VARIABLE}"), "${env:HOME}");
}

TEST_F(ConfigProvidersTest, UnresolvableReferencesNameTheProviderAndNoValue) {
  const std::string path = WriteFile("secrets.properties", "user=topsecret\n");
  EXPECT_THAT(Refusal("${vault:a:b}"), AllOf(HasSubstr("'vault'"), HasSubstr("not declared")));
  EXPECT_THAT(Refusal("${env:WALDUCT_NO_SUCH}"),
              AllOf(HasSubstr("'env'"), HasSubstr("WALDUCT_NO_SUCH")));
  EXPECT_THAT(Refusal("${file:" + path + ":nokey}"),
              AllOf(HasSubstr("'file'"), HasSubstr("'nokey'"), Not(HasSubstr("topsecret"))));
  EXPECT_THAT(Refusal("${file:/no/such/file:k}"), HasSubstr("/no/such/file"));
  EXPECT_THAT(Refusal("${directory:" + folder() + ":../x}"),
              HasSubstr("needs a folder and a file name"));
}

TEST_F(ConfigProvidersTest, DeclaredProviderHasItsOwnName) {
  const std::string path = WriteFile("secrets.properties", "k=v\n");
  const KeyValues declared = {{"config.providers", "vault , x"},
                              {"config.providers.vault.class",
                               "org.apache.kafka.common.config.provider.FileConfigProvider"},
                              {"config.providers.x.class", "EnvVarConfigProvider"}};
  EXPECT_EQ(*Resolve("${vault:" + path + ":k}", declared), "v");
}

TEST_F(ConfigProvidersTest, UnknownProviderClassIsRefused) {
  EXPECT_THAT(
      Refusal("x", {{"config.providers", "v"}, {"config.providers.v.class", "com.acme.Vault"}}),
      AllOf(HasSubstr("config.providers.v.class"), HasSubstr("com.acme.Vault")));
}

TEST_F(ConfigProvidersTest, StoresOfSecretsAreNamedWithTheFilesThatTheyWrite) {
  const auto hint = [this](const std::string& value, const KeyValues& properties) {
    const auto resolved = Resolve(value, properties);
    return resolved.ok()
               ? ""
               : std::string(resolved.status().message()) + "; " + ErrorHint(resolved.status());
  };
  const auto declared = [&](const std::string& type) {
    return hint("x", {{"config.providers", "v"}, {"config.providers.v.class", type}});
  };
  EXPECT_THAT(declared("com.github.jcustenborder.kafka.config.vault.VaultConfigProvider"),
              AllOf(HasSubstr("HashiCorp Vault"), HasSubstr("${file:/vault/secrets/NAME:KEY}")));
  EXPECT_THAT(declared("com.amazonaws.kafka.config.providers.SecretsManagerConfigProvider"),
              AllOf(HasSubstr("AWS Secrets Manager"), HasSubstr("CSI")));
  EXPECT_THAT(declared("io.strimzi.kafka.KubernetesSecretConfigProvider"),
              AllOf(HasSubstr("Kubernetes"), HasSubstr("${directory:/mnt/NAME:KEY}")));
  EXPECT_THAT(declared("io.lenses.connect.secrets.providers.AzureSecretProvider"),
              HasSubstr("Azure Key Vault"));
  EXPECT_THAT(hint("${secrets:ns/db:password}", {}), HasSubstr("mount the Secret"));
}

TEST_F(ConfigProvidersTest, AllowedPathsHoldForFilesAndFolders) {
  const std::string path = WriteFile("secrets.properties", "k=v\n");
  const KeyValues inside = {{"config.providers", "file"},
                            {"config.providers.file.class", "FileConfigProvider"},
                            {"config.providers.file.param.allowed.paths", "/nowhere," + folder()}};
  EXPECT_EQ(*Resolve("${file:" + path + ":k}", inside), "v");
  EXPECT_THAT(Refusal("${file:" + folder() + "/../x:k}", inside), HasSubstr("allowed.paths"));
}

TEST_F(ConfigProvidersTest, AllowlistPatternHoldsForVariables) {
  setenv("WALDUCT_TEST_VARIABLE", "v", 1);
  const KeyValues declared = {{"config.providers", "env"},
                              {"config.providers.env.class", "EnvVarConfigProvider"},
                              {"config.providers.env.param.allowlist.pattern", "WALDUCT_.*"}};
  EXPECT_EQ(*Resolve("${env:WALDUCT_TEST_VARIABLE}", declared), "v");
  EXPECT_THAT(Refusal("${env:HOME}", declared), HasSubstr("allowlist.pattern"));
}

}  // namespace
}  // namespace walduct::config
