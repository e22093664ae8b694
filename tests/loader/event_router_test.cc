// Options of the EventRouter: what is refused, what is read as what was meant.
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class EventRouterOptions : public LoadFixture {
 protected:
  static std::string Router(const std::string& lines) {
    return "transforms=outbox\n"
           "transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n" +
           lines;
  }
  const config::TransformSpec& Spec(const std::string& lines) {
    result_ = LoadWith(lines);
    EXPECT_THAT(result_.errors, IsEmpty());
    return result_.options.chain.transforms[0];
  }
  LoadResult result_;
};

TEST_F(EventRouterOptions, OBX06_WrongValuesAreRefused) {
  for (const char* line :
       {"route.topic.regex=(", "table.fields.additional.placement=type",
        "table.fields.additional.placement=type:", "table.fields.additional.placement=type:body",
        "table.op.invalid.behavior=ignore", "table.field.additional.missing=maybe",
        "table.expand.json.payload=yes", "route.topic.replacement=${nosuch}",
        "table.json.payload.null.behavior=keep", "table.field.timestamp=ts"}) {
    EXPECT_THAT(LoadWith(Router(std::string("transforms.outbox.") + line + "\n")).errors,
                Not(IsEmpty()))
        << line;
  }
}

TEST_F(EventRouterOptions, OlderNamesAreReadAsWhatTheyMeant) {
  const config::TransformSpec& spec =
      Spec(Router("transforms.outbox.table.field.payload=data\n"
                  "transforms.outbox.debezium.op.invalid.behavior=fatal\n"
                  "transforms.outbox.table.fields.additional.error.on.missing=false\n"));
  EXPECT_EQ(spec.options.Text("table.field.event.payload"), "data");
  EXPECT_EQ(spec.options.Text("table.op.invalid.behavior"), "fatal");
  EXPECT_EQ(spec.options.Text("table.field.additional.missing"), "ignore");
  EXPECT_TRUE(spec.options.Given("table.field.event.payload"));
  EXPECT_FALSE(spec.options.Given("table.field.event.id"));
}

TEST_F(EventRouterOptions, PythonsGroupsAreTaken) {
  const std::string lines = Router(
      "transforms.outbox.route.topic.regex=(?P<x>.*)\n"
      "transforms.outbox.route.topic.replacement=${x}.events\n");
  EXPECT_EQ(Spec(lines).options.Text("route.topic.regex"), "(?<x>.*)");
  EXPECT_THAT(result_.warnings,
              Contains(HasSubstr("better write transforms.outbox.route.topic.regex=(?<x>.*)")));
  EXPECT_THAT(LoadWith(lines + "walduct.strict=true\n").errors,
              Contains(HasSubstr("write transforms.outbox.route.topic.regex=(?<x>.*)")));
}

TEST_F(EventRouterOptions, ThePrefixIsTheConnectorsNameWhereEveryRowIsRouted) {
  const std::string named = "name=orders outbox\ntopic.prefix=\n";
  LoadResult result = LoadWith(Router(named));
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.options.route.topic_prefix, "orders_outbox");
  EXPECT_THAT(result.warnings, Contains(HasSubstr("topic.prefix=orders_outbox")));
  for (const char* more : {"walduct.strict=true\n", "walduct.outbox.tables=public.outbox\n",
                           "transforms.outbox.predicate=p\npredicates=p\npredicates.p.type="
                           "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone\n"})
    EXPECT_THAT(LoadWith(Router(named + more)).errors, Contains(HasSubstr("topic.prefix"))) << more;
}

TEST_F(EventRouterOptions, OutboxTablesBindARouter) {
  const config::TransformSpec implicit = Spec("walduct.outbox.tables=public.outbox\n");
  EXPECT_EQ(implicit.kind, config::TransformKind::kEventRouter);
  ASSERT_TRUE(implicit.tables.has_value());
  EXPECT_TRUE(implicit.tables->Matches("public.outbox"));
  EXPECT_EQ(implicit.options.Text("route.by.field"), "aggregatetype");
  EXPECT_TRUE(Spec(Router("walduct.outbox.tables=public.outbox\n")).tables.has_value());
  EXPECT_FALSE(Spec(Router("walduct.outbox.tables=public.outbox\nwalduct.outbox.route=false\n"))
                   .tables.has_value());
  EXPECT_THAT(
      LoadWith("walduct.outbox.tables=a.b\nwalduct.outbox.route=false\n").options.chain.transforms,
      IsEmpty());
}

TEST_F(EventRouterOptions, StrictReadsNoOlderNames) {
  EXPECT_THAT(LoadWith("walduct.strict=true\ntable.whitelist=public.t\n").errors,
              ElementsAre(HasSubstr("write table.include.list=public.t")));
}

}  // namespace
}  // namespace walduct::loader
