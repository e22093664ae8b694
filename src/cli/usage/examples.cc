#include "cli/usage/examples.h"

#include <CLI/CLI.hpp>
#include <string>

#include "absl/strings/str_cat.h"

namespace walduct::cli {
namespace {

constexpr Example kExamples[] = {
    {"", "walduct validate -f shop.json -w worker.properties"},
    {"", "walduct doctor -f shop.json -w worker.properties"},
    {"", "walduct run -f shop.json -w worker.properties --listen 127.0.0.1:8083"},
    {"", "walduct status --watch"},
    {"", "walduct help offsets import"},
    {"run", "walduct run -f shop.json -w worker.properties"},
    {"run",
     "walduct run -f shop.json -w worker.properties --listen 0.0.0.0:8083 --log-format json"},
    {"run", "walduct run -f shop.json -o sink=stdout --until-caught-up"},
    {"serve", "walduct serve -w worker.properties"},
    {"serve", "walduct serve -w worker.properties -o listeners=http://0.0.0.0:8083"},
    {"demo", "walduct demo --url postgres://me@localhost:5432/test"},
    {"demo", "walduct demo --url postgres://me@localhost:5432/test --kafka localhost:9092"},
    {"demo", "walduct demo --url postgres://me@localhost/test --password-file ~/.secret --once"},
    {"validate", "walduct validate -f shop.json -w worker.properties"},
    {"validate", "walduct validate -f outbox.json --database"},
    {"validate", "walduct validate --print-reference > configuration.md"},
    {"doctor", "walduct doctor shop"},
    {"doctor", "walduct doctor -f shop.json -w worker.properties"},
    {"doctor", "walduct doctor -f shop.json -w worker.properties --fix > fix.sh"},
    {"tail", "walduct tail -f shop.json"},
    {"tail", "walduct tail -f shop.json --table public.orders --operation c,d"},
    {"tail", "walduct tail -f shop.json --snapshot --full"},
    {"tail", "walduct tail -f shop.json --json > changes.txt"},
    {"record", "walduct record shop.corpus -f shop.json --seconds 60"},
    {"record", "walduct record shop.corpus -f shop.json --changes 100000 --force"},
    {"shadow",
     "walduct shadow -f shop.json -w worker.properties --topics shadow. --directory shadow"},
    {"shadow", "walduct shadow -f shop.json -w worker.properties --directory shadow"},
    {"diff", "walduct diff -f shop.json -w worker.properties --left shop. --right shadow.shop."},
    {"diff",
     "walduct diff -f shop.json -w worker.properties --left a. --right b. --ignore "
     "after.updated_at"},
    {"status", "walduct status"},
    {"status", "walduct status shop --watch"},
    {"status", "walduct status -f shop.json"},
    {"status", "walduct status --url http://worker-1:8083 --json"},
    {"status", "walduct status --ready"},
    {"pause", "walduct pause shop"},
    {"pause", "walduct pause shop --url http://worker-1:8083"},
    {"resume", "walduct resume shop"},
    {"stop", "walduct stop shop"},
    {"restart", "walduct restart shop"},
    {"skip", "walduct skip shop --lsn 0/1C3A578:1"},
    {"skip", "walduct skip -f shop.json -w worker.properties --lsn 0/1C3A578:1 --yes"},
    {"skip", "walduct skip shop --table public.orders --row-key '{\"id\":5}'"},
    {"explain", "walduct explain slot_lost"},
    {"explain", "walduct explain WalductStalled"},
    {"explain", "walduct explain 57P01"},
    {"explain", "walduct explain shop"},
    {"explain", "walduct explain 0/16B3748 -f shop.json -w worker.properties"},
    {"signal", "walduct signal execute-snapshot -f shop.json --table public.orders"},
    {"signal",
     "walduct signal execute-snapshot -f shop.json --table public.a --filter 'public.a=id > 9'"},
    {"signal", "walduct signal stop-snapshot -f shop.json"},
    {"offsets", "walduct offsets show shop"},
    {"offsets", "walduct offsets export shop > back.json"},
    {"offsets show", "walduct offsets show shop"},
    {"offsets show", "walduct offsets show -f shop.json -w worker.properties"},
    {"offsets export", "walduct offsets export shop > back.json"},
    {"offsets export", "walduct offsets export shop back.json"},
    {"offsets export", "walduct offsets export -f shop.json -w worker.properties -"},
    {"offsets import", "walduct offsets import shop back.json"},
    {"offsets import",
     "curl -s connect:8083/connectors/shop/offsets | walduct offsets import shop -"},
    {"offsets set", "walduct offsets set shop 0/16B3748"},
    {"offsets set", "walduct offsets set shop 0/16B3748 --slot 2"},
    {"offsets set",
     "walduct offsets set -f shop.json -w worker.properties 0/16B3748 --accept-loss"},
    {"offsets reset", "walduct offsets reset shop"},
    {"offsets reset", "walduct offsets reset shop --accept-loss"},
    {"recover", "walduct recover gate --state /var/tmp/shop -- cp /archive/%f '%p'"},
    {"recover",
     "walduct recover run -f shop.json -w worker.properties --from db2:5433 --state /var/tmp/shop"},
    {"recover plan", "walduct recover plan shop"},
    {"recover plan", "walduct recover plan -f shop.json -w worker.properties"},
    {"recover plan", "walduct recover plan -f shop.json -w worker.properties --archive /archive"},
    {"recover plan",
     "walduct recover plan -f shop.json --archive-command 'pgbackrest --stanza=shop archive-get %f "
     "%p'"},
    {"recover run",
     "walduct recover run -f shop.json -w worker.properties --from db2:5433 --state /var/tmp/shop"},
    {"replay",
     "walduct replay -f shop.json --from db2:5433 --state /tmp/r --since 0/5A3B1C8 --until 1/0 "
     "--to r"},
    {"recover drill", "walduct recover drill --bin /usr/lib/postgresql/17/bin"},
    {"recover drill", "walduct recover drill --bin /usr/lib/postgresql/17/bin --print"},
    {"recover read", "walduct recover read -f shop.json -w worker.properties --dry-run"},
    {"recover read",
     "walduct recover read -f shop.json -w worker.properties --tables public.orders public.items"},
    {"recover gate", "walduct recover gate --state /var/tmp/shop -- cp /archive/%f '%p'"},
    {"recover gate",
     "walduct recover gate --state /var/tmp/shop -- barman-wal-restore backups shop %f '%p'"},
    {"outbox", "walduct outbox init --url postgres://db:5432/shop | psql -d shop"},
    {"outbox init", "walduct outbox init --url postgres://db:5432/shop | psql -d shop"},
    {"outbox init",
     "walduct outbox init --url postgres://db:5432/shop --print connector > outbox.json"},
    {"outbox init", "walduct outbox init --flavour partitioned --application-role app --cleanup"},
    {"outbox init", "walduct outbox init --flavour poll --application-role app | psql -d shop"},
    {"outbox clean", "walduct outbox clean -f outbox.json -w worker.properties --dry-run"},
    {"outbox clean", "walduct outbox clean -f outbox.json -w worker.properties --wait 10"},
    {"outbox list", "walduct outbox list shop"},
    {"outbox list", "walduct outbox list -f outbox.json -w worker.properties --json"},
    {"outbox show", "walduct outbox show shop 7"},
    {"outbox retry", "walduct outbox retry shop 7 9"},
    {"outbox retry", "walduct outbox retry -f outbox.json -w worker.properties --all"},
    {"outbox park", "walduct outbox park shop 7 --reason 'the receiver is rebuilt'"},
    {"outbox skip", "walduct outbox skip shop 7"},
    {"outbox skip", "walduct outbox skip -f outbox.json -w worker.properties 7 --yes"},
    {"outbox drill", "walduct outbox drill --url postgres://me@localhost:5432/test"},
    {"outbox drill",
     "walduct outbox drill --url postgres://me@localhost/test --kafka localhost:9092"},
    {"completion", "source <(walduct completion bash)"},
    {"completion", "source <(walduct completion zsh)"},
    {"completion", "walduct completion fish > ~/.config/fish/completions/walduct.fish"},
    {"help", "walduct help run"},
    {"help", "walduct help offsets import"},
    {"version", "walduct version"},
};

void AddTo(CLI::App* command, const std::string& path) {
  std::string lines;
  for (const Example& one : kExamples) {
    if (one.command == path) absl::StrAppend(&lines, "\n  $ ", one.line);
  }
  const std::string footer = command->get_footer();
  if (!lines.empty())
    command->footer(absl::StrCat(footer, footer.empty() ? "" : "\n\n", "Examples:", lines));
  for (CLI::App* next : command->get_subcommands({}))
    AddTo(next, absl::StrCat(path, path.empty() ? "" : " ", next->get_name()));
}

}  // namespace

absl::Span<const Example> AllExamples() { return kExamples; }

void AddExamples(CLI::App* app) { AddTo(app, ""); }

}  // namespace walduct::cli
