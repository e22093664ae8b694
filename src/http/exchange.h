// Exchange: one request on its way in, over libmicrohttpd. Used by Listener only.
#pragma once

#include <microhttpd.h>

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "http/message.h"

namespace walduct::http {

class Exchange {
 public:
  // target is the request's, as sent: path and query.
  explicit Exchange(absl::string_view target);

  // What libmicrohttpd calls again and again: first with the head, then with parts of the body, at
  // last with none; then the handler answers. MHD_NO closes the connection.
  MHD_Result Step(MHD_Connection* connection, const char* method, const char* part, size_t* size,
                  Handler* handler);

 private:
  MHD_Result Begin(MHD_Connection* connection, const char* method);
  MHD_Result Answer(MHD_Connection* connection, Handler* handler);

  bool begun_ = false;
  Request request_;
};

}  // namespace walduct::http
