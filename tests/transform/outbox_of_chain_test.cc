// ChainSpec::IsOutbox: of which tables nothing but inserts is published.
#include <gtest/gtest.h>

#include "tests/support/chain_config.h"
#include "transform/chain/chain_spec.h"

namespace walduct::transform {
namespace {

constexpr char kRouter[] = "io.debezium.transforms.outbox.EventRouter";

TEST(OutboxOfChain, ARouterThatSeesAllRows) {
  const ChainSpec chain = test::ChainOf(test::OneTransform("o", kRouter));
  EXPECT_TRUE(chain.IsOutbox("public.outbox"));
  EXPECT_FALSE(ChainSpec{}.IsOutbox("public.outbox"));
}

// Rows of the same table may pass it.
TEST(OutboxOfChain, ARouterUnderACondition) {
  test::PropertyList list = test::OneTransform("o", kRouter, {{"predicate", "p"}});
  list.emplace_back("predicates", "p");
  list.emplace_back("predicates.p.type",
                    "org.apache.kafka.connect.transforms.predicates.TopicNameMatches");
  list.emplace_back("predicates.p.pattern", ".*outbox");
  EXPECT_FALSE(test::ChainOf(list).IsOutbox("public.outbox"));
}

}  // namespace
}  // namespace walduct::transform
