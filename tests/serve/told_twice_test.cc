// What REST tells of a setting is Debezium's own description (serve/plugins/definitions.tsv), what
// walduct does with it stands in its row. Where both say the same thing they must not part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/properties/definition.h"
#include "java/text/text_lists.h"
#include "loader/all_properties.h"
#include "serve/plugins/definitions.h"

namespace walduct::serve {
namespace {

// Another default than Debezium's, or none where the setting has no effect.
const std::set<absl::string_view> kOtherDefaults = {
    "plugin.name",                                 // the older plug-in is read as pgoutput
    "lsn.flush.mode",                              // Debezium decides by the older setting
    "snapshot.fetch.size",                         // Debezium's is in its code
    "incremental.snapshot.watermarking.strategy",  // the same word in capitals
    "openlineage.integration.enabled",
    "openlineage.integration.config.file.path",
    "openlineage.integration.job.description",
    "memory.management.schemas.class",
    "memory.management.tables.class",
};
// More values than Debezium's description names; Debezium takes them, too.
const std::set<absl::string_view> kMoreValues = {"plugin.name", "time.precision.mode",
                                                 "snapshot.mode"};

TEST(ToldTwice, EachSettingThatRestTellsHasARow) {
  for (const Definition& told : ConnectorPlugin().definitions)
    EXPECT_NE(loader::AllProperties().Find(told.name), nullptr) << told.name;
  for (const Definition& told : FrameworkDefinitions())
    EXPECT_NE(loader::AllProperties().Find(told.name), nullptr) << told.name;
}

TEST(ToldTwice, DefaultsAreEqual) {
  for (const Definition& told : ConnectorPlugin().definitions) {
    const config::PropertyDefinition* row = loader::AllProperties().Find(told.name);
    if (row == nullptr || kOtherDefaults.contains(told.name)) continue;
    EXPECT_EQ(told.default_value.value_or(""), std::string(row->default_value.value_or("")))
        << told.name;
  }
}

TEST(ToldTwice, ValuesAreEqual) {
  for (const Definition& told : ConnectorPlugin().definitions) {
    const config::PropertyDefinition* row = loader::AllProperties().Find(told.name);
    if (row == nullptr || told.values.empty()) continue;
    const std::vector<std::string> allowed = java::SplitCommaList(row->allowed);
    EXPECT_THAT(allowed, testing::IsSupersetOf(told.values)) << told.name;
    EXPECT_EQ(allowed.size() > told.values.size(), kMoreValues.contains(told.name)) << told.name;
  }
}

TEST(ToldTwice, WhatRestAsksForIsRequired) {
  for (const Definition& told : ConnectorPlugin().definitions) {
    const config::PropertyDefinition* row = loader::AllProperties().Find(told.name);
    if (row == nullptr) continue;
    const bool asked =
        std::find(told.checks.begin(), told.checks.end(), "required") != told.checks.end();
    EXPECT_EQ(asked, row->required) << told.name;
  }
}

}  // namespace
}  // namespace walduct::serve
