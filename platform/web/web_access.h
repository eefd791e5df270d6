// Access to the server of the viewer: for pages that it served itself, with its token (spec 11.5).
#pragma once

#include <optional>
#include <string>

#include "platform/web/web_request.h"

namespace kernbench {

// 128 random bits as 32 hexadecimal digits.
std::string new_web_token();

// Parts of a request that decide on access.
struct WebCredentials {
  std::string method, path;
  std::string host;    // header Host; "": absent
  std::string origin;  // header Origin; "": absent
  std::string token;   // header X-Kernbench-Token; "": absent
};

struct WebAccess {
  std::string token;
  int port = 0;

  // 403: foreign Host or Origin. 401: a request below /api/ without the token. 405: another method
  // than GET, HEAD, POST, DELETE. None: the request is allowed.
  std::optional<WebAnswer> refusal(const WebCredentials& request) const;
};

}  // namespace kernbench
