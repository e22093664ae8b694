// What the outbox properties do to the properties around them.
#include "java/regex/regex_list.h"
#include "route/options.h"
#include "tests/loader/load_fixture.h"
#include "transform/chain/chain_spec.h"

namespace walduct::loader {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OutboxRouting : public LoadFixture {
 protected:
  static std::string Router(const std::string& lines) {
    return "transforms=outbox\n"
           "transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n" +
           lines;
  }
  transform::TransformSpec Spec(const std::string& lines) const {
    const LoadResult result = LoadWith(lines);
    EXPECT_THAT(result.errors, IsEmpty());
    return result.options.chain->transforms.at(0);
  }
};

TEST_F(OutboxRouting, ThePrefixIsTheConnectorsNameWhereEveryRowIsRouted) {
  const std::string named = "name=orders outbox\ntopic.prefix=\n";
  LoadResult result = LoadWith(Router(named));
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.route->topic_prefix, "orders_outbox");
  EXPECT_THAT(result.warnings, Contains(HasSubstr("topic.prefix=orders_outbox")));
  for (const char* more : {"walduct.strict=true\n", "walduct.outbox.tables=public.outbox\n",
                           "transforms.outbox.predicate=p\npredicates=p\npredicates.p.type="
                           "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone\n"})
    EXPECT_THAT(LoadWith(Router(named + more)).errors, Contains(HasSubstr("topic.prefix"))) << more;
}

TEST_F(OutboxRouting, OutboxTablesBindARouter) {
  const transform::TransformSpec implicit = Spec("walduct.outbox.tables=public.outbox\n");
  EXPECT_EQ(implicit.class_name, "io.debezium.transforms.outbox.EventRouter");
  ASSERT_TRUE(implicit.tables != nullptr);
  EXPECT_TRUE(implicit.tables->Matches("public.outbox"));
  EXPECT_TRUE(Spec(Router("walduct.outbox.tables=public.outbox\n")).tables != nullptr);
  EXPECT_FALSE(
      Spec(Router("walduct.outbox.tables=public.outbox\nwalduct.outbox.route=false\n")).tables !=
      nullptr);
  EXPECT_THAT(
      LoadWith("walduct.outbox.tables=a.b\nwalduct.outbox.route=false\n").options.chain->transforms,
      IsEmpty());
}

TEST_F(OutboxRouting, StrictReadsNoOlderNames) {
  EXPECT_THAT(LoadWith("walduct.strict=true\ntable.whitelist=public.t\n").errors,
              ElementsAre(HasSubstr("write table.include.list=public.t")));
}

}  // namespace
}  // namespace walduct::loader
