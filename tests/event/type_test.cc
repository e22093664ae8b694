#include "event/type.h"

#include <gtest/gtest.h>

#include <memory>

namespace walduct::event {
namespace {

std::shared_ptr<const Type> Over(std::shared_ptr<const Type> base) {
  auto domain = std::make_shared<Type>();
  domain->name = "domain over " + base->name;
  domain->kind = TypeKind::kDomain;
  domain->base = std::move(base);
  return domain;
}

std::shared_ptr<const Type> Base() {
  auto type = std::make_shared<Type>();
  type->name = "int4";
  return type;
}

TEST(BaseType, IsTheTypeItselfWithoutADomain) { EXPECT_EQ(BaseType(*Base()).name, "int4"); }

TEST(BaseType, IsUnderAllDomains_TYP_47) {
  const auto twice = Over(Over(Base()));
  EXPECT_EQ(BaseType(*twice).name, "int4");
}

}  // namespace
}  // namespace walduct::event
