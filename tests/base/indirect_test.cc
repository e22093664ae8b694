#include "base/indirect.h"

#include <gtest/gtest.h>

#include <utility>

namespace walduct {
namespace {

struct Part;

// As a header declares it.
struct Owner {
  Owner();
  Owner(const Owner&);
  Owner& operator=(const Owner&);
  ~Owner();

  Indirect<Part> part;
};

struct Part {
  int number = 7;
};

Owner::Owner() = default;
Owner::Owner(const Owner&) = default;
Owner& Owner::operator=(const Owner&) = default;
Owner::~Owner() = default;

TEST(IndirectTest, BeginsWithTheDefault) { EXPECT_EQ(Owner().part->number, 7); }

TEST(IndirectTest, ACopyIsApart) {
  Owner one;
  one.part->number = 1;
  Owner other = one;
  other.part->number = 2;
  EXPECT_EQ(one.part->number, 1);
  one = other;
  other.part->number = 3;
  EXPECT_EQ(one.part->number, 2);
}

TEST(IndirectTest, AssignmentToItselfKeepsTheValue) {
  Indirect<Part> part;
  part->number = 1;
  const Indirect<Part>& same = part;
  part = same;
  EXPECT_EQ(part->number, 1);
}

TEST(IndirectTest, AMoveTakesTheValueAlong) {
  Indirect<Part> one;
  const Part* const held = one.get();
  const Indirect<Part> other = std::move(one);
  EXPECT_EQ(other.get(), held);
}

}  // namespace
}  // namespace walduct
