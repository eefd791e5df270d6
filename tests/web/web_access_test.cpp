// Access to the server of the viewer: host, origin, token, method (spec 11.5).
#include "platform/web/web_access.h"

#include <boost/test/unit_test.hpp>
#include <set>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(web_access_test)

namespace {

int status_of(const WebCredentials& credentials) {
  const WebAccess access{"0123456789abcdef0123456789abcdef", 8000};
  const auto refusal = access.refusal(credentials);
  return refusal ? refusal->status : 200;
}

const std::string token = "0123456789abcdef0123456789abcdef";

}  // namespace

BOOST_AUTO_TEST_CASE(a_token_has_128_bits_and_differs_each_time) {
  std::set<std::string> tokens;
  for (int i = 0; i < 20; ++i) {
    const std::string each = new_web_token();
    BOOST_TEST(each.size() == 32U);
    BOOST_TEST(each.find_first_not_of("0123456789abcdef") == std::string::npos);
    tokens.insert(each);
  }
  BOOST_TEST(tokens.size() == 20U);
}

BOOST_AUTO_TEST_CASE(the_api_needs_the_token_and_static_files_do_not) {
  BOOST_TEST(status_of({"GET", "/", "127.0.0.1:8000", "", ""}) == 200);
  BOOST_TEST(status_of({"GET", "/api/session", "127.0.0.1:8000", "", token}) == 200);
  BOOST_TEST(status_of({"GET", "/api/session", "127.0.0.1:8000", "", ""}) == 401);
  BOOST_TEST(status_of({"GET", "/api/session", "127.0.0.1:8000", "", token + "0"}) == 401);
  BOOST_TEST(status_of({"GET", "/api/session", "127.0.0.1:8000", "", token.substr(1)}) == 401);
  std::string wrong = token;
  wrong.back() = '0';
  BOOST_TEST(status_of({"GET", "/api/session", "127.0.0.1:8000", "", wrong}) == 401);
  BOOST_TEST(status_of({"POST", "/api/jobs", "127.0.0.1:8000", "", ""}) == 401);
  BOOST_TEST(status_of({"GET", "/api", "127.0.0.1:8000", "", ""}) == 401);
}

BOOST_AUTO_TEST_CASE(hosts_and_origins_other_than_the_servers_own_are_refused) {
  for (const char* host : {"127.0.0.1:8000", "localhost:8000"})
    BOOST_TEST(status_of({"GET", "/api/session", host, "", token}) == 200);
  // A name of another page that resolves to 127.0.0.1 (DNS rebinding).
  for (const char* host : {"", "evil.example:8000", "127.0.0.1:8001", "127.0.0.1", "0.0.0.0:8000",
                           "127.0.0.1:8000.evil.example", "evil.example"}) {
    BOOST_TEST(status_of({"GET", "/api/session", host, "", token}) == 403, host);
    BOOST_TEST(status_of({"GET", "/", host, "", ""}) == 403, host);
  }
  for (const char* origin : {"http://127.0.0.1:8000", "http://localhost:8000"})
    BOOST_TEST(status_of({"POST", "/api/jobs", "127.0.0.1:8000", origin, token}) == 200);
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8000",
                             "http://127.0.0.1:8001", "http://127.0.0.1:8000.evil.example"})
    BOOST_TEST(status_of({"POST", "/api/jobs", "127.0.0.1:8000", origin, token}) == 403, origin);
}

BOOST_AUTO_TEST_CASE(other_methods_are_refused) {
  for (const char* method : {"PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT"})
    BOOST_TEST(status_of({method, "/api/session", "127.0.0.1:8000", "", token}) == 405, method);
  BOOST_TEST(status_of({"POST", "/", "127.0.0.1:8000", "", token}) == 405);
}

BOOST_AUTO_TEST_CASE(whole_numbers_of_requests_have_bounds) {
  BOOST_TEST(parse_number("0", 10).value() == 0U);
  BOOST_TEST(parse_number("10", 10).value() == 10U);
  BOOST_TEST(parse_number("18446744073709551615", UINT64_MAX).value() == UINT64_MAX);
  for (const char* text :
       {"", "11", "-1", "1e1", " 1", "0x1", "18446744073709551616", "999999999999999999999999"})
    BOOST_TEST(!parse_number(text, 10), text);
  BOOST_TEST(!parse_number("18446744073709551616", UINT64_MAX));
}

BOOST_AUTO_TEST_SUITE_END()
