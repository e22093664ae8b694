# Debian 12's cross compiler, with the headers of the machine and those that differ from .deps/portable/arm64 (scripts/package).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
get_filename_component(debian ${CMAKE_CURRENT_LIST_DIR}/../.deps/portable/arm64/debian/usr ABSOLUTE)
set(CMAKE_CXX_FLAGS_INIT "-isystem ${debian}/include/aarch64-linux-gnu -isystem ${debian}/include -isystem ${debian}/include/postgresql")
set(CMAKE_INCLUDE_PATH ${debian}/include/aarch64-linux-gnu)
set(CMAKE_LIBRARY_PATH ${debian}/lib/aarch64-linux-gnu)
# What they are is the same for each architecture; where they lie is cmake/WalductPortable.cmake's.
set(absl_DIR /usr/lib/x86_64-linux-gnu/cmake/absl)
