# Every third-party library walduct links, found once. All come from Debian except librdkafka, which scripts/deps builds
# under .deps/ when the system's is older than 2.3.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
# Abseil is linked in: as forty small shared libraries it costs time at each start, and memory for their pages.
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER imported INCLUDE REGEX "^absl::")
foreach(library IN LISTS imported)
  get_target_property(shared ${library} IMPORTED_LOCATION_NONE)
  if(shared)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
    if(EXISTS "${archive}")
      set_target_properties(${library} PROPERTIES IMPORTED_LOCATION_NONE "${archive}" IMPORTED_SONAME_NONE "")
    endif()
  endif()
endforeach()
find_package(OpenSSL REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(GNUTLS REQUIRED IMPORTED_TARGET gnutls)  # TLS of libmicrohttpd
pkg_check_modules(YAML REQUIRED yaml-0.1)
find_library(YAML_ARCHIVE libyaml.a REQUIRED)  # linked in
find_library(HIREDIS_ARCHIVE libhiredis.a REQUIRED)  # the same
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_path(CURL_INCLUDE curl/curl.h REQUIRED)  # the headers alone
find_library(RABBITMQ_ARCHIVE librabbitmq.a REQUIRED)  # linked in
find_path(NATS_INCLUDE nats/nats.h REQUIRED)  # the same
find_path(RAPIDJSON_INCLUDE rapidjson/document.h REQUIRED)  # header-only, in the system include path

add_library(walduct_rdkafka INTERFACE)
set(WALDUCT_RDKAFKA_ROOT ${CMAKE_SOURCE_DIR}/.deps/librdkafka CACHE PATH "librdkafka built by scripts/deps")
pkg_check_modules(RDKAFKA IMPORTED_TARGET rdkafka>=2.3)
set(rdkafka_archive ${WALDUCT_RDKAFKA_ROOT}/lib/librdkafka.a)
if(WALDUCT_SANITIZE STREQUAL "thread")  # one whose threads and locks ThreadSanitizer sees
  set(rdkafka_archive ${WALDUCT_RDKAFKA_ROOT}/lib/librdkafka-tsan.a)
  if(NOT EXISTS ${rdkafka_archive})
    message(FATAL_ERROR "${rdkafka_archive} is missing. Run scripts/deps tsan")
  endif()
endif()
if(EXISTS ${rdkafka_archive})
  target_include_directories(walduct_rdkafka SYSTEM INTERFACE ${WALDUCT_RDKAFKA_ROOT}/include)
  target_link_libraries(walduct_rdkafka INTERFACE
    ${rdkafka_archive} OpenSSL::SSL OpenSSL::Crypto z zstd Threads::Threads ${CMAKE_DL_LIBS} m)
elseif(RDKAFKA_FOUND)
  message(WARNING "librdkafka of the system: a paused process may publish old records when it wakes (src/kafka/send_permit.h). "
                  "scripts/deps build makes one without this fault")
  target_link_libraries(walduct_rdkafka INTERFACE PkgConfig::RDKAFKA)
else()
  message(FATAL_ERROR "librdkafka >= 2.3 not found. Run scripts/deps build")
endif()
