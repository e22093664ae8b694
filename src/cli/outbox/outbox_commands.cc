#include "operate/outbox/outbox_commands.h"

#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/plain_text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/configuration/options_of.h"
#include "engine/errors/error_policy.h"
#include "outbox/init_connector.h"
#include "outbox/init_sql.h"

namespace walduct::cli {
namespace {

void PrintAsComment(absl::string_view title, absl::string_view text) {
  std::cout << "\n-- " << title << "\n";
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n'))
    std::cout << "--   " << line << "\n";
}

}  // namespace

int PrintOutbox(const Arguments& arguments) {
  outbox::InitOptions options = *arguments.outbox;
  if (!arguments.outbox_url.empty()) {
    const absl::Status read = outbox::ReadUrl(arguments.outbox_url, &options);
    if (!read.ok()) return Refuse(std::string(read.message()));
    if (absl::StrContains(arguments.outbox_url, '@'))
      std::cerr << "note: user and password of --url are not taken: the connector connects as role "
                << PlainText(options.role) << " (--role), with the password that the file names\n";
  }
  if (const absl::Status names = outbox::CheckNames(options); !names.ok())
    return Refuse(std::string(names.message()));
  switch (arguments.outbox_part) {
    case OutboxPart::kInbox:
      std::cout << outbox::InboxSql(options);
      return engine::kExitClean;
    case OutboxPart::kConnector:
      std::cout << outbox::ConnectorJson(options);
      return engine::kExitClean;
    case OutboxPart::kExample:
      std::cout << outbox::ExampleSql(options);
      return engine::kExitClean;
    case OutboxPart::kAll:
      break;
  }
  std::cout << outbox::InitSql(options);
  PrintAsComment("How an application writes an event (--print example):",
                 outbox::ExampleSql(options));
  PrintAsComment("The connector, to be filled in (--print connector):",
                 outbox::ConnectorJson(options));
  return engine::kExitClean;
}

int CleanOutbox(const Arguments& arguments) {
  ConfigureLog(arguments);
  return ForEachConnector(arguments, [&](const std::string& name, const auto& options) -> int {
    if (!engine::ReadsSlot(options))
      return Refuse(
          "outbox clean: what is published is known by the position of a slot, and this connector "
          "polls (walduct.outbox.source=poll): set walduct.outbox.done=delete or archive, or "
          "DELETE rows that are marked as published");
    const absl::StatusOr<outbox::Removed> removed =
        operate::CleanOutboxOnce(options, {.dry_run = arguments.dry_run,
                                           .wait = absl::Seconds(arguments.wait_seconds),
                                           .environment = Environment::Real()});
    if (!removed.ok()) return PrintStatus(removed.status());
    std::cout << name << ": " << (arguments.dry_run ? "would remove " : "removed ") << removed->rows
              << " rows, " << removed->partitions << " partitions"
              << (arguments.dry_run ? ", once they are acknowledged, which was not looked at" : "")
              << "\n";
    return engine::kExitClean;
  });
}

}  // namespace walduct::cli
