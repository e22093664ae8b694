// Begin and Commit of protocol 1 for a transaction that was streamed, from its StreamCommit. Pure.
#pragma once

#include <string>

#include "pgoutput/messages.h"

namespace walduct::engine {

std::string MakeBegin(const pgoutput::StreamCommitMessage& commit);
std::string MakeCommit(const pgoutput::StreamCommitMessage& commit);

}  // namespace walduct::engine
