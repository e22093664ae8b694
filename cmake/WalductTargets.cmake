# One interface target with the warning and sanitizer flags, and one function per kind of target.
add_library(walduct_flags INTERFACE)
# GCC collects what it does not need any more a few times in a large unit; memory is cheaper.
target_compile_options(walduct_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
target_compile_options(walduct_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${WALDUCT_WERROR}>:-Werror>
  # Locks are annotated (src/base/mutex.h).
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # GCC 12 sees overlaps that cannot be in std::string (its bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# A char has a sign wherever walduct runs: on arm64 it has none by itself.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_compile_options(walduct_flags INTERFACE -fsigned-char)
endif()
# Each function by itself, so that the linker drops what nobody calls.
if(NOT WALDUCT_SANITIZE)
  target_compile_options(walduct_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-ffunction-sections$<SEMICOLON>-fdata-sections>)
  target_link_options(walduct_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-Wl,--gc-sections>)
endif()
# What ships is hardened as Debian hardens its packages, with the bounds checks of libstdc++. Sanitizers do better.
option(WALDUCT_HARDEN "Stack protector, fortified libc, checked libstdc++, full RELRO" ON)
add_library(walduct_hardening INTERFACE)
if(WALDUCT_HARDEN AND NOT WALDUCT_SANITIZE)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(branches -fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(branches -mbranch-protection=standard)
  endif()
  target_compile_options(walduct_hardening INTERFACE -fstack-protector-strong ${branches} -D_GLIBCXX_ASSERTIONS
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
  target_link_options(walduct_hardening INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
if(WALDUCT_SANITIZE)
  # RapidJSON's stack begins with null + n, which only clang's check objects to.
  target_compile_options(walduct_flags INTERFACE -fsanitize=${WALDUCT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
  target_link_options(walduct_flags INTERFACE -fsanitize=${WALDUCT_SANITIZE})
endif()
if(WALDUCT_FUZZ)
  target_compile_options(walduct_flags INTERFACE -fsanitize=fuzzer-no-link)  # coverage of the libraries, too
endif()

# What is compiled at a time of a room's sources, and of its tests: a clean build of many small files is mostly headers read again.
set(WALDUCT_UNITY 1 CACHE STRING "How many sources of a room are compiled as one")
set(WALDUCT_TESTS_UNITY 8 CACHE STRING "How many tests of a room are compiled as one")
# Much of a unit's time is Abseil's headers.
option(WALDUCT_PCH "Read Abseil's and the standard library's headers once (precompiled)" ON)
find_package(Python3 COMPONENTS Interpreter)

# walduct_unity(<variable> <folder> <size>): replaces the sources in the variable by files of the build tree that include them.
function(walduct_unity variable folder size)
  if(size GREATER 1 AND Python3_FOUND)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${${variable}} ${CMAKE_SOURCE_DIR}/scripts/unity.py)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/unity.py ${CMAKE_BINARY_DIR}/unity/${folder} ${size} ${${variable}}
      OUTPUT_VARIABLE together COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "\n" ";" together "${together}")
    list(REMOVE_ITEM together "")
    set(${variable} ${together} PARENT_SCOPE)
  endif()
endfunction()

# walduct_precompile(<target> <target that makes it> <header>): what is read once for all targets that are compiled alike.
function(walduct_precompile target maker header)
  if(NOT WALDUCT_PCH)
    return()
  endif()
  if(target STREQUAL maker)
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
  else()
    target_precompile_headers(${target} REUSE_FROM ${maker})
  endif()
  # Out of a precompiled header GCC 12 takes the standard library's strings for ours, and warns of copies that are never made.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Winvalid-pch;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endfunction()

# walduct_library(<room> DEPS <library>...): all .cc files under src/<room> as walduct_<room>. The link edges are the architecture;
# tests/tidy checks the same edges on every #include.
function(walduct_library room)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.cc)
  if(sources)
    walduct_unity(sources ${room} ${WALDUCT_UNITY})
    add_library(walduct_${room} STATIC ${sources})
    target_include_directories(walduct_${room} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(walduct_${room} PRIVATE walduct_flags walduct_hardening PUBLIC ${ARG_DEPS})
    walduct_precompile(walduct_${room} walduct_base precompiled.h)
  else()
    add_library(walduct_${room} INTERFACE)
    target_include_directories(walduct_${room} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(walduct_${room} INTERFACE ${ARG_DEPS})
  endif()
endfunction()

# walduct_test(<room> [SERVERS] [SOURCES ...] DEPS ...): tests/<room>/*_test.cc, and SOURCES, as one GoogleTest program. SERVERS: it starts servers of its
# own, so that CTest runs it as a whole instead of once per test.
function(walduct_test room)
  cmake_parse_arguments(ARG "SERVERS" "" "DEPS;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${room}/*_test.cc)
  if(sources)
    walduct_unity(sources tests/${room} ${WALDUCT_TESTS_UNITY})
    add_executable(walduct_${room}_test ${sources} ${ARG_SOURCES})
    # Optimizing the tests themselves would only cost compile time.
    target_compile_options(walduct_${room}_test PRIVATE -O0 -g1)
    target_include_directories(walduct_${room}_test PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(walduct_${room}_test PRIVATE walduct_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
    target_compile_definitions(walduct_${room}_test PRIVATE WALDUCT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    walduct_precompile(walduct_${room}_test walduct_test_headers precompiled_tests.h)
    if(ARG_SERVERS)
      add_test(NAME ${room} COMMAND walduct_${room}_test)
      set_tests_properties(${room} PROPERTIES COST 1000)  # it waits for its servers: others run beside it, not nothing behind them
    else()
      gtest_discover_tests(walduct_${room}_test TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60)
    endif()
  endif()
endfunction()

# walduct_fuzz(<name> DEPS ...): tests/fuzz/<name>_fuzz.cc with libFuzzer, corpus in tests/fuzz/corpus/<name>.
add_custom_target(fuzzers)  # all of them
function(walduct_fuzz name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name}_fuzz ${CMAKE_SOURCE_DIR}/tests/fuzz/${name}_fuzz.cc)
  target_include_directories(${name}_fuzz PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name}_fuzz PRIVATE walduct_flags ${ARG_DEPS})
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name}_fuzz)
endfunction()

# walduct_bench(<room> DEPS ...): bench/<room>/*_bench.cc as one Google Benchmark program.
function(walduct_bench room)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/${room}/*_bench.cc)
  if(sources)
    add_executable(walduct_${room}_bench ${sources})
    target_include_directories(walduct_${room}_bench PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(walduct_${room}_bench PRIVATE walduct_flags ${ARG_DEPS} benchmark::benchmark_main)
  endif()
endfunction()
