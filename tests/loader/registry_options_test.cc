// Converters with a schema registry: what they ask for, and what reaches it.
#include "absl/strings/str_cat.h"
#include "encode/options/cloud_events_options.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "registry/options.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr char kAvroValues[] =
    "value.converter=io.confluent.connect.avro.AvroConverter\n"
    "value.converter.schema.registry.url=http://a:8081/, https://b\n";

class RegistryOptionsTest : public LoadFixture {
 protected:
  static const registry::RegistryOptions& Value(const LoadResult& result) {
    return result.options.registries->value;
  }
};

TEST_F(RegistryOptionsTest, AvroConverterHasARegistryAndItsOwnNames) {
  const LoadResult result = LoadWith(kAvroValues);
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.encode->value.kind, encode::ConverterKind::kAvro);
  EXPECT_EQ(result.options.encode->field_names, names::NameAdjustment::kAvro);
  EXPECT_THAT(Value(result).urls, ElementsAre("http://a:8081", "https://b"));
  EXPECT_TRUE(Value(result).register_schemas);
  EXPECT_THAT(result.options.registries->key.urls, IsEmpty());
}

TEST_F(RegistryOptionsTest, ProtobufConverterHasARegistryAndItsOwnOptions) {
  const LoadResult result = LoadWith(
      "value.converter=io.confluent.connect.protobuf.ProtobufConverter\n"
      "value.converter.schema.registry.url=http://a:8081\n"
      "value.converter.optional.for.nullables=true\n"
      "value.converter.wrapper.for.nullables=true\n"
      "value.converter.scrub.invalid.names=true\n"
      "value.converter.wrapper.for.raw.primitives=false\n"
      "value.converter.value.subject.name.strategy="
      "io.confluent.kafka.serializers.subject.RecordNameStrategy");
  ASSERT_THAT(result.errors, IsEmpty());
  const encode::ConverterOptions& value = result.options.encode->value;
  EXPECT_EQ(value.kind, encode::ConverterKind::kProtobuf);
  EXPECT_TRUE(value.protobuf.optional_for_nullables);
  EXPECT_TRUE(value.protobuf.wrapper_for_nullables);
  EXPECT_TRUE(value.protobuf.scrub_invalid_names);
  EXPECT_EQ(value.subject, encode::SubjectStrategy::kRecord);
  EXPECT_EQ(Value(result).schema_type, "PROTOBUF");
  EXPECT_EQ(result.options.encode->field_names, names::NameAdjustment::kNone);
}

TEST_F(RegistryOptionsTest, RefusesWhatProtobufConverterCannotDo) {
  const std::string converter = "value.converter=io.confluent.connect.protobuf.ProtobufConverter\n";
  EXPECT_THAT(LoadWith(converter).errors, ElementsAre(HasSubstr("\"schema.registry.url\"")));
  const std::string registry = converter + "value.converter.schema.registry.url=http://a\n";
  EXPECT_THAT(LoadWith(registry + "value.converter.skip.known.types=false").errors,
              Contains(HasSubstr("value.converter.skip.known.types")));
  EXPECT_THAT(LoadWith("header." + converter.substr(6)).errors,
              Contains(HasSubstr("converts no headers")));
}

TEST_F(RegistryOptionsTest, AWorkersDefaultLeavesNamesOfFieldsAlone) {
  const LoadResult result = Load(Minimal(), kAvroValues);
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.encode->value.kind, encode::ConverterKind::kAvro);
  EXPECT_EQ(result.options.encode->field_names, names::NameAdjustment::kNone);
}

TEST_F(RegistryOptionsTest, ARegistryHasToBeNamed) {
  EXPECT_THAT(LoadWith("value.converter=io.confluent.connect.avro.AvroConverter").errors,
              ElementsAre(HasSubstr("Missing required configuration \"schema.registry.url\"")));
  EXPECT_THAT(LoadWith("value.converter=io.confluent.connect.avro.AvroConverter\n"
                       "value.converter.schema.registry.url=registry:8081")
                  .errors,
              Contains(HasSubstr("is not a list of http:// or https:// addresses")));
}

