#include "platform/web/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "models/base/errors.h"
#include "models/base/exception_text.h"
#include "platform/page/page_assets.h"
#include "platform/web/web_assets.h"

namespace kernbench {
namespace {

constexpr std::size_t most_header_bytes = 32 << 10;
constexpr std::size_t most_drained_bytes = 1 << 20;
constexpr int read_timeout_ms = 5000, write_timeout_ms = 5000, keep_alive_ms = 15000,
              drain_timeout_ms = 500;
constexpr std::size_t threads = 32;  // a browser keeps six connections per page open

// Connection that ends when a request is too long or stalls.
class BoundedStream final : public httplib::Stream {
 public:
  explicit BoundedStream(int socket) : socket_(socket) {}

  // For the next request of the connection.
  void begin_request() { left_ = most_header_bytes + most_body_bytes; }
  bool wait_for(short events, int timeout_ms) const {
    ::pollfd one{socket_, events, 0};
    return ::poll(&one, 1, timeout_ms) > 0;
  }

  bool is_readable() const override { return wait_for(POLLIN, 0); }
  bool is_writable() const override { return wait_for(POLLOUT, write_timeout_ms); }
  ::ssize_t read(char* into, std::size_t size) override {
    // The library reads single bytes of a line.
    if (at_ == buffered_) {
      if (left_ == 0 || !wait_for(POLLIN, read_timeout_ms)) return -1;
      const ::ssize_t n = ::recv(socket_, buffer_.data(), std::min(left_, buffer_.size()), 0);
      if (n <= 0) return n;
      at_ = 0;
      buffered_ = static_cast<std::size_t>(n);
      left_ -= buffered_;
    }
    const std::size_t n = std::min(size, buffered_ - at_);
    std::copy_n(buffer_.data() + at_, n, into);
    at_ += n;
    return static_cast<::ssize_t>(n);
  }
  ::ssize_t write(const char* from, std::size_t size) override {
    return is_writable() ? ::send(socket_, from, size, MSG_NOSIGNAL) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return socket_; }

  bool has_buffered() const { return at_ < buffered_; }
  // Reads what the client still sends, a bounded part: closing with unread bytes would take the
  // answer from it.
  void drain() {
    std::size_t left = most_drained_bytes;
    while (left > 0 && wait_for(POLLIN, drain_timeout_ms)) {
      const ::ssize_t n = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (n <= 0) return;
      left -= std::min(left, static_cast<std::size_t>(n));
    }
  }

