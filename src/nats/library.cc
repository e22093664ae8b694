#include "nats/library.h"

#include <dlfcn.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::nats {
namespace {

// Debian 12 has 3.4. All that is used of it takes pointers to what it has made itself, so that a
// later one serves as well.
constexpr int kFirstMinor = 4, kLastMinor = 16;

class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  template <typename Function>
  void Find(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library_, name));
    if (*function == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* const library_;
  const char* missing_ = nullptr;
};

absl::Status NotUsable(absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "libnats_missing",
               absl::StrCat("libnats, which speaks to NATS, cannot be used: ", why),
               "install the package libnats3.4 (Debian, Ubuntu), or libnats 3.4 or later");
}

absl::StatusOr<const NatsLibrary*> LoadOnce() {
  void* library = nullptr;
  int minor = kFirstMinor - 1;
  while (library == nullptr && minor < kLastMinor)
    library = dlopen(absl::StrCat("libnats.so.3.", ++minor).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return NotUsable("it is not installed");
  static NatsLibrary nats;
  Loader loader(library);
  loader.Find("nats_GetLastError", &nats.nats_GetLastError);
  loader.Find("nats_Sign", &nats.nats_Sign);
  loader.Find("natsStatus_GetText", &nats.natsStatus_GetText);
  loader.Find("natsOptions_Create", &nats.natsOptions_Create);
  loader.Find("natsOptions_Destroy", &nats.natsOptions_Destroy);
  loader.Find("natsOptions_SetServers", &nats.natsOptions_SetServers);
  loader.Find("natsOptions_SetName", &nats.natsOptions_SetName);
  loader.Find("natsOptions_SetTimeout", &nats.natsOptions_SetTimeout);
  loader.Find("natsOptions_SetAllowReconnect", &nats.natsOptions_SetAllowReconnect);
  loader.Find("natsOptions_SetSendAsap", &nats.natsOptions_SetSendAsap);
  loader.Find("natsOptions_SetIgnoreDiscoveredServers",
              &nats.natsOptions_SetIgnoreDiscoveredServers);
  loader.Find("natsOptions_SetUserInfo", &nats.natsOptions_SetUserInfo);
  loader.Find("natsOptions_SetToken", &nats.natsOptions_SetToken);
  loader.Find("natsOptions_SetUserCredentialsCallbacks",
              &nats.natsOptions_SetUserCredentialsCallbacks);
  loader.Find("natsOptions_SetUserCredentialsFromFiles",
              &nats.natsOptions_SetUserCredentialsFromFiles);
  loader.Find("natsOptions_SetNKey", &nats.natsOptions_SetNKey);
  loader.Find("natsOptions_SetSecure", &nats.natsOptions_SetSecure);
  loader.Find("natsOptions_SetCATrustedCertificates", &nats.natsOptions_SetCATrustedCertificates);
  loader.Find("natsOptions_SetCertificatesChain", &nats.natsOptions_SetCertificatesChain);
  loader.Find("natsOptions_SetCustomInboxPrefix", &nats.natsOptions_SetCustomInboxPrefix);
  loader.Find("natsOptions_SetEventLoop", &nats.natsOptions_SetEventLoop);
  loader.Find("natsOptions_SetErrorHandler", &nats.natsOptions_SetErrorHandler);
  loader.Find("natsOptions_SetClosedCB", &nats.natsOptions_SetClosedCB);
  loader.Find("natsConnection_Connect", &nats.natsConnection_Connect);
  loader.Find("natsConnection_Close", &nats.natsConnection_Close);
  loader.Find("natsConnection_Destroy", &nats.natsConnection_Destroy);
  loader.Find("natsConnection_IsClosed", &nats.natsConnection_IsClosed);
  loader.Find("natsConnection_GetMaxPayload", &nats.natsConnection_GetMaxPayload);
  loader.Find("natsConnection_GetLastError", &nats.natsConnection_GetLastError);
  loader.Find("natsConnection_Buffered", &nats.natsConnection_Buffered);
  loader.Find("natsConnection_ProcessReadEvent", &nats.natsConnection_ProcessReadEvent);
  loader.Find("natsConnection_ProcessWriteEvent", &nats.natsConnection_ProcessWriteEvent);
  loader.Find("natsConnection_SubscribeSync", &nats.natsConnection_SubscribeSync);
  loader.Find("natsConnection_PublishMsg", &nats.natsConnection_PublishMsg);
  loader.Find("natsConnection_RequestString", &nats.natsConnection_RequestString);
  loader.Find("natsSubscription_NextMsg", &nats.natsSubscription_NextMsg);
  loader.Find("natsSubscription_SetPendingLimits", &nats.natsSubscription_SetPendingLimits);
  loader.Find("natsSubscription_Destroy", &nats.natsSubscription_Destroy);
  loader.Find("natsMsg_Create", &nats.natsMsg_Create);
  loader.Find("natsMsg_Destroy", &nats.natsMsg_Destroy);
  if (minor == kFirstMinor)
    nats.natsMsg_free = reinterpret_cast<void (*)(void*)>(dlsym(library, "natsMsg_free"));
  loader.Find("natsMsg_GetSubject", &nats.natsMsg_GetSubject);
  loader.Find("natsMsg_GetData", &nats.natsMsg_GetData);
  loader.Find("natsMsg_GetDataLength", &nats.natsMsg_GetDataLength);
  loader.Find("natsMsgHeader_Add", &nats.natsMsgHeader_Add);
  if (loader.missing() != nullptr) return NotUsable(absl::StrCat("no ", loader.missing()));
  return &nats;
}

}  // namespace

absl::StatusOr<const NatsLibrary*> NatsLibrary::Load() {
  static const absl::StatusOr<const NatsLibrary*> loaded = LoadOnce();
  return loaded;
}

}  // namespace walduct::nats
