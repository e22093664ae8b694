// walduct outbox list, show, retry, park, skip: what they print (cli/outbox_arguments.h,
// cli/commands.h).
#pragma once

#include <string>

namespace walduct::cli {

// What operate::AskOutboxRows answers, for people; done: whether each row is as it was asked for.
std::string OutboxRowsText(const std::string& json, bool* done);

}  // namespace walduct::cli
