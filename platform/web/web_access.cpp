#include "platform/web/web_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace kernbench {
namespace {

// Takes the same time wherever the texts differ.
bool is_equal(const std::string& given, const std::string& expected) {
  if (given.size() != expected.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(expected[i]);
  return difference == 0;
}

bool is_api(const std::string& path) { return path.compare(0, 5, "/api/") == 0 || path == "/api"; }

}  // namespace

std::string new_web_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    throw std::system_error(errno, std::generic_category(), "getentropy");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

std::optional<WebAnswer> WebAccess::refusal(const WebCredentials& request) const {
  const std::string by_number = fmt::format("127.0.0.1:{}", port);
  const std::string by_name = fmt::format("localhost:{}", port);
  if (request.host != by_number && request.host != by_name)
    return error_answer(403, "the request names another host");
  if (!request.origin.empty() && request.origin != "http://" + by_number &&
      request.origin != "http://" + by_name)
    return error_answer(403, "the request comes from a page of another origin");
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST" &&
      request.method != "DELETE")
    return error_answer(405, "only GET, POST and DELETE are answered");
  if (!is_api(request.path)) {
    if (request.method != "GET" && request.method != "HEAD")
      return error_answer(405, "only GET is answered here");
    return std::nullopt;
  }
  if (!is_equal(request.token, token))
    return error_answer(401,
                        "the token is missing or wrong: open the address that kernbench web "
                        "has printed");
  return std::nullopt;
}

}  // namespace kernbench
