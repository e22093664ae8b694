#include "kafka/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/client.h"
#include "kafka/version.h"
#include "tests/security/jks_samples.h"

namespace walduct::kafka {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

Properties Translated(const Properties& java) {
  const auto native = TranslateProperties(java);
  EXPECT_TRUE(native.ok()) << native.status();
  return native.ok() ? *native : Properties{};
}

Properties Producer(const Properties& java) {
  const auto native = ProducerProperties(java, {});
  EXPECT_TRUE(native.ok()) << native.status();
  return native.ok() ? *native : Properties{};
}

// The message it is refused with.
std::string Refused(const Properties& java) {
  const absl::Status status = ProducerProperties(java, {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(PropertiesTest, NamesThatDifferAreRenamed) {
  const Properties native = Translated({{"max.request.size", "2097152"},
                                        {"send.buffer.bytes", "-1"},
                                        {"compression.type", "ZSTD"},
                                        {"compression.zstd.level", "7"},
                                        {"compression.gzip.level", "9"},
                                        {"delivery.timeout.ms", "2147483647"},
                                        {"linger.ms", "20"},
                                        {"ssl.truststore.certificates", "PEM"}});
  EXPECT_THAT(native, Contains(Pair("message.max.bytes", "2097152")));
  EXPECT_THAT(native, Contains(Pair("socket.send.buffer.bytes", "0")));
  EXPECT_THAT(native, Contains(Pair("compression.level", "7")));
  EXPECT_THAT(native, Contains(Pair("message.timeout.ms", "2147483647")));
  EXPECT_THAT(native, Contains(Pair("linger.ms", "20")));
  EXPECT_THAT(native, Contains(Pair("ssl.ca.pem", "PEM")));
}

TEST(PropertiesTest, NumbersAreBroughtIntoTheNarrowerRange) {
  EXPECT_THAT(Translated({{"request.timeout.ms", "2147483647"}}),
              Contains(Pair("request.timeout.ms", "900000")));
  EXPECT_THAT(Translated({{"batch.size", "0"}}), Contains(Pair("batch.size", "1")));
}

TEST(PropertiesTest, ANumberThatIsNoneNamesItsProperty) {
  const absl::Status status = TranslateProperties({{"linger.ms", "soon"}}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("linger.ms"));
}

TEST(PropertiesTest, WhatConcernsTheJvmHasNoEffect) {
  const Properties native =
      Translated({{"key.serializer", "x"}, {"interceptor.classes", "y"}, {"buffer.memory", "1"}});
  EXPECT_TRUE(native.empty());
}

TEST(PropertiesTest, TheEscapeHatchWinsOverEverything) {
  const Properties native =
      Producer({{"linger.ms", "20"}, {"rdkafka.linger.ms", "0"}, {"rdkafka.debug", "broker"}});
  EXPECT_THAT(native, Contains(Pair("linger.ms", "0")));
  EXPECT_THAT(native, Contains(Pair("debug", "broker")));
  EXPECT_THAT(native, Not(Contains(Key("rdkafka.debug"))));
}

TEST(PropertiesTest, ADisabledHostNameCheckIsSpelledNone) {
  EXPECT_THAT(Translated({{"ssl.endpoint.identification.algorithm", ""}}),
              Contains(Pair("ssl.endpoint.identification.algorithm", "none")));
}

TEST(PropertiesTest, JaasGivesTheUserAndPassword) {
  const Properties native = Translated(
      {{"security.protocol", "SASL_SSL"},
       {"sasl.mechanism", "SCRAM-SHA-512"},
       {"sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"u\" "
        "password=\"p\\\"w\";"}});
  EXPECT_THAT(native, Contains(Pair("sasl.username", "u")));
  EXPECT_THAT(native, Contains(Pair("sasl.password", "p\"w")));
  EXPECT_THAT(native, Contains(Pair("sasl.mechanism", "SCRAM-SHA-512")));
  EXPECT_THAT(native, Not(Contains(Key("sasl.jaas.config"))));
}

TEST(PropertiesTest, KerberosIsRefusedUnlessTheClientHasIt) {
  const bool built_in = HasFeature("sasl_gssapi");
  for (const Properties& java :
       {Properties{{"sasl.mechanism", "GSSAPI"}}, Properties{{"security.protocol", "SASL_SSL"}}}) {
    EXPECT_EQ(TranslateProperties(java).ok(), built_in);
  }
  EXPECT_TRUE(TranslateProperties({{"security.protocol", "SSL"}}).ok());
  EXPECT_TRUE(
      TranslateProperties({{"security.protocol", "SASL_SSL"}, {"rdkafka.sasl.mechanisms", "PLAIN"}})
          .ok());
}

TEST(PropertiesTest, OneLinePemIsLaidOut) {
  const std::string line = "-----BEGIN CERTIFICATE----- AA== -----END CERTIFICATE-----";
  const std::string laid_out = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
  EXPECT_THAT(
      Translated({{"ssl.keystore.certificate.chain", line}, {"ssl.truststore.certificates", line}}),
      AllOf(Contains(Pair("ssl.certificate.pem", laid_out)),
            Contains(Pair("ssl.ca.pem", laid_out))));
}

TEST(PropertiesTest, UnsupportedLoginIsRefused) {
  EXPECT_EQ(ErrorReason(TranslateProperties({{"sasl.mechanism", "GSSAPI"}}).status()),
            "kafka_sasl_unsupported");
  EXPECT_EQ(ErrorReason(TranslateProperties(
                            {{"sasl.jaas.config", "software.amazon.IAMLoginModule required;"}})
                            .status()),
            "kafka_sasl_unsupported");
}

TEST(PropertiesTest, AProducerIsDurableAndOrderedByDefault) {
  const Properties native = Producer({});
  EXPECT_THAT(native, Contains(Pair("acks", "all")));
  EXPECT_THAT(native, Contains(Pair("enable.idempotence", "true")));
  EXPECT_THAT(native, Contains(Pair("max.in.flight.requests.per.connection", "5")));
  EXPECT_THAT(native, Contains(Pair("partitioner", "murmur2_random")));
  EXPECT_THAT(native, Contains(Pair("message.timeout.ms", "0")));
  EXPECT_THAT(native, Contains(Pair("linger.ms", "1")));
  EXPECT_THAT(native, Contains(Pair("allow.auto.create.topics", "true")));
}

TEST(PropertiesTest, WhatWouldLoseOrReorderRecordsIsRefused) {
  EXPECT_THAT(Refused({{"acks", "1"}}), HasSubstr("acks"));
  Refused({{"max.in.flight.requests.per.connection", "6"}});
  Refused({{"enable.idempotence", "false"}, {"max.in.flight.requests.per.connection", "2"}});
  Refused({{"retries", "0"}});
  Refused({{"transactional.id", "t"}});
  Refused({{"partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner"}});
}

TEST(PropertiesTest, ConnectsOwnProducerSettingsAreAccepted) {
  const Properties native = Producer({{"acks", "all"},
                                      {"enable.idempotence", "false"},
                                      {"max.in.flight.requests.per.connection", "1"},
                                      {"delivery.timeout.ms", "2147483647"},
                                      {"max.block.ms", "9223372036854775807"}});
  EXPECT_THAT(native, Contains(Pair("enable.idempotence", "false")));
  EXPECT_THAT(native, Contains(Pair("max.in.flight.requests.per.connection", "1")));
}

TEST(PropertiesTest, TheQueueTakesTheLargestRecord) {
  EXPECT_THAT(Producer({{"max.request.size", "104857600"}}),
              Contains(Pair("queue.buffering.max.kbytes", "103424")));
}

TEST(PropertiesTest, AClientNamesThePropertyWithABadValueButNoSecret) {
  const auto client =
      Client::Create(Client::Role::kProducer, "localhost:1", {{"compression.type", "brotli"}});
  EXPECT_TRUE(absl::IsInvalidArgument(client.status()));
  EXPECT_THAT(std::string(client.status().message()), HasSubstr("compression.type"));
  const auto with_secret =
      Client::Create(Client::Role::kProducer, "localhost:1",
                     {{"security.protocol", "ssl"}, {"ssl.key.pem", "s3cret"}});
  EXPECT_TRUE(absl::IsInvalidArgument(with_secret.status()));
  EXPECT_THAT(std::string(with_secret.status().message()), Not(HasSubstr("s3cret")));
}

TEST(PropertiesTest, AClientStartsInSpiteOfUnknownNames) {
  EXPECT_TRUE(Client::Create(Client::Role::kProducer, "localhost:1", {{"no.such.name", "1"}}).ok());
}

class StoreTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& content) {
    const std::string path = absl::StrCat(testing::TempDir(), "/", getpid(), ".", name);
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
};

TEST_F(StoreTest, PemStoresAreGivenAsTheyAre) {
  const std::string path = Write("store.pem", "-----BEGIN CERTIFICATE-----\n");
  const Properties native =
      Translated({{"ssl.truststore.location", path}, {"ssl.keystore.location", path}});
  EXPECT_THAT(native, Contains(Pair("ssl.ca.location", path)));
  EXPECT_THAT(native, Contains(Pair("ssl.certificate.location", path)));
  EXPECT_THAT(native, Contains(Pair("ssl.key.location", path)));
}

TEST_F(StoreTest, APkcs12KeyStoreIsReadByTheClient) {
  const std::string path = Write("store.p12", "\x30\x82");
  const Properties native =
      Translated({{"ssl.keystore.location", path}, {"ssl.keystore.password", "pw"}});
  EXPECT_THAT(native, Contains(Pair("ssl.keystore.location", path)));
  EXPECT_THAT(native, Contains(Pair("ssl.keystore.password", "pw")));
}

TEST_F(StoreTest, JksStoresAreReadHere) {
  std::string trusted, own;
  ASSERT_TRUE(absl::Base64Unescape(security::kJksTrustStore, &trusted));
  ASSERT_TRUE(absl::Base64Unescape(security::kJksKeyStore, &own));
  const Properties java = {{"ssl.truststore.location", Write("trust.jks", trusted)},
                           {"ssl.truststore.password", "changeit"},
                           {"ssl.keystore.location", Write("own.jks", own)},
                           {"ssl.keystore.password", "changeit"},
                           {"ssl.key.password", "secretkey"}};
  const Properties native = Translated(java);
  EXPECT_THAT(native, Contains(Pair("ssl.ca.pem", StartsWith("-----BEGIN CERTIFICATE-----\n"))));
  EXPECT_EQ(native.at("ssl.certificate.pem"), native.at("ssl.ca.pem"));
  EXPECT_THAT(native, Contains(Pair("ssl.key.pem", StartsWith("-----BEGIN PRIVATE KEY-----\n"))));
  EXPECT_THAT(native, Not(Contains(Key("ssl.key.password"))));
  Properties with_tls = native;
  with_tls["security.protocol"] = "ssl";
  EXPECT_TRUE(Client::Create(Client::Role::kConsumer, "", with_tls).ok());

  Properties wrong = java;
  wrong["ssl.key.password"] = "wrong";
  EXPECT_THAT(ErrorHint(TranslateProperties(wrong).status()), HasSubstr("ssl.key.password"));
  wrong = java;
  wrong["ssl.truststore.password"] = "wrong";
  EXPECT_THAT(std::string(TranslateProperties(wrong).status().message()),
              StartsWith("ssl.truststore.location: "));
}

TEST_F(StoreTest, JceksIsRefusedWithTheCommandThatConvertsIt) {
  const std::string path = Write("store.jceks", "\xCE\xCE\xCE\xCE");
  const absl::Status status = TranslateProperties({{"ssl.truststore.location", path}}).status();
  EXPECT_EQ(ErrorReason(status), "kafka_store_jceks");
  EXPECT_THAT(ErrorHint(status), HasSubstr("keytool -importkeystore -srckeystore " + path));
}

TEST_F(StoreTest, AMissingOrStrangeStoreNamesPropertyAndPath) {
  const absl::Status missing =
      TranslateProperties({{"ssl.keystore.location", "/no/such/store"}}).status();
  EXPECT_EQ(ErrorReason(missing), "kafka_store_unreadable");
  EXPECT_THAT(std::string(missing.message()), HasSubstr("ssl.keystore.location"));
  const std::string path = Write("store.bad", "\x30\x82");
  EXPECT_EQ(ErrorReason(TranslateProperties({{"ssl.truststore.location", path}}).status()),
            "kafka_store_unreadable");
}

}  // namespace
}  // namespace walduct::kafka
