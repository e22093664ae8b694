#include "replication/start_command.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "postgres/connection.h"
#include "replication/options.h"

namespace walduct::replication {

using postgres::QuoteIdentifier;
using postgres::QuoteLiteral;

bool SendsInProgress(const ReplicationOptions& options, int server_version) {
  return options.stream_in_progress && server_version >= 150000;
}

std::string StartReplicationCommand(const ReplicationOptions& options,
                                    absl::string_view publication, Lsn start, int server_version) {
  std::vector<std::pair<std::string, std::string>> parameters = options.stream_params;
  const auto set = [&parameters](absl::string_view name, std::string value) {
    const auto same_name = [name](const auto& parameter) { return parameter.first == name; };
    parameters.erase(std::remove_if(parameters.begin(), parameters.end(), same_name),
                     parameters.end());
    parameters.emplace_back(std::string(name), std::move(value));
  };
  const bool in_progress = SendsInProgress(options, server_version);
  set("proto_version", in_progress ? "2" : "1");
  if (in_progress) set("streaming", "on");
  // The server parses the value as a list of identifiers: unquoted, capitals would fold.
  std::string publications = QuoteIdentifier(publication);
  for (const std::string& more : options.more_publications)
    absl::StrAppend(&publications, ", ", QuoteIdentifier(more));
  set("publication_names", std::move(publications));
  if (server_version >= 140000 && options.logical_messages) set("messages", "true");

  std::string command = absl::StrCat("START_REPLICATION SLOT ", QuoteIdentifier(options.slot_name),
                                     " LOGICAL ", start.ToString(), " (");
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, value] = parameters[i];
    absl::StrAppend(&command, i > 0 ? ", " : "", QuoteIdentifier(name), " ", QuoteLiteral(value));
  }
  command.push_back(')');
  return command;
}

std::string CreateSlotCommand(const ReplicationOptions& options, int server_version,
                              bool in_recovery) {
  std::string command =
      absl::StrCat("CREATE_REPLICATION_SLOT ", QuoteIdentifier(options.slot_name),
                   options.temporary_slot ? " TEMPORARY" : "", " LOGICAL pgoutput ");
  if (server_version < 150000) return command + "EXPORT_SNAPSHOT";
  command += "(SNAPSHOT 'export'";
  const bool failover =
      options.failover_slot && !options.temporary_slot && server_version >= 170000 && !in_recovery;
  if (failover) command += ", FAILOVER true";
  return command + ")";
}

}  // namespace walduct::replication
