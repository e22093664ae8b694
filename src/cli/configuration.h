// Configurations named on the command line, loaded; what is wrong goes to standard error. What
// several commands print.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/arguments.h"
#include "config/sources.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine
namespace walduct::operate {
struct SignalReader;
}  // namespace walduct::operate
namespace walduct::kafka {
struct KafkaOptions;
}
namespace walduct::loader {
struct LoadResult;
}

namespace walduct::cli {

struct NotedConnector;

// The login file (JAAS) that Kafka Connect's start script hands to the JVM; empty: none.
std::string LoginFile();

// Prints "error: …"; the exit code of a refused configuration.
int Refuse(const std::string& error);

// Of a command that ends at once: prints error and hint; the exit code.
int PrintStatus(const absl::Status& status);

// --log-level and --log-format.
void ConfigureLog(const Arguments& arguments);

// -w and -o; absent when an override is malformed, which has been printed.
std::optional<config::LoadRequest> MakeRequest(const Arguments& arguments);

// One result per -f; false when one is refused, with all errors printed.
bool LoadAll(const Arguments& arguments, std::vector<loader::LoadResult>* results);

// Of a command for one connector: false as well when there are more, before any file is read.
bool LoadOne(const Arguments& arguments, loader::LoadResult* result);

// What their files say, without the options made of it.
bool LoadReports(const Arguments& arguments, std::vector<config::LoadReport>* reports);

// Where `walduct run` listens with these files and this environment. by_files: where -o, or the
// files, say; empty: nowhere.
std::string ListenOfProcess(const Arguments& arguments, const std::string& by_files);
// Where neither --url nor --listen nor the environment says where a process answers: with the
// listener that the files of -f and -w have, as far as they can be read.
Arguments WithListenerOfFiles(Arguments arguments);

// How the one connector of -f reaches its brokers; null when it is refused, which has been printed.
// routes_events: whether an EventRouter makes its records, which have an id and no position.
std::shared_ptr<const kafka::KafkaOptions> LoadKafka(const Arguments& arguments,
                                                     bool* routes_events);

// Of each connector that -f names, until one does not end clean: its name and its options, or how
// it is sent signals. The exit code; of a refused configuration, too, which has been printed.
int ForEachConnector(
    const Arguments& arguments,
    const std::function<int(const std::string&, const engine::ConnectorOptions&)>& then);
int ForEachSignalReader(
    const Arguments& arguments,
    const std::function<int(const std::string&, const operate::SignalReader&)>& then);

// Of all of them: a connector that reads several slots is one lane for each.
std::vector<engine::ConnectorOptions> AllLanes(const std::vector<loader::LoadResult>& results);

// Each of those that -f names; false when one is refused, which has been printed. warnings: of its
// configuration, with its first lane.
using ThenOfLane =
    std::function<void(const engine::ConnectorOptions&, const std::vector<std::string>& warnings)>;
bool ForEachLane(const Arguments& arguments, const ThenOfLane& then);

// Names, and where their positions are; results: of the files that -f names. Of what is refused as
// far as it can be read.
std::vector<NotedConnector> NotedOf(const std::vector<loader::LoadResult>& results,
                                    const Arguments& arguments);
// Of those that -f names; absent: -o is malformed, which has been printed.
std::optional<std::vector<NotedConnector>> LoadNoted(const Arguments& arguments);
// Of one that is refused, too; empty: it has none.
std::string ReportedValue(const config::LoadReport& report, absl::string_view name);

// Two connectors on one slot or one name would steal each other's changes or offsets.
bool CheckDistinct(const std::vector<loader::LoadResult>& results);

}  // namespace walduct::cli
