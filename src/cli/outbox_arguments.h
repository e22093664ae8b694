// How walduct outbox list, show, retry, park, skip and drill are typed.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace walduct::cli {

struct Arguments;

void AddOutboxRows(CLI::App* outbox, Arguments* arguments);
// Words as CLI11 is to have them: rows in brackets, which it would take apart, are marked for
// AddOutboxRows.
std::vector<std::string> WithWholeRows(std::vector<std::string> words);
void AddOutboxDrill(CLI::App* outbox, Arguments* arguments);

}  // namespace walduct::cli
