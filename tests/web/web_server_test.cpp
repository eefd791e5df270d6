// The server of `kernbench web` (spec 11.5): what it answers, what it refuses, how it ends.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_server_test)

namespace {

const Words tiny{"--topology", "tiny"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_needs_no_token_and_the_api_does) {
  const ServedProgram web(tiny);
  const HttpAnswer page = web.get("/", {"X-Kernbench-Token:"});
  BOOST_TEST(page.status == 200);
  BOOST_TEST(page.headers.at("content-type") == "text/html; charset=utf-8");
  BOOST_TEST(contains(page.headers.at("content-security-policy"), "default-src 'self'"));
  BOOST_TEST(page.headers.at("x-content-type-options") == "nosniff");
  BOOST_TEST(page.headers.at("referrer-policy") == "no-referrer");
  BOOST_TEST(page.headers.at("cache-control") == "no-store");
  BOOST_TEST(web.get("/page.js").status == 200);
  BOOST_TEST(web.get("/page.css").headers.at("content-type") == "text/css; charset=utf-8");

  BOOST_TEST(web.get("/api/session", {"X-Kernbench-Token:"}).status == 401);
  BOOST_TEST(web.get("/api/session", {"X-Kernbench-Token: 0"}).status == 401);
  BOOST_TEST(web.get("/api/session?token=" + web.token(), {"X-Kernbench-Token:"}).status == 401);
  const auto session = web.json("/api/session");
  BOOST_TEST(session["machines"][0]["title"] == "topology.tiny.yaml");
  BOOST_TEST(session["runs"].empty());
  BOOST_TEST(session["problems"].empty());
}

BOOST_AUTO_TEST_CASE(foreign_hosts_and_origins_are_refused_for_every_path) {
  const ServedProgram web(tiny);
  const std::string port = std::to_string(web.port());
  for (const char* target : {"/", "/api/session", "/nowhere"}) {
    BOOST_TEST(web.get(target, {"Host: evil.example:" + port}).status == 403);
    BOOST_TEST(web.get(target, {"Host: 127.0.0.1:1"}).status == 403);
    BOOST_TEST(web.get(target, {"Host:"}).status == 403);
    BOOST_TEST(web.get(target, {"Origin: http://evil.example"}).status == 403);
    BOOST_TEST(web.get(target, {"Origin: null"}).status == 403);
  }
  BOOST_TEST(web.get("/api/session", {"Host: localhost:" + port}).status == 200);
  BOOST_TEST(web.get("/api/session", {"Origin: http://127.0.0.1:" + port}).status == 200);
  const std::string host = "Host: 127.0.0.1:" + port;
  BOOST_TEST(web.get("/api/session", {host, host}).status == 400);
  BOOST_TEST(web.request("POST", "/api/jobs", "{}", {"Origin: http://evil.example"}).status == 403);
  // No answer lets another origin read it.
  const HttpAnswer answer = web.get("/api/session");
  BOOST_TEST(answer.headers.count("access-control-allow-origin") == 0U);
}

BOOST_AUTO_TEST_CASE(no_path_leads_to_a_file) {
  const ServedProgram web(tiny);
  for (const char* target :
       {"/../../../../etc/passwd", "/..%2f..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd", "/etc/passwd", "/./../etc/passwd", "/index.html/../../etc/passwd", "/%00",
        "/index.html%00.js", "/\\..\\etc\\passwd", "/api/../etc/passwd",
        "/api/run/../../../etc/passwd", "/api/machine/..%2f..", "/CMakeLists.txt"}) {
    const HttpAnswer answer = web.get(target);
    BOOST_TEST((answer.status == 404 || answer.status == 400 || answer.status == 401),
               target << ": " << answer.status);
    BOOST_TEST(!contains(answer.body, "root:"), target);
  }
}

BOOST_AUTO_TEST_CASE(requests_are_bounded) {
  const ServedProgram web(tiny);
  BOOST_TEST(web.get("/" + std::string(9000, 'a')).status == 414);
  BOOST_TEST(web.get("/api/machine/0/search?q=" + std::string(20000, 'a')).status != 200);
  // More than 32 KiB of headers: the connection ends.
  BOOST_TEST(web.get("/", {"X-Long: " + std::string(200 << 10, 'a')}).status != 200);
  BOOST_TEST(web.request("POST", "/api/jobs", std::string((64 << 10) + 1, ' ')).status == 413);
  BOOST_TEST(
      web.request("POST", "/api/jobs", "", {"Content-Length: 99999999999999999999999"}).status ==
      411);
  BOOST_TEST(web.request("POST", "/api/jobs").status == 411);
  BOOST_TEST(web.request("POST", "/api/jobs", "", {"Transfer-Encoding: chunked"}).status == 411);
  BOOST_TEST(web.request("PUT", "/api/jobs", "{}").status == 405);
  BOOST_TEST(web.request("OPTIONS", "/api/session").status == 405);
  BOOST_TEST(web.request("DELETE", "/api/session").status == 405);
  BOOST_TEST(web.request("POST", "/api/session", "{}").status == 405);
  for (const char* garbage :
       {"\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02"}) {
    const HttpAnswer answer = exchange_bytes(web.port(), std::string(garbage) + "\r\n\r\n");
    BOOST_TEST(answer.status != 200, garbage);
  }
  BOOST_TEST(web.get("/api/session").status == 200);  // it is well
}

BOOST_AUTO_TEST_CASE(wrong_parameters_name_the_allowed_ones) {
  const ServedProgram web(tiny);
  BOOST_TEST(contains(web.error("/api/machine/1", 404), "no machine '1'"));
  BOOST_TEST(contains(web.error("/api/machine/-1", 404), "no machine"));
  BOOST_TEST(contains(web.error("/api/run/0/use", 404), "no run '0'"));
  BOOST_TEST(contains(web.error("/api/machine/0/node", 400), "name is missing"));
  BOOST_TEST(contains(web.error("/api/machine/0/node?name=sip0.cube0.pe0.pe_dmaa", 404),
                      "did you mean 'sip0.cube0.pe0.pe_dma'?"));
  BOOST_TEST(contains(web.error("/api/machine/0/search?q=pe&limit=0", 400), "limit: found '0'"));
  BOOST_TEST(contains(web.error("/api/machine/0/search?q=pe&limit=999999", 400), "1 to 200"));
  BOOST_TEST(contains(web.error("/api/machine/0/route?from=x&to=y", 404), "no node 'x'"));
  BOOST_TEST(contains(web.error("/api/nowhere", 404), "no such request"));
  // Names with HTML come back as JSON, which no browser shows as a page.
  const HttpAnswer answer = web.get("/api/machine/0/node?name=%3Cscript%3Ealert(1)%3C%2Fscript%3E");
  BOOST_TEST(answer.status == 404);
  BOOST_TEST(answer.headers.at("content-type") == "application/json");
}

BOOST_AUTO_TEST_CASE(a_port_in_use_is_followed_by_the_next_free_one) {
  const TakenPort taken;
  if (taken.port() > 65000) return;
  const ServedProgram web(tiny, taken.port());
  BOOST_TEST(web.port() > taken.port());
  BOOST_TEST(contains(web.out(), "port " + std::to_string(taken.port()) + " is in use; taking " +
                                     std::to_string(web.port())));
  // Two servers never share a port.
  const ServedProgram second(tiny, web.port());
  BOOST_TEST(second.port() > web.port());
}

BOOST_AUTO_TEST_CASE(without_a_free_port_it_says_so) {
  const TakenPort last(65535);
  const ProgramResult result =
      kernbench_program({"web", "--no-open", "--topology", "tiny", "--port", "65535"});
  check_refusal(result, {"port 65535 of 127.0.0.1 is not free", "--port"});
  check_refused_in_a_line({"web", "--port", "65536"}, {"--port"});
}

BOOST_AUTO_TEST_CASE(the_server_listens_on_loopback_alone) {
  const ServedProgram web(tiny);
  // /proc/net/tcp: local address and port in hexadecimal, state 0A: listening.
  char entry[32];
  std::snprintf(entry, sizeof entry, ":%04X 00000000:0000 0A", web.port());
  const std::string sockets = read_file("/proc/net/tcp") + read_file("/proc/net/tcp6");
  const std::size_t at = sockets.find(entry);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  BOOST_TEST(sockets.substr(at - 8, 8) == "0100007F");
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it_at_once_while_requests_are_pending) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ServedProgram web(tiny);
    const Connection half(web.port()), idle(web.port());
    half.send("GET /api/session HTTP/1.1\r\nHost:");
    BOOST_TEST(web.stop(signal) == 0);
    BOOST_TEST(half.receive_all() == "");
  }
}