TEST_F(RegistryOptionsTest, ItsOptionsReachIt) {
  const LoadResult result =
      LoadWith(std::string(kAvroValues) +
               "value.converter.auto.register.schemas=false\n"
               "value.converter.normalize.schemas=true\n"
               "value.converter.basic.auth.credentials.source=USER_INFO\n"
               "value.converter.basic.auth.user.info=u:p\n"
               "value.converter.request.header.X-Team=orders\n"
               "value.converter.schema.registry.ssl.truststore.location=/ca.pem\n"
               "value.converter.proxy.host=proxy\nvalue.converter.proxy.port=3128\n"
               "value.converter.http.read.timeout.ms=2000\n"
               "value.converter.value.subject.name.strategy="
               "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy\n"
               "value.converter.connect.meta.data=false");
  ASSERT_THAT(result.errors, IsEmpty());
  const registry::RegistryOptions& value = Value(result);
  EXPECT_FALSE(value.register_schemas);
  EXPECT_TRUE(value.normalize);
  EXPECT_EQ(value.http.basic, "u:p");
  EXPECT_THAT(value.http.headers, ElementsAre(Pair("X-Team", "orders")));
  EXPECT_THAT(value.http.tls, ElementsAre(Pair("ssl.truststore.location", "/ca.pem")));
  EXPECT_EQ(value.http.proxy, "http://proxy:3128");
  EXPECT_EQ(value.http.read_timeout, absl::Seconds(2));
  EXPECT_EQ(result.options.encode->value.subject, encode::SubjectStrategy::kTopicRecord);
  EXPECT_FALSE(result.options.encode->value.avro.connect_meta_data);
}

TEST_F(RegistryOptionsTest, UserAndPasswordOfAnAddressAreSentWhenTheSourceSaysSo) {
  const std::string lines =
      "value.converter=io.confluent.connect.avro.AvroConverter\n"
      "value.converter.schema.registry.url=http://u:p@a:8081\n";
  const LoadResult without = LoadWith(lines);
  EXPECT_THAT(Value(without).urls, ElementsAre("http://a:8081"));
  EXPECT_EQ(Value(without).http.basic, "");
  const LoadResult with = LoadWith(lines + "value.converter.basic.auth.credentials.source=URL");
  EXPECT_EQ(Value(with).http.basic, "u:p");
}

TEST_F(RegistryOptionsTest, CredentialsThatAreNotSentAreTold) {
  EXPECT_THAT(
      LoadWith(std::string(kAvroValues) + "value.converter.basic.auth.user.info=u:p").warnings,
      Contains(HasSubstr("is not sent")));
  EXPECT_THAT(
      LoadWith(std::string(kAvroValues) + "value.converter.basic.auth.credentials.source=USER_INFO")
          .errors,
      Contains(HasSubstr("basic.auth.user.info")));
  EXPECT_THAT(LoadWith(std::string(kAvroValues) +
                       "value.converter.basic.auth.credentials.source=USER_INFO\n"
                       "value.converter.basic.auth.user.info=u:p\n"
                       "value.converter.bearer.auth.credentials.source=STATIC_TOKEN\n"
                       "value.converter.bearer.auth.token=t")
                  .errors,
              Contains(HasSubstr("cannot be combined")));
}

TEST_F(RegistryOptionsTest, ASchemaOfTheRegistryMayStandIn) {
  const LoadResult result = LoadWith(std::string(kAvroValues) +
                                     "value.converter.use.latest.version=true\n"
                                     "value.converter.use.schema.id=12\n"
                                     "value.converter.auto.register.schemas=false");
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_TRUE(Value(result).latest);
  EXPECT_EQ(Value(result).schema_id, 12);
  EXPECT_FALSE(Value(result).register_schemas);
  EXPECT_EQ(Value(LoadWith(kAvroValues)).schema_id, -1);
}