 private:
  int socket_;
  std::size_t left_ = 0, at_ = 0, buffered_ = 0;
  std::array<char, 4096> buffer_;
};

void set(httplib::Response& response, const WebAnswer& answer) {
  response.status = answer.status;
  response.set_content(answer.body, answer.type);
}

void set_policies(httplib::Response& response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; "
                      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("X-Frame-Options", "DENY");
  response.set_header("Referrer-Policy", "no-referrer");  // the address has the token
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

WebAnswer static_file(const std::string& path) {
  static const std::vector<WebAsset> of_pages{
      {"/page.css", "text/css; charset=utf-8", page_css},
      {"/page.js", "text/javascript; charset=utf-8", page_js}};
  const std::string name = path == "/" ? "/index.html" : path;
  for (const std::vector<WebAsset>* assets : {&web_assets(), &of_pages}) {
    for (const WebAsset& asset : *assets) {
      if (asset.path == name) return {200, std::string(asset.type), std::string(asset.text)};
    }
  }
  return error_answer(404, "there is no such file");
}

}  // namespace

class HttpServer::Server final : public httplib::Server {
 public:
  Server(const WebAccess& access, HttpServer::Handler api) : access_(access), api_(std::move(api)) {
    // Not SO_REUSEPORT: two servers would share a port.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);
    set_payload_max_length(most_body_bytes);
    new_task_queue = [] { return new httplib::ThreadPool(threads); };
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return route(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
    });
    Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      call_api(request, response);
    });
    set_exception_handler([](const httplib::Request&, httplib::Response& response,
                             std::exception_ptr) { response.status = 500; });
  }
  ~Server() override {
    stop();
    if (thread_.joinable()) thread_.join();
  }
  void start() {
    thread_ = std::thread([this] { listen_after_bind(); });
  }

 private:
  // False: a POST, whose body is read next.
  bool route(const httplib::Request& request, httplib::Response& response) {
    set_policies(response);
    const auto refusal = access_.refusal(
        {request.method, request.path, request.get_header_value("Host"),
         request.get_header_value("Origin"), request.get_header_value("X-Kernbench-Token")});
    const bool repeated = request.get_header_value_count("Host") != 1 ||
                          request.get_header_value_count("Origin") > 1 ||
                          request.get_header_value_count("X-Kernbench-Token") > 1;
    if (refusal || repeated) {
      set(response, refusal ? *refusal : error_answer(400, "a header is repeated"));
      close_after_answer() = true;
      return true;
    }
    if (request.method == "POST") return refuse_body(request, response);
    // A body of another request is left unread.
    close_after_answer() =
        request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (request.path == "/api" || request.path.compare(0, 5, "/api/") == 0) {
      call_api(request, response);
    } else {
      set(response, static_file(request.path));
    }
    return true;
  }
  bool refuse_body(const httplib::Request& request, httplib::Response& response) const {
    const auto length = parse_number(request.get_header_value("Content-Length"), UINT64_MAX);
    if (length && *length <= most_body_bytes && !request.has_header("Transfer-Encoding") &&
        request.get_header_value_count("Content-Length") == 1) {
      close_after_answer() = false;
      return false;
    }
    set(response,
        length ? error_answer(413, fmt::format("the body is longer than {} bytes", most_body_bytes))
               : error_answer(411, "the length of the body is missing"));
    close_after_answer() = true;
    return true;
  }
  void call_api(const httplib::Request& request, httplib::Response& response) const {
    WebRequest of_api;
    of_api.method = request.method;
    of_api.path = request.path;
    of_api.body = request.body;
    for (const auto& [name, value] : request.params) of_api.parameters[name] = value;
    try {
      set(response, api_(of_api));
    } catch (const WebError& error) {
      set(response, error_answer(error.status(), error.what()));
    } catch (const Error& error) {
      set(response, error_answer(400, error.what()));
    } catch (const std::exception& error) {
      set(response, error_answer(500, text_of(error)));
    }
  }

  bool process_and_close_socket(socket_t socket) override {
    BoundedStream stream(socket);
    bool closed = false, is_good = true;
    close_after_answer() = false;
    while (!closed && is_good &&
           (stream.has_buffered() || stream.wait_for(POLLIN, keep_alive_ms))) {
      stream.begin_request();
      close_after_answer() = true;  // unless the request is understood
      is_good = process_request(stream, false, closed, [](httplib::Request& request) {
        request.headers.erase("Accept-Encoding");  // compression costs more than loopback
        request.ranges.clear();
      });
      closed = closed || close_after_answer();
    }
    ::shutdown(socket, SHUT_WR);
    if (close_after_answer()) stream.drain();
    ::close(socket);
    return is_good;
  }
  // True: the connection ends after the answer to the request that this thread serves.
  static bool& close_after_answer() {
    static thread_local bool close = false;
    return close;
  }

  const WebAccess& access_;
  HttpServer::Handler api_;
  std::thread thread_;
};

HttpServer::HttpServer(std::string token, Handler api)
    : access_{std::move(token), 0}, server_(std::make_unique<Server>(access_, std::move(api))) {}

HttpServer::~HttpServer() = default;

int HttpServer::bind(int port, int attempts) {
  constexpr int last_port = 65535;
  if (port == 0) {
    access_.port = server_->bind_to_any_port("127.0.0.1");
    if (access_.port > 0) return access_.port;
    throw UsageError("no port of 127.0.0.1 is free");
  }
  const int last = std::min(last_port, port + attempts - 1);
  for (int each = port; each <= last; ++each) {
    if (!server_->bind_to_port("127.0.0.1", each)) continue;
    access_.port = each;
    return each;
  }
  throw UsageError(last == port
                       ? fmt::format("port {} of 127.0.0.1 is not free; give another --port", port)
                       : fmt::format("no port of 127.0.0.1 from {} to {} is free; give another "
                                     "--port",
                                     port, last));
}

void HttpServer::start() { server_->start(); }

std::string HttpServer::address() const {
  return fmt::format("http://127.0.0.1:{}/?token={}", access_.port, access_.token);
}

}  // namespace kernbench
