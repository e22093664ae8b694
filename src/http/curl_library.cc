#include "http/curl_library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"

// The program of a release has libcurl inside (cmake/WalductPortable.cmake); in others these are
// null.
#pragma weak curl_global_init
#pragma weak curl_easy_init
#pragma weak curl_easy_cleanup
#pragma weak curl_easy_setopt
#pragma weak curl_easy_getinfo
#pragma weak curl_easy_strerror
#pragma weak curl_slist_append
#pragma weak curl_slist_free_all
#pragma weak curl_multi_init
#pragma weak curl_multi_cleanup
#pragma weak curl_multi_add_handle
#pragma weak curl_multi_remove_handle
#pragma weak curl_multi_setopt
#pragma weak curl_multi_socket_action
#pragma weak curl_multi_timeout
#pragma weak curl_multi_info_read

namespace walduct::http {
namespace {

constexpr char kName[] = "libcurl.so.4";

class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  template <typename Function>
  void Find(const char* name, Function inside, Function* function) {
    *function = library_ == nullptr ? inside : reinterpret_cast<Function>(dlsym(library_, name));
    if (*function == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* const library_;
  const char* missing_ = nullptr;
};

absl::Status NotUsable(absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "libcurl_missing",
               absl::StrCat("libcurl, which sends HTTP requests, cannot be used: ", why),
               "install the package libcurl4");
}

// The library that is linked in, or null.
void* Inside() { return reinterpret_cast<void*>(&curl_global_init); }

absl::StatusOr<const CurlLibrary*> LoadOnce() {
  void* const library = Inside() ? nullptr : dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (!Inside() && library == nullptr) return NotUsable(dlerror());
  static CurlLibrary curl;
  Loader loader(library);
  loader.Find("curl_global_init", &curl_global_init, &curl.global_init);
  loader.Find("curl_easy_init", &curl_easy_init, &curl.easy_init);
  loader.Find("curl_easy_cleanup", &curl_easy_cleanup, &curl.easy_cleanup);
  loader.Find("curl_easy_setopt", &curl_easy_setopt, &curl.easy_setopt);
  loader.Find("curl_easy_getinfo", &curl_easy_getinfo, &curl.easy_getinfo);
  loader.Find("curl_easy_strerror", &curl_easy_strerror, &curl.easy_strerror);
  loader.Find("curl_slist_append", &curl_slist_append, &curl.slist_append);
  loader.Find("curl_slist_free_all", &curl_slist_free_all, &curl.slist_free_all);
  loader.Find("curl_multi_init", &curl_multi_init, &curl.multi_init);
  loader.Find("curl_multi_cleanup", &curl_multi_cleanup, &curl.multi_cleanup);
  loader.Find("curl_multi_add_handle", &curl_multi_add_handle, &curl.multi_add_handle);
  loader.Find("curl_multi_remove_handle", &curl_multi_remove_handle, &curl.multi_remove_handle);
  loader.Find("curl_multi_setopt", &curl_multi_setopt, &curl.multi_setopt);
  loader.Find("curl_multi_socket_action", &curl_multi_socket_action, &curl.multi_socket_action);
  loader.Find("curl_multi_timeout", &curl_multi_timeout, &curl.multi_timeout);
  loader.Find("curl_multi_info_read", &curl_multi_info_read, &curl.multi_info_read);
  if (loader.missing() != nullptr) return NotUsable(absl::StrCat("no ", loader.missing()));
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NotUsable("it does not start");
  return &curl;
}

}  // namespace

absl::StatusOr<const CurlLibrary*> CurlLibrary::Load() {
  static const absl::StatusOr<const CurlLibrary*> loaded = LoadOnce();
  return loaded;
}

}  // namespace walduct::http
