#include "names/called.h"

#include <gtest/gtest.h>

#include "base/shell_word.h"

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

// What takes a signal without a property is the process.
TEST(Called, ASnapshotOfWhatHasNoChannel) {
  Called called{.who = "-f shop.json",
                .name = "my shop",
                .listens = "http://127.0.0.1:9000",
                .signals = Called::Signals::kByName};
  EXPECT_EQ(SnapshotCommand(called, {"public.a"}),
            "walduct signal execute-snapshot 'my shop' --table public.a --url "
            "http://127.0.0.1:9000");
  called.listens.clear();
  EXPECT_EQ(SnapshotCommand(called, {"public.a"}),
            "start it with walduct.listen=127.0.0.1:8083, and type walduct signal "
            "execute-snapshot 'my shop' --table public.a --url http://127.0.0.1:8083");
  called.signals = Called::Signals::kNever;
  EXPECT_EQ(SnapshotCommand(called, {"public.a"}),
            "stop it, then walduct offsets reset -f shop.json --accept-loss, then start it: all "
            "tables are read anew (signals reach connectors of one slot)");
  called.where = called.listens = "http://h:1";
  called.who = "shop";
  EXPECT_EQ(SnapshotCommand(called, {"public.a"}),
            "walduct stop shop --url http://h:1, then walduct offsets reset shop --accept-loss "
            "--url http://h:1, then walduct resume shop --url http://h:1: all tables are read anew "
            "(signals reach connectors of one slot)");
}

TEST(Called, WhatTellsOfDeletes) {
  constexpr char kNone[] =
      "a snapshot tells no deletes: rows that were deleted meanwhile stay in the topic";
  Called called{.who = "-f shop.json -w w.properties", .name = "shop"};
  EXPECT_EQ(DeletesNote(called),
            std::string(kNone) +
                " until walduct recover read -f shop.json -w w.properties has compared it with the "
                "table (stop it before, and start it after it; docs/recover.md)");
  called = {.who = "shop", .where = "http://h:1", .name = "shop"};
  EXPECT_EQ(
      DeletesNote(called),
      std::string(kNone) +
          " until (umask 077; curl -s http://h:1/connectors/shop/config > shop.of-worker.json); "
          "walduct recover read -f shop.of-worker.json -w worker.properties has compared it with "
          "the table (walduct stop shop --url "
          "http://h:1 before, and walduct resume shop "
          "--url http://h:1 after it; docs/recover.md)");
  called.worker_file = "/etc/my worker.properties";
  EXPECT_NE(DeletesNote(called).find("-f shop.of-worker.json -w '/etc/my worker.properties' has"),
            std::string::npos);
  called.signals = Called::Signals::kNever;
  EXPECT_EQ(DeletesNote(called), kNone) << "it reads several slots";
  called.signals = Called::Signals::kAsCalled;
  called.reads_back = false;
  EXPECT_EQ(DeletesNote(called), kNone) << "its sink is not Kafka";
}

TEST(Called, TheFilesOfOneThatAWorkerRuns) {
  const ServedFiles files =
      FilesOfServed({.who = "'my shop'", .where = "http://h:1", .name = "my shop"});
  EXPECT_EQ(files.make,
            "(umask 077; curl -s http://h:1/connectors/my%20shop/config > 'my "
            "shop.of-worker.json')");
  EXPECT_EQ(files.who, "-f 'my shop.of-worker.json' -w worker.properties");
}

TEST(Called, WhatIsAskedOfTheProcess) {
  EXPECT_EQ(AskCommand({.who = "shop", .where = "http://h:1", .name = "shop"}, "status"),
            "walduct status shop --url http://h:1");
  EXPECT_EQ(AskCommand({.who = "-f a.json", .name = "shop"}, "status"), "walduct status shop");
}

TEST(Called, APropertyIsSet) {
  const Called served{.who = "'it s'", .where = "http://127.0.0.1:8083", .name = "it s"};
  EXPECT_EQ(SetCommand(served, "walduct.mask.lost=warn"),
            "curl -X PATCH -H 'Content-Type: application/json' "
            "http://127.0.0.1:8083/connectors/it%20s/config -d '{\"walduct.mask.lost\":\"warn\"}'");
  EXPECT_EQ(ExtendCommand(served, "column.exclude.list", "a.b.c"),
            "curl -s http://127.0.0.1:8083/connectors/it%20s/config | jq "
            "'{\"column.exclude.list\": ([.[\"column.exclude.list\"] // \"\", \"a.b.c\"] | "
            "map(select(. != \"\")) | join(\",\"))}' | "
            "curl -X PATCH -H 'Content-Type: application/json' "
            "http://127.0.0.1:8083/connectors/it%20s/config -d @-");
  EXPECT_EQ(SetCommand({.who = "-f a.json -w w"}, "a.b=c d"),
            "walduct run -f a.json -w w -o 'a.b=c d'");
  const std::vector<std::string> both = {"a=1", "b=2"};
  EXPECT_EQ(SetCommand({.who = "-f a.json", .flags = "--listen :8083"}, both),
            "walduct run -f a.json -o a=1 -o b=2 --listen :8083");
  EXPECT_TRUE(SetCommand(served, both).ends_with(R"( -d '{"a":"1","b":"2"}')"));
  EXPECT_EQ(SetCommand({.who = "-f a.json", .unit = "a"}, "a.b=c"),
            "set a.b=c and sudo systemctl restart walduct@a");
  EXPECT_EQ(ExtendCommand({.who = "-f a.json"}, "a.b", "c"), "");
}

TEST(Called, WordsOfAShell) {
  EXPECT_EQ(ShellWord("shop.json"), "shop.json");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("it's"), R"('it'\''s')");
}

}  // namespace
}  // namespace walduct::names
