// How walduct outbox list, show, retry, park, skip and drill are typed.
#pragma once

namespace CLI {
class App;
}

namespace walduct::cli {

struct Arguments;

void AddOutboxRows(CLI::App* outbox, Arguments* arguments);
void AddOutboxDrill(CLI::App* outbox, Arguments* arguments);

}  // namespace walduct::cli
