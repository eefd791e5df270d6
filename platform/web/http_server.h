// HTTP server of the viewer on the loopback interface (spec 11.5): static files, and the API for
// requests that WebAccess allows. Requests are bounded: 8 KiB of address, 32 KiB of headers, 64 KiB
// of body. Cpp-httplib is used in its source alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "platform/web/web_access.h"

namespace kernbench {

inline constexpr std::size_t most_body_bytes = 64 << 10;

class HttpServer {
 public:
  // Called by several threads at once.
  using Handler = std::function<WebAnswer(const WebRequest&)>;

  HttpServer(std::string token, Handler api);
  ~HttpServer();  // waits for pending requests
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds the first free port of `port` and the ones after it, `attempts` in all; 0: any free port.
  // Returns the port. UsageError: none is free.
  int bind(int port, int attempts);
  void start();  // answers requests, in threads of its own

  std::string address() const;  // with the token

 private:
  class Server;

  WebAccess access_;
  std::unique_ptr<Server> server_;
};

}  // namespace kernbench
