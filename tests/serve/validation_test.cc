#include "serve/plugins/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "rapidjson/document.h"

namespace walduct::serve {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

ConfigMap Good() {
  return {{"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
          {"name", "orders"},
          {"topic.prefix", "srv"},
          {"database.hostname", "db"},
          {"database.user", "u"},
          {"database.password", "secret"},
          {"database.dbname", "shop"}};
}

std::vector<std::string> ErrorsOf(const ConfigMap& changes) {
  ConfigMap config = Good();
  for (const auto& [key, value] : changes) PutValue(&config, key, value);
  return Validate(config, {}).errors();
}

TEST(Definitions, AreReadWhole) {
  EXPECT_EQ(FrameworkDefinitions().size(), 24);
  EXPECT_EQ(ConnectorPlugin().class_name, "io.debezium.connector.postgresql.PostgresConnector");
  EXPECT_EQ(ConnectorPlugin().definitions.size(), 126);
  EXPECT_EQ(AllPlugins().size(), 71);
  for (const Plugin& one : AllPlugins()) {
    std::set<std::string> names;
    for (const Definition& definition : one.definitions) {
      EXPECT_TRUE(names.insert(definition.name).second) << definition.name;
      EXPECT_THAT(definition.type, testing::AnyOf("STRING", "INT", "LONG", "SHORT", "DOUBLE",
                                                  "BOOLEAN", "LIST", "CLASS", "PASSWORD"));
    }
  }
}

TEST(Definitions, APluginHasThreeNames) {
  EXPECT_EQ(FindPlugin("Postgres"), &ConnectorPlugin());
  EXPECT_EQ(FindPlugin("PostgresConnector"), &ConnectorPlugin());
  EXPECT_EQ(FindPlugin("EventRouter")->class_name, "io.debezium.transforms.outbox.EventRouter");
  EXPECT_EQ(FindPlugin("postgres"), nullptr);
  EXPECT_EQ(FindPlugin(""), nullptr);
}

TEST(Validate, WhatIsGoodHasNoErrors) { EXPECT_THAT(Validate(Good(), {}).errors(), IsEmpty()); }

TEST(Validate, WhatIsMissing) {
  EXPECT_THAT(Validate({{"connector.class", ConnectorPlugin().class_name}}, {}).errors(),
              ElementsAre("Missing required configuration \"name\" which has no default value.",
                          "The 'topic.prefix' value is invalid: A value is required",
                          "The 'database.hostname' value is invalid: A value is required",
                          "The 'database.user' value is invalid: A value is required",
                          "The 'database.dbname' value is invalid: A value is required"));
}

TEST(Validate, SaysItInTheWordsOfItsOwner) {
  EXPECT_THAT(ErrorsOf({{"max.batch.size", "many"}}),
              ElementsAre("The 'max.batch.size' value is invalid: An integer is expected",
                          "The 'max.batch.size' value is invalid: A positive, non-zero integer "
                          "value is expected"));
  EXPECT_THAT(ErrorsOf({{"tasks.max", "two"}}),
              ElementsAre("Invalid value two for configuration tasks.max: Not a number of type INT",
                          "Invalid value null for configuration tasks.max: Value must be "
                          "non-null"));
  EXPECT_THAT(ErrorsOf({{"tasks.max.enforce", "maybe"}}),
              ElementsAre("Invalid value maybe for configuration tasks.max.enforce: Expected value "
                          "to be either true or false"));
  EXPECT_THAT(ErrorsOf({{"snapshot.mode", "sometimes"}}),
              ElementsAre("The 'snapshot.mode' value is invalid: Value must be one of always, "
                          "initial_only, configuration_based, when_needed, initial, custom, "
                          "no_data"));
  EXPECT_THAT(ErrorsOf({{"table.include.list", "a(b"}}),
              ElementsAre(HasSubstr("Unclosed group near index 3\na(b")));
  EXPECT_THAT(ErrorsOf({{"name", "a\tb"}}),
              ElementsAre(HasSubstr("control sequences but had the following ASCII chars: 9")));
}

TEST(Validate, AReferenceIsNotTakenForTheValue) {
  EXPECT_THAT(ErrorsOf({{"database.port", "${env:PORT}"}, {"slot.name", "${file:/f:slot}"}}),
              IsEmpty());
  EXPECT_THAT(ErrorsOf({{"database.port", "${PORT}"}}), testing::SizeIs(2));
}

TEST(Validate, ATransformBringsItsSettings) {
  ConfigMap config = Good();
  PutValue(&config, "transforms", "route, x");
  PutValue(&config, "transforms.route.type", "org.apache.kafka.connect.transforms.RegexRouter");
  PutValue(&config, "transforms.x.type", "com.example.Router");
  const Validation validation = Validate(config, {});
  EXPECT_THAT(validation.groups(), Contains("Transforms: route"));
  EXPECT_THAT(
      validation.errors(),
      ElementsAre("Missing required configuration \"transforms.route.regex\" which has no default "
                  "value.",
                  "Invalid value null for configuration regex: Invalid regex: null",
                  "Missing required configuration \"transforms.route.replacement\" which has no "
                  "default value.",
                  "Invalid value com.example.Router for configuration transforms.x.type: Class "
                  "com.example.Router could not be found."));
}

TEST(Validate, TheDatabaseIsAskedOnceAllElseIsRight) {
  int asked = 0;
  ValidationQuestions questions;
  questions.database = [&](const ConfigMap&) {
    ++asked;
    return std::string("FATAL: no");
  };
  EXPECT_THAT(Validate(Good(), questions).errors(),
              ElementsAre("Error while validating connector config: FATAL: no"));
  ConfigMap bad = Good();
  EraseKey(&bad, "topic.prefix");
  EXPECT_THAT(Validate(bad, questions).errors(), testing::SizeIs(1));
  EXPECT_EQ(asked, 1);
}

TEST(Validate, WhatWalductRefusesStandsAtItsSetting) {
  ValidationQuestions questions;
  questions.load = [](const ConfigMap&) {
    return std::vector<std::pair<std::string, std::string>>{
        {"database.user", "property 'database.user': refused"},
        {"nowhere", "property 'nowhere': refused"},
        {"topic.creation.default.partitions", "comes out when it runs"}};
  };
  const Validation validation = Validate(Good(), questions);
  EXPECT_THAT(validation.errors(),
              ElementsAre("property 'nowhere': refused", "property 'database.user': refused"));
}

TEST(Validate, NoPasswordIsTold) {
  ConfigMap config = Good();
  PutValue(&config, "producer.override.ssl.key.password", "secret");
  const std::string json = ValidationJson(Validate(config, {}));
  EXPECT_THAT(json, testing::Not(HasSubstr("secret\"")));
  EXPECT_THAT(json, HasSubstr("[hidden]"));
}

using ErrorsByName = std::map<std::string, std::vector<std::string>>;

ErrorsByName ErrorsByNameOf(const Validation& validation) {
  ErrorsByName errors;
  for (const ValidatedSetting& one : validation.settings) {
    for (const std::string& error : one.errors) errors[one.definition.name].push_back(error);
  }
  return errors;
}

// Those that the recordings were made with; null takes one away.
ConfigMap Recorded() {
  return {{"name", "x"},
          {"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
          {"tasks.max", "1"},
          {"database.hostname", "db"},
          {"database.port", "5432"},
          {"database.user", "u"},
          {"database.password", "secret"},
          {"database.dbname", "shop"},
          {"topic.prefix", "srv"},
          {"slot.name", "srv"},
          {"publication.name", "srv"},
          {"plugin.name", "pgoutput"},
          {"publication.autocreate.mode", "filtered"},
          {"table.include.list", "public.orders"}};
}

TEST(Validate, APortThatIsNoneIsSaidOfTheAddress) {
  ValidationQuestions questions;
  questions.load = [](const ConfigMap&) {
    return std::vector<std::pair<std::string, std::string>>{{"database.port", "no port"}};
  };
  questions.database = [](const ConfigMap&) { return std::string(); };
  for (const char* port : {"0", "-1", "65536", "2147483647"}) {
    ConfigMap config = Recorded();
    PutValue(&config, "database.port", port);
    EXPECT_THAT(ErrorsByNameOf(Validate(config, questions)),
                ElementsAre(Pair("database.hostname",
                                 ElementsAre(absl::StrCat("Error while validating connector "
                                                          "config: Unable to parse URL "
                                                          "jdbc:postgresql://db:",
                                                          port, "/shop")))))
        << port;
  }
}

TEST(Validate, OfAVersionThatIsNotThereOnlyWhatSinksHaveTooIsTold) {
  ConfigMap config = Recorded();
  PutValue(&config, "connector.plugin.version", "9");
  PutValue(&config, "value.converter", "org.apache.kafka.connect.storage.StringConverter");
  const Validation validation = Validate(config, {});
  EXPECT_EQ(validation.settings.size(), 19);
  EXPECT_EQ(validation.settings.back().definition.name, "errors.log.include.messages");
  EXPECT_THAT(validation.errors(), testing::SizeIs(2));
  for (const ValidatedSetting& one : validation.settings) {
    EXPECT_NE(one.value.value_or(""), "org.apache.kafka.connect.json.JsonConverter");
  }
}

// validation_errors.jsonl: what Kafka Connect 4.3.0 with Debezium 3.6.1 said of these settings, one
// configuration a line.
TEST(Validate, SaysWhatConnectSays) {
  std::ifstream file(WALDUCT_SOURCE_DIR "/tests/serve/validation_errors.jsonl");
  size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    rapidjson::Document recorded;
    ASSERT_FALSE(recorded.Parse(line.c_str()).HasParseError()) << line;
    ConfigMap config = Recorded();
    for (const auto& [key, value] : recorded["set"].GetObject()) {
      PutValue(&config, key.GetString(),
               value.IsNull() ? std::nullopt : std::optional<std::string>(value.GetString()));
    }
    if (recorded.HasMember("without")) {
      for (const auto& key : recorded["without"].GetArray()) EraseKey(&config, key.GetString());
    }
    ErrorsByName expected;
    for (const auto& [key, errors] : recorded["errors"].GetObject()) {
      for (const auto& error : errors.GetArray())
        expected[key.GetString()].emplace_back(error.GetString());
    }
    EXPECT_EQ(ErrorsByNameOf(Validate(config, {})), expected) << line;
  }
  EXPECT_GT(lines, 700);
}

}  // namespace
}  // namespace walduct::serve
