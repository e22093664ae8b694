// What to type where the system does not let this process write a file.
#pragma once

#include <string>

namespace walduct {

// path: of the file that is replaced or made; error: errno. Names what stands in the way, the file
// or a folder above it, and the user that this process runs as. Empty: nothing is known of it.
std::string WritingAdvice(const std::string& path, int error);

}  // namespace walduct