TEST_F(RegistryOptionsTest, WhatIsNotSupportedYetIsRefused) {
  EXPECT_THAT(LoadWith(std::string(kAvroValues) +
                       "value.converter.value.subject.name.strategy=com.acme.Mine")
                  .errors,
              Contains(HasSubstr("is not a supported strategy")));
  EXPECT_THAT(LoadWith("header.converter=io.confluent.connect.avro.AvroConverter").errors,
              Contains(HasSubstr("no headers")));
}

TEST_F(RegistryOptionsTest, ADelegateHasOptionsOfItsOwn) {
  const std::string delegate =
      "value.converter=io.debezium.converters.BinaryDataConverter\n"
      "value.converter.delegate.converter.type=io.confluent.connect.avro.AvroConverter\n"
      "value.converter.delegate.converter.type.schema.registry.url=http://a\n";
  const LoadResult result = LoadWith(delegate);
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_TRUE(result.options.encode->value.raw_bytes);
  EXPECT_EQ(result.options.encode->value.kind, encode::ConverterKind::kAvro);
  EXPECT_THAT(Value(result).urls, ElementsAre("http://a"));
  EXPECT_THAT(
      LoadWith(delegate + "value.converter.delegate.converter.type.auto.register.schemas=perhaps")
          .errors,
      Contains(HasSubstr("auto.register.schemas")));
  EXPECT_THAT(LoadWith("header.converter=io.debezium.converters.BinaryDataConverter\n"
                       "header.converter.delegate.converter.type="
                       "io.confluent.connect.avro.AvroConverter\n"
                       "extended.headers.enabled=false")
                  .errors,
              Contains(HasSubstr("converts no headers")));
}

TEST_F(RegistryOptionsTest, ApicuriosConverterHasAnInterfaceOfItsOwn) {
  const std::string lines =
      "value.converter=io.apicurio.registry.utils.converter.AvroConverter\n"
      "value.converter.apicurio.registry.url=http://a:8080\n"
      "value.converter.apicurio.registry.auto-register=true\n"
      "value.converter.apicurio.registry.find-latest=true\n";
  const LoadResult result = LoadWith(lines);
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(Value(result).api, registry::RegistryApi::kApicurio);
  EXPECT_THAT(Value(result).urls, ElementsAre("http://a:8080/apis/registry/v2"));
  EXPECT_TRUE(Value(result).register_schemas);
  EXPECT_EQ(result.options.encode->value.id_place, encode::IdPlace::kHeader);
  const LoadResult framed = LoadWith(lines +
                                     "value.converter.apicurio.registry.headers.enabled=false\n"
                                     "value.converter.apicurio.registry.use-id=contentId\n"
                                     "value.converter.apicurio.auth.username=u\n"
                                     "value.converter.apicurio.auth.password=p");
  EXPECT_EQ(framed.options.encode->value.id_place, encode::IdPlace::kEightBytes);
  EXPECT_TRUE(Value(framed).content_id);
  EXPECT_EQ(Value(framed).http.basic, "u:p");
  EXPECT_EQ(LoadWith(lines + "value.converter.apicurio.registry.headers.enabled=false\n"
                             "value.converter.apicurio.registry.as-confluent=true")
                .options.encode->value.id_place,
            encode::IdPlace::kFourBytes);
  EXPECT_THAT(LoadWith("value.converter=io.apicurio.registry.utils.converter.AvroConverter").errors,
              Contains(HasSubstr("apicurio.registry.url")));
}

TEST_F(RegistryOptionsTest, SecretsAreNotShown) {
  const LoadResult result = LoadWith(std::string(kAvroValues) +
                                     "value.converter.basic.auth.credentials.source=USER_INFO\n"
                                     "value.converter.basic.auth.user.info=u:geheim\n"
                                     "value.converter.bearer.auth.token=geheim");
  for (const config::PropertyReport& report : result.properties)
    EXPECT_THAT(report.value, testing::Not(HasSubstr("geheim"))) << report.name;
}

