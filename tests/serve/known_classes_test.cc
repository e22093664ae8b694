#include "loader/known_classes.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/plugins/validation.h"
#include "transform/registry/registry.h"

namespace walduct::loader {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Those of Connect's validation, without what the loader and the database say.
std::vector<std::string> NotFound(const std::string& property, const std::string& class_name,
                                  const serve::ConfigMap& more = {}) {
  serve::ConfigMap config = more;
  config.emplace_back("name", "shop");
  config.emplace_back("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
  config.emplace_back(property, class_name);
  std::vector<std::string> found;
  for (const std::string& error :
       serve::Validate(config, {.knows = KnowsClass, .load = {}, .database = {}}).errors()) {
    if (absl::StrContains(error, "could not be found")) found.push_back(error);
  }
  return found;
}

TEST(KnownClasses, EveryTransformIsFoundByValidation) {
  for (const transform::TransformClass* one : transform::TransformClasses()) {
    const std::string name = absl::StrCat(one->name, one->has_targets ? "$Value" : "");
    EXPECT_THAT(NotFound("transforms.x.type", name, {{"transforms", "x"}}), IsEmpty());
  }
  for (const transform::PredicateClass* one : transform::PredicateClasses()) {
    EXPECT_THAT(NotFound("predicates.x.type", std::string(one->name), {{"predicates", "x"}}),
                IsEmpty());
  }
}

TEST(KnownClasses, ConvertersWithoutDefinitionsAreFound) {
  for (const char* name :
       {"io.confluent.connect.avro.AvroConverter", "io.debezium.converters.ByteBufferConverter",
        "org.apache.kafka.connect.json.JsonConverter"})
    EXPECT_THAT(NotFound("value.converter", name), IsEmpty()) << name;
}

TEST(KnownClasses, OthersAreNot) {
  EXPECT_FALSE(KnowsClass("com.example.Transform", "transformation"));
  EXPECT_THAT(NotFound("transforms.x.type", "com.example.Transform", {{"transforms", "x"}}),
              testing::ElementsAre(HasSubstr("Class com.example.Transform could not be found")));
  EXPECT_THAT(NotFound("value.converter", "com.example.Converter"), testing::SizeIs(1));
}

}  // namespace
}  // namespace walduct::loader
