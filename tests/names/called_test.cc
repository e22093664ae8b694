#include "names/called.h"

#include <gtest/gtest.h>

namespace walduct::names {
namespace {

TEST(Called, ByNameOrByFiles) {
  EXPECT_EQ(Command({.who = "shop"}, "offsets reset", "--accept-loss"),
            "walduct offsets reset shop --accept-loss");
  EXPECT_EQ(Command({.who = "shop", .where = "http://127.0.0.1:8083"}, "resume"),
            "walduct resume shop --url http://127.0.0.1:8083");
  EXPECT_EQ(Command({.who = "-f shop.json -w worker.properties"}, "skip", "--lsn 0/1:3"),
            "walduct skip -f shop.json -w worker.properties --lsn 0/1:3");
  EXPECT_EQ(Command({}, "offsets reset"), "walduct offsets reset");
}

TEST(Called, OfAUnitItIsRunInItsFolder) {
  EXPECT_EQ(Command({.who = "-f /etc/walduct/shop.json", .unit = "shop"}, "doctor"),
            "sudo sh -c 'cd /var/lib/walduct/shop; set -a; test ! -f /etc/walduct/shop.env || . "
            "/etc/walduct/shop.env; walduct doctor -f /etc/walduct/shop.json'");
}

TEST(Called, ASnapshotOfTables) {
  EXPECT_EQ(SnapshotCommand({.who = "shop"}, {"public.a", R"('"B".c')"}, R"("B".c=id > 'x')"),
            R"(walduct signal execute-snapshot shop --table public.a --table '"B".c' )"
            R"(--filter '"B".c=id > '\''x'\''')");
}

TEST(Called, WordsOfAShell) {
  EXPECT_EQ(ShellWord("shop.json"), "shop.json");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
}

}  // namespace
}  // namespace walduct::names