constexpr char kEvents[] = "value.converter=io.debezium.converters.CloudEventsConverter\n";

TEST_F(RegistryOptionsTest, EventsHaveOptionsOfTheirOwn) {
  const LoadResult result = LoadWith(
      std::string(kEvents) +
      "value.converter.json.schemas.enable=false\n"
      "value.converter.json.decimal.format=NUMERIC\n"
      "value.converter.extension.attributes.enable=false\n"
      "value.converter.schema.cloudevents.name=shop.Event\n"
      "value.converter.metadata.source=header,id:header, type:generate,dataSchemaName:header");
  ASSERT_THAT(result.errors, IsEmpty());
  const encode::ConverterOptions& value = result.options.encode->value;
  ASSERT_NE(value.cloud_events, nullptr);
  EXPECT_EQ(value.kind, encode::ConverterKind::kJson);
  EXPECT_FALSE(value.schemas_enable);
  EXPECT_TRUE(value.decimal_numeric);
  EXPECT_FALSE(value.cloud_events->extensions);
  EXPECT_TRUE(value.cloud_events->source_in_header);
  EXPECT_TRUE(value.cloud_events->id_in_header);
  EXPECT_FALSE(value.cloud_events->type_in_header);
  EXPECT_FALSE(value.cloud_events->data_name_in_header);
  EXPECT_FALSE(value.cloud_events->header_schemas);
  EXPECT_EQ(value.cloud_events->schema_name, "shop.Event");
  EXPECT_THAT(Value(result).urls, IsEmpty());
}

TEST_F(RegistryOptionsTest, AvroOfEventsHasARegistry) {
  const LoadResult confluent =
      LoadWith(std::string(kEvents) +
               "value.converter.data.serializer.type=avro\n"
               "value.converter.avro.schema.registry.url=http://a:8081/, http://b\n"
               "value.converter.avro.connect.meta.data=false");
  ASSERT_THAT(confluent.errors, IsEmpty());
  EXPECT_EQ(confluent.options.encode->value.kind, encode::ConverterKind::kAvro);
  EXPECT_FALSE(confluent.options.encode->value.avro.connect_meta_data);
  EXPECT_EQ(confluent.options.encode->value.cloud_events->registry, "http://a:8081/,http://b");
  EXPECT_THAT(Value(confluent).urls, ElementsAre("http://a:8081", "http://b"));
  EXPECT_EQ(confluent.options.encode->field_names, names::NameAdjustment::kNone);
  const LoadResult apicurio = LoadWith(std::string(kEvents) +
                                       "value.converter.serializer.type=avro\n"
                                       "value.converter.data.serializer.type=avro\n"
                                       "value.converter.avro.apicurio.registry.url=http://a:8080");
  ASSERT_THAT(apicurio.errors, IsEmpty());
  EXPECT_EQ(apicurio.options.encode->value.id_place, encode::IdPlace::kEightBytes);
  EXPECT_EQ(Value(apicurio).api, registry::RegistryApi::kApicurio);
  EXPECT_TRUE(apicurio.options.encode->value.cloud_events->avro);
}

