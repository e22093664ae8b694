// The environment variables of PostgreSQL's client library.
#pragma once

namespace walduct::operate {

// The properties alone say how a database is reached: PGHOSTADDR, PGSERVICE, PGSSLMODE and the like
// are removed from the environment of this process, and named in the log by what tells. Call it
// once references to ${env:…} are resolved, before the first thread starts.
void IgnoreClientEnvironment(bool tell);

}  // namespace walduct::operate