// With a stand-in for xdg-open, which notes its argument and copies the file.
BOOST_AUTO_TEST_CASE(the_browser_is_opened_by_a_private_file_that_leads_to_the_address) {
  const TemporaryFolder folder;
  const std::string program = folder.write(
      "xdg-open", "#!/bin/sh\nstat -c %a \"$(dirname \"$1\")\" > \"" + folder.file("mode") +
                      "\"\ncp \"$1\" \"" + folder.file("copy") + "\"\necho \"$1\" > \"" +
                      folder.file("argument") + ".new\"\nmv \"" + folder.file("argument") +
                      ".new\" \"" + folder.file("argument") + "\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.root.string() + ":" + path).c_str(), 1);
  ::setenv("DISPLAY", ":99", 1);
  {
    ServedProgram web(tiny, 0, true);
    while (!folder.has("argument")) ::usleep(10000);
    BOOST_TEST(!contains(folder.read("argument"), web.token()));
    BOOST_TEST(contains(folder.read("copy"), "url=http://127.0.0.1:" + std::to_string(web.port()) +
                                                 "/?token=" + web.token()));
    BOOST_TEST(folder.read("mode") == "700\n");
    BOOST_TEST(web.stop(SIGINT) == 0);
    BOOST_TEST(!std::filesystem::exists(lines_of(folder.read("argument"))[0]));
  }
  ::setenv("PATH", path.c_str(), 1);
  // Without a display there is no browser to open.
  ::unsetenv("DISPLAY");
  ::unsetenv("WAYLAND_DISPLAY");
  ServedProgram web(tiny, 0, true);
  BOOST_TEST(web.get("/").status == 200);
  BOOST_TEST(contains(web.rest_after_end(), "There is no browser to open"));
}

BOOST_AUTO_TEST_CASE(connections_are_kept_open_for_further_requests) {
  const ServedProgram web(tiny);
  const Connection connection(web.port());
  const std::string request =
      "GET /api/machine/0/search?q=sip0 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(web.port()) +
      "\r\nX-Kernbench-Token: " + web.token();
  for (int i = 0; i < 10; ++i) connection.send(request + "\r\n\r\n");
  connection.send(request + "\r\nConnection: close\r\n\r\n");
  const std::string answers = connection.receive_all();
  std::size_t count = 0;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 200", at)) != std::string::npos; ++at)
    ++count;
  BOOST_TEST(count == 11U);
}

BOOST_AUTO_TEST_SUITE_END()
