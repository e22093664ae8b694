#include "config/documentation.h"

#include <sstream>

#include "config/properties/definition.h"
#include "loader/all_properties.h"
#include "tests/loader/load_fixture.h"
#include "transform/registry/documentation.h"

namespace walduct::loader {
namespace {

using testing::HasSubstr;
using testing::Not;

class DocumentationTest : public LoadFixture {};

TEST_F(DocumentationTest, ReferenceInDocsIsCurrent) {
  std::ifstream file(std::string(WALDUCT_SOURCE_DIR) + "/docs/configuration.md", std::ios::binary);
  ASSERT_TRUE(file.good()) << "docs/configuration.md is missing";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == config::ConfigurationMarkdown(AllProperties()))
      << "docs/configuration.md is stale: run `walduct validate --print-reference > "
         "docs/configuration.md`";
}

TEST_F(DocumentationTest, TransformsInDocsAreCurrent) {
  std::ifstream file(std::string(WALDUCT_SOURCE_DIR) + "/docs/transforms.md", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == transform::TransformsMarkdown())
      << "docs/transforms.md is stale: run `walduct validate --print-transforms > "
         "docs/transforms.md`";
}

TEST_F(DocumentationTest, EveryPropertyHasARow) {
  const std::string reference = config::ConfigurationMarkdown(AllProperties());
  for (const config::PropertyDefinition* definition : AllProperties().all()) {
    EXPECT_THAT(reference, HasSubstr("| `" + std::string(definition->name) + "` |"));
  }
}

TEST_F(DocumentationTest, TableAlignsItsColumnsAndEndsWithTheVerdict) {
  const std::string table = config::RenderReport(LoadWith("tasks.max=2\ntabel.include.list=ä"));
  EXPECT_THAT(table, HasSubstr("PROPERTY            VALUE       STATUS     NOTE\n"));
  EXPECT_THAT(table, HasSubstr("name                orders      honoured\n"));
  EXPECT_THAT(
      table,
      HasSubstr(
          "tasks.max           2           no effect  the connector always has exactly one task"));
  EXPECT_THAT(
      table,
      HasSubstr("tabel.include.list  ä           unknown    did you mean 'table.include.list'?\n"));
  EXPECT_THAT(table, HasSubstr("\nwarning: property 'tabel.include.list'"));
  EXPECT_THAT(table, testing::EndsWith("accepted: 0 errors, 1 warnings\n"));
}

TEST_F(DocumentationTest, TableListsErrorsAndMasksSecrets) {
  const std::string table =
      config::RenderReport(LoadWith("database.password=sesam\ndatabase.port=x"));
  EXPECT_THAT(
      table,
      HasSubstr("error: property 'database.port': value 'x' is invalid: An integer is expected"));
  EXPECT_THAT(table, HasSubstr("refused: 1 errors"));
  EXPECT_THAT(table, Not(HasSubstr("sesam")));
}

// The salt of a hash is part of the property's name.
TEST_F(DocumentationTest, SaltsAreMaskedWhereverANameIsShown) {
  for (const std::string line :
       {"column.mask.hash.SHA-256.with.salt.CzQM=a.b", "column.mask.hash.v2.MD2.with.salt.CzQM=a.b",
        "column.mask.hash.SHA-256.with.salt.CzQM=(", "column.mask.hsah.MD5.with.salt.CzQM=a"}) {
    const std::string table = config::RenderReport(LoadWith(line));
    EXPECT_THAT(table, Not(HasSubstr("CzQM"))) << table;
    EXPECT_THAT(table, HasSubstr(".with.salt.******")) << table;
  }
}

TEST_F(DocumentationTest, LongValuesAreShortenedToOneLine) {
  const std::string table =
      config::RenderReport(LoadWith("table.include.list=" + std::string(200, 'x')));
  EXPECT_THAT(table, HasSubstr("xxx…"));
  EXPECT_THAT(table, Not(HasSubstr(std::string(60, 'x'))));
}

}  // namespace
}  // namespace walduct::loader
