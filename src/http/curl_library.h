// CurlLibrary: the functions of libcurl that are used here and in room registry. It is loaded when
// the first client is made: it and the thirty libraries that it needs cost nothing before. The
// program of a release has one inside.
// Immutable once loaded; thread-safe.
#pragma once

#include <curl/curl.h>

#include "absl/status/statusor.h"

namespace walduct::http {

struct CurlLibrary {
  // FailedPrecondition: it is not installed, or too old. Never unloaded.
  static absl::StatusOr<const CurlLibrary*> Load();

  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_setopt) multi_setopt = nullptr;
  decltype(&::curl_multi_socket_action) multi_socket_action = nullptr;
  decltype(&::curl_multi_timeout) multi_timeout = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
};

}  // namespace walduct::http
