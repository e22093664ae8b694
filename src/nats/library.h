// NatsLibrary: the functions of libnats that are used here. It is loaded when the first connection
// is made, and costs nothing before.
// Immutable once loaded; thread-safe.
#pragma once

#include <nats/nats.h>

#include "absl/status/statusor.h"

namespace walduct::nats {

struct NatsLibrary {
  // FailedPrecondition: it is not installed, or too old. Never unloaded.
  static absl::StatusOr<const NatsLibrary*> Load();

  decltype(&::nats_GetLastError) nats_GetLastError = nullptr;
  decltype(&::nats_Sign) nats_Sign = nullptr;
  decltype(&::natsStatus_GetText) natsStatus_GetText = nullptr;
  decltype(&::natsOptions_Create) natsOptions_Create = nullptr;
  decltype(&::natsOptions_Destroy) natsOptions_Destroy = nullptr;
  decltype(&::natsOptions_SetServers) natsOptions_SetServers = nullptr;
  decltype(&::natsOptions_SetName) natsOptions_SetName = nullptr;
  decltype(&::natsOptions_SetTimeout) natsOptions_SetTimeout = nullptr;
  decltype(&::natsOptions_SetAllowReconnect) natsOptions_SetAllowReconnect = nullptr;
  decltype(&::natsOptions_SetSendAsap) natsOptions_SetSendAsap = nullptr;
  decltype(&::natsOptions_SetIgnoreDiscoveredServers) natsOptions_SetIgnoreDiscoveredServers =
      nullptr;
  decltype(&::natsOptions_SetUserInfo) natsOptions_SetUserInfo = nullptr;
  decltype(&::natsOptions_SetToken) natsOptions_SetToken = nullptr;
  decltype(&::natsOptions_SetUserCredentialsCallbacks) natsOptions_SetUserCredentialsCallbacks =
      nullptr;
  decltype(&::natsOptions_SetUserCredentialsFromFiles) natsOptions_SetUserCredentialsFromFiles =
      nullptr;
  decltype(&::natsOptions_SetNKey) natsOptions_SetNKey = nullptr;
  decltype(&::natsOptions_SetSecure) natsOptions_SetSecure = nullptr;
  decltype(&::natsOptions_SetCATrustedCertificates) natsOptions_SetCATrustedCertificates = nullptr;
  decltype(&::natsOptions_SetCertificatesChain) natsOptions_SetCertificatesChain = nullptr;
  decltype(&::natsOptions_SetCustomInboxPrefix) natsOptions_SetCustomInboxPrefix = nullptr;
  decltype(&::natsOptions_SetEventLoop) natsOptions_SetEventLoop = nullptr;
  decltype(&::natsOptions_SetErrorHandler) natsOptions_SetErrorHandler = nullptr;
  decltype(&::natsOptions_SetClosedCB) natsOptions_SetClosedCB = nullptr;
  decltype(&::natsConnection_Connect) natsConnection_Connect = nullptr;
  decltype(&::natsConnection_Close) natsConnection_Close = nullptr;
  decltype(&::natsConnection_Destroy) natsConnection_Destroy = nullptr;
  decltype(&::natsConnection_IsClosed) natsConnection_IsClosed = nullptr;
  decltype(&::natsConnection_GetMaxPayload) natsConnection_GetMaxPayload = nullptr;
  decltype(&::natsConnection_GetLastError) natsConnection_GetLastError = nullptr;
  decltype(&::natsConnection_Buffered) natsConnection_Buffered = nullptr;
  decltype(&::natsConnection_ProcessReadEvent) natsConnection_ProcessReadEvent = nullptr;
  decltype(&::natsConnection_ProcessWriteEvent) natsConnection_ProcessWriteEvent = nullptr;
  decltype(&::natsConnection_SubscribeSync) natsConnection_SubscribeSync = nullptr;
  decltype(&::natsConnection_PublishMsg) natsConnection_PublishMsg = nullptr;
  decltype(&::natsConnection_RequestString) natsConnection_RequestString = nullptr;
  decltype(&::natsSubscription_NextMsg) natsSubscription_NextMsg = nullptr;
  decltype(&::natsSubscription_SetPendingLimits) natsSubscription_SetPendingLimits = nullptr;
  decltype(&::natsSubscription_Destroy) natsSubscription_Destroy = nullptr;
  decltype(&::natsMsg_Create) natsMsg_Create = nullptr;
  decltype(&::natsMsg_Destroy) natsMsg_Destroy = nullptr;
  // At once, by this thread. natsMsg_Destroy wakes a thread of the library for each message, which
  // costs more than the rest of it; what that thread calls is exported, and in no header. Null:
  // not of a version that this was tried with.
  void (*natsMsg_free)(void*) = nullptr;
  decltype(&::natsMsg_GetSubject) natsMsg_GetSubject = nullptr;
  decltype(&::natsMsg_GetData) natsMsg_GetData = nullptr;
  decltype(&::natsMsg_GetDataLength) natsMsg_GetDataLength = nullptr;
  decltype(&::natsMsgHeader_Add) natsMsgHeader_Add = nullptr;

  void Free(natsMsg* message) const {
    if (natsMsg_free != nullptr && message != nullptr) {
      natsMsg_free(message);
    } else {
      natsMsg_Destroy(message);
    }
  }
};

}  // namespace walduct::nats
