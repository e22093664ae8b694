// What is asked about rows of outbox tables, as REST takes it.
#include "operate/outbox/outbox_rows_request.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::operate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum OutboxRowsRequest::Act;

TEST(OutboxRowsRequest, TheBodyIsReadAsItIsWritten) {
  OutboxRowsRequest request;
  request.act = kPark;
  request.rows = {"7", "{\"id\":\"a,b\",\"day\":\"2026-11-29\"}"};
  request.table = "public.outbox";
  request.why = "it \"waits\"";
  const auto read = ParseRowsBody(BodyOfRows(request));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->act, kPark);
  EXPECT_EQ(read->rows, request.rows);
  EXPECT_EQ(read->table, "public.outbox");
  EXPECT_EQ(read->why, request.why);
  EXPECT_FALSE(read->all);
}

TEST(OutboxRowsRequest, ABodyThatIsNoneIsRefused) {
  for (const char* body :
       {"", "[]", "{}", "{\"do\":\"list\"}", "{\"do\":\"delete\",\"rows\":[\"7\"]}",
        "{\"do\":\"retry\",\"rows\":[7]}", "{\"do\":\"retry\",\"row\":[\"7\"]}",
        "{\"do\":\"retry\",\"rows\":\"7\"}", "{\"do\":\"retry\",\"rows\":[\"7\"],\"all\":1}"}) {
    const auto read = ParseRowsBody(body);
    ASSERT_TRUE(absl::IsInvalidArgument(read.status())) << body;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr("{\"do\":\"retry\"")) << body;
  }
}

TEST(OutboxRowsRequest, RowsAreNamedOrAllAreMeant) {
  EXPECT_TRUE(ParseRowsBody("{\"do\":\"retry\",\"all\":true}").ok());
  for (const char* body :
       {"{\"do\":\"retry\"}", "{\"do\":\"retry\",\"all\":true,\"rows\":[\"7\"]}",
        "{\"do\":\"skip\",\"all\":true}", "{\"do\":\"park\",\"all\":true}", "{\"do\":\"skip\"}"})
    EXPECT_TRUE(absl::IsInvalidArgument(ParseRowsBody(body).status())) << body;
  OutboxRowsRequest many;
  many.act = kSkip;
  many.rows.assign(OutboxRowsRequest::kMostAtOnce + 1, "1");
  EXPECT_TRUE(absl::IsInvalidArgument(CheckRowsRequest(many)));
}

TEST(OutboxRowsRequest, TheQuerySaysWhichAreShown) {
  const auto list = ParseRowsQuery({});
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->act, kList);
  EXPECT_THAT(list->rows, IsEmpty());
  const auto show = ParseRowsQuery({{"row", "7"}, {"row", "9"}, {"table", "public.outbox"}});
  ASSERT_TRUE(show.ok());
  EXPECT_EQ(show->act, kShow);
  EXPECT_THAT(show->rows, ElementsAre("7", "9"));
  OutboxRowsRequest asked;
  asked.act = kShow;
  asked.rows = {"{\"a\"}"};
  asked.table = "s.t";
  EXPECT_EQ(QueryOfRows(asked), "?row=%7B%22a%22%7D&table=s.t");
  for (const RowsQuery& query : {RowsQuery{{"limit", "0"}}, RowsQuery{{"limit", "x"}},
                                 RowsQuery{{"limit", "10001"}}, RowsQuery{{"rows", "7"}}})
    EXPECT_TRUE(absl::IsInvalidArgument(ParseRowsQuery(query).status()));
}

}  // namespace
}  // namespace walduct::operate
