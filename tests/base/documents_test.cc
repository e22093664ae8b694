#include "base/documents.h"

#include <gtest/gtest.h>

namespace walduct {
namespace {

std::string Told(absl::string_view text) { return WithDocuments(text, "/usr/share/doc/walduct"); }

TEST(Documents, AreNamedByWhereTheyAreInstalled) {
  EXPECT_EQ(Told("docs/start.md"), "/usr/share/doc/walduct/docs/start.md");
  EXPECT_EQ(Told("see docs/start.md: failover (docs/not-yet.md)"),
            "see /usr/share/doc/walduct/docs/start.md: failover "
            "(/usr/share/doc/walduct/docs/not-yet.md)");
}

TEST(Documents, WhatIsNoneOfOursStays) {
  for (const absl::string_view text :
       {"", "docs/", "docs/.md", "docs/Start.md", "mydocs/start.md",
        "/usr/share/doc/walduct/docs/start.md", "https://example.com/docs/start.md"}) {
    EXPECT_EQ(Told(text), text);
  }
}

TEST(Documents, WithoutAnInstallationTheTextStays) {
  EXPECT_EQ(WithDocuments("see docs/start.md", ""), "see docs/start.md");
  EXPECT_EQ(WithDocuments("see docs/start.md"), "see docs/start.md");
}

}  // namespace
}  // namespace walduct
