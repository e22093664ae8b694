#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NamesTest : public LoadFixture {};

TEST_F(NamesTest, AWordIsNoTable) {
  EXPECT_THAT(LoadWith("table.include.list=public.items,orders").warnings,
              ElementsAre(HasSubstr("'orders' matches nothing: it is compared with schema.table; "
                                    "did you mean 'public.orders'?")));
  EXPECT_THAT(LoadWith("table.exclude.list=orders").warnings,
              ElementsAre(HasSubstr("'table.exclude.list': 'orders' matches nothing")));
}

TEST_F(NamesTest, NorATableAColumn) {
  EXPECT_THAT(LoadWith("column.exclude.list=orders.note").warnings,
              ElementsAre(HasSubstr("did you mean 'public.orders.note'?")));
  EXPECT_THAT(LoadWith("column.include.list=note").warnings,
              ElementsAre(HasSubstr("did you mean 'public.TABLE.note'?")));
}

TEST_F(NamesTest, ExpressionsAreTheirAuthorsBusiness) {
  EXPECT_THAT(LoadWith("table.include.list=.*orders,public.items,[^.]+\\\\.x\n"
                       "column.exclude.list=.*,public.items.note,[a-z]+\n")
                  .warnings,
              IsEmpty());
}

TEST_F(NamesTest, SwappedFiles) {
  const std::string connector =
      "name=orders\ndatabase.hostname=db\ndatabase.user=cdc\ndatabase.dbname=shop\n"
      "topic.prefix=srv\n";
  const std::string worker = "bootstrap.servers=kafka:9092\n";
  EXPECT_THAT(Load(connector, worker).warnings, IsEmpty());
  EXPECT_THAT(Load(worker, connector).warnings, ElementsAre(HasSubstr("are -f and -w swapped?")));
}

}  // namespace
}  // namespace walduct::loader