TEST_F(RegistryOptionsTest, EventsAreOfValuesAndMakeSense) {
  EXPECT_THAT(LoadWith("key.converter=io.debezium.converters.CloudEventsConverter").errors,
              Contains(HasSubstr("converts no keys")));
  EXPECT_THAT(LoadWith("header.converter=io.debezium.converters.CloudEventsConverter").errors,
              Contains(HasSubstr("converts no headers")));
  EXPECT_THAT(LoadWith(std::string(kEvents) + "value.converter.serializer.type=avro\n"
                                              "value.converter.avro.schema.registry.url=http://a")
                  .errors,
              Contains(HasSubstr("is json, which cannot be put into events that are Avro")));
  EXPECT_THAT(LoadWith(std::string(kEvents) + "value.converter.data.serializer.type=avro").errors,
              Contains(HasSubstr("Missing required configuration \"schema.registry.url\"")));
  EXPECT_THAT(LoadWith(std::string(kEvents) + "value.converter.metadata.source=nowhere").errors,
              Contains(HasSubstr("neither value nor header in first place")));
  EXPECT_THAT(
      LoadWith(std::string(kEvents) + "value.converter.metadata.source=value,id:value").errors,
      Contains(HasSubstr("with :header or :generate behind it")));
  EXPECT_THAT(LoadWith(std::string(kEvents) + "value.converter.json.decimal.format=hex").errors,
              Contains(HasSubstr("value.converter.json.decimal.format")));
}

TEST_F(RegistryOptionsTest, ExtJsonConverterLeavesItsSchemaToApicurio) {
  constexpr char kExtJson[] =
      "value.converter=io.apicurio.registry.utils.converter.ExtJsonConverter\n"
      "value.converter.apicurio.registry.url=http://a:8080/apis/registry/v2\n"
      "value.converter.apicurio.registry.auto-register=true\n";
  const LoadResult result = LoadWith(kExtJson);
  ASSERT_THAT(result.errors, IsEmpty());
  const encode::ConverterOptions& value = result.options.encode->value;
  EXPECT_EQ(value.kind, encode::ConverterKind::kJson);
  EXPECT_TRUE(value.schema_id);
  EXPECT_FALSE(value.schemas_enable);
  EXPECT_EQ(Value(result).api, registry::RegistryApi::kApicurio);
  EXPECT_EQ(Value(result).schema_type, "KCONNECT");
  EXPECT_THAT(LoadWith(std::string(kExtJson) + "value.converter.decimal.format=numeric").errors,
              ElementsAre(HasSubstr("is numeric, which ExtJsonConverter rounds")));
}

TEST_F(RegistryOptionsTest, NumbersHaveConvertersOfTheirOwn) {
  const LoadResult result =
      LoadWith("key.converter=org.apache.kafka.connect.converters.LongConverter");
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.encode->key.kind, encode::ConverterKind::kNumber);
  EXPECT_EQ(result.options.encode->key.number, event::ConnectType::kInt64);
  EXPECT_THAT(
      LoadWith("header.converter=org.apache.kafka.connect.converters.ShortConverter").errors,
      Contains(HasSubstr("writes no text")));
}

TEST_F(RegistryOptionsTest, BinaryDataConverterHasItsFirstNames) {
  for (const char* name : {"ByteBufferConverter", "ByteArrayConverter"}) {
    const LoadResult result =
        LoadWith(absl::StrCat("value.converter=io.debezium.converters.", name,
                              "\nvalue.converter.delegate.converter.type="
                              "org.apache.kafka.connect.json.JsonConverter\n"
                              "value.converter.delegate.converter.type.schemas.enable=false"));
    ASSERT_THAT(result.errors, IsEmpty());
    EXPECT_TRUE(result.options.encode->value.raw_bytes);
    EXPECT_EQ(result.options.encode->value.kind, encode::ConverterKind::kJson);
    EXPECT_FALSE(result.options.encode->value.schemas_enable);
  }
}

TEST_F(RegistryOptionsTest, AConverterSaysWhatItWrites) {
  const LoadResult result = LoadWith(
      "key.converter=org.apache.kafka.connect.storage.StringConverter\n"
      "value.converter=io.confluent.connect.avro.AvroConverter\n"
      "value.converter.schema.registry.url=http://registry:8081");
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(Report(result, "key.converter")->note, "text");
  EXPECT_EQ(Report(result, "value.converter")->note,
            "Avro, its schemas in a registry by Confluent's interface");
}

}  // namespace
}  // namespace walduct::loader
