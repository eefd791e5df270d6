#include "tests/page/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <utility>

namespace kernbench::test {
namespace {

using Json = nlohmann::json;

constexpr int hang_s = 180;  // on a busy host, too

}  // namespace

boost::test_tools::assertion_result has_chromium(boost::unit_test::test_unit_id /*suite*/) {
  const bool found = std::system("command -v chromium > /dev/null") == 0;
  if (!found)
    std::cout << "chromium is not installed (packaging/debian-packages-test.txt): skipped\n";
  return found;
}

Browser::Browser() {
  std::array<int, 2> in{}, out{};
  BOOST_TEST_REQUIRE((::pipe2(in.data(), O_CLOEXEC) == 0 && ::pipe2(out.data(), O_CLOEXEC) == 0));
  const std::string profile = "--user-data-dir=" + folder_.file("profile");
  const std::string home = folder_.root.string();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int null = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(null, fd);
    // The protocol is at 3 and 4; the pipes may be there already, in the other order.
    const int read = ::fcntl(in[0], F_DUPFD, 10), write = ::fcntl(out[1], F_DUPFD, 10);
    ::dup2(read, 3);
    ::dup2(write, 4);
    ::setenv("HOME", home.c_str(), 1);
    ::execlp("chromium", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             "--remote-debugging-pipe", profile.c_str(), "about:blank",
             static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  const Json targets = send("Target.getTargets")["targetInfos"];
  for (const Json& target : targets) {
    if (target["type"] != "page") continue;
    session_ = send("Target.attachToTarget",
                    {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
    break;
  }
  BOOST_TEST_REQUIRE(!session_.empty());
  for (const char* domain : {"Runtime.enable", "Page.enable", "Log.enable", "Performance.enable"})
    send(domain);
  send("Emulation.setDeviceMetricsOverride",
       {{"width", 1400}, {"height", 900}, {"deviceScaleFactor", 1}, {"mobile", false}});
  prefer_colours("light");
}

Browser::~Browser() {
  ::close(to_);
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::close(from_);
}

Json Browser::receive() {
  for (;;) {
    const std::size_t end = buffer_.find('\0');
    if (end != std::string::npos) {
      Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    ::pollfd ready{from_, POLLIN, 0};
    BOOST_TEST_REQUIRE(::poll(&ready, 1, 1000 * hang_s) == 1, "chromium does not answer");
    std::array<char, 65536> part{};
    const ::ssize_t n = ::read(from_, part.data(), part.size());
    BOOST_TEST_REQUIRE(n > 0, "chromium has ended");
    buffer_.append(part.data(), static_cast<std::size_t>(n));
  }
}

void Browser::note(const Json& event) {
  const std::string method = event.value("method", "");
  if (method == "Runtime.exceptionThrown") {
    const Json& details = event["params"]["exceptionDetails"];
    faults_.push_back(details.value("text", "") + ' ' +
                      details.value("exception", Json::object()).value("description", ""));
  } else if (method == "Runtime.consoleAPICalled") {
    std::string words = "console:";
    for (const Json& argument : event["params"]["args"])
      words += ' ' + argument.value("value", Json(argument.value("description", ""))).dump();
    faults_.push_back(words);
  } else if (method == "Log.entryAdded") {
    const Json& entry = event["params"]["entry"];
    faults_.push_back(entry.value("text", "") + ' ' + entry.value("url", ""));
  }
}

Json Browser::send(const std::string& method, const Json& parameters) {
  Json message{{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t at = 0; at < text.size();) {
    const ::ssize_t n = ::write(to_, text.data() + at, text.size() - at);
    BOOST_TEST_REQUIRE(n > 0, "chromium has ended");
    at += static_cast<std::size_t>(n);
  }
  for (;;) {
    Json answer = receive();
    if (answer.value("id", 0) != last_id_) {
      note(answer);
      continue;
    }
    BOOST_TEST_REQUIRE(!answer.contains("error"), method << ": " << answer.dump());
    return answer["result"];
  }
}

void Browser::open(const std::string& address, const std::string& condition) {
  send("Page.navigate", {{"url", "about:blank"}});
  send("Page.navigate", {{"url", address}});
  wait_until("document.readyState === 'complete' && (" + condition + ")");
}

Json Browser::value(const std::string& body) {
  const Json answer = send("Runtime.evaluate", {{"expression", "(async () => {" + body + "})()"},
                                                {"awaitPromise", true},
                                                {"returnByValue", true}});
  BOOST_TEST_REQUIRE(!answer.contains("exceptionDetails"), answer.dump());
  return answer["result"].value("value", Json());
}

void Browser::wait_until(const std::string& condition) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(hang_s);
  for (;;) {
    const Json answer =
        send("Runtime.evaluate", {{"expression", condition}, {"returnByValue", true}});
    if (!answer.contains("exceptionDetails") &&
        answer["result"].value("value", Json()) == Json(true))
      return;
    BOOST_TEST_REQUIRE((std::chrono::steady_clock::now() < last),
                       "never true: " << condition << "\n"
                                      << answer.dump() << "\n"
                                      << faults_.dump());
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

void Browser::key(const std::string& name, const std::string& text, Modifier modifier) {
  Json event{{"type", text.empty() ? "rawKeyDown" : "keyDown"},
             {"key", name},
             {"modifiers", static_cast<int>(modifier)}};
  if (!text.empty()) event["text"] = text;
  send("Input.dispatchKeyEvent", event);
  send("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", name}});
}

void Browser::type(const std::string& text) {
  for (const char c : text) key(std::string(1, c), std::string(1, c));
}

void Browser::mouse(const char* type, double x, double y, int count, const char* button,
                    Modifier modifier) {
  send("Input.dispatchMouseEvent", {{"type", type},
                                    {"x", x},
                                    {"y", y},
                                    {"button", button},
                                    {"buttons", std::string(button) == "left" ? 1 : 0},
                                    {"modifiers", static_cast<int>(modifier)},
                                    {"clickCount", count}});
}

void Browser::click(double x, double y, int count) {
  for (int i = 1; i <= count; ++i) {
    mouse("mousePressed", x, y, i, "left");
    mouse("mouseReleased", x, y, i, "left");
  }
}

void Browser::move(double x, double y) { mouse("mouseMoved", x, y, 0, "none"); }

void Browser::drag(double x, double y, double to_x, double to_y, Modifier modifier) {
  mouse("mousePressed", x, y, 1, "left", modifier);
  constexpr int steps = 5;
  for (int i = 1; i <= steps; ++i)
    mouse("mouseMoved", x + (to_x - x) * i / steps, y + (to_y - y) * i / steps, 1, "left",
          modifier);
  mouse("mouseReleased", to_x, to_y, 1, "left", modifier);
}

void Browser::wheel(double x, double y, double delta, Modifier modifier) {
  send("Input.dispatchMouseEvent", {{"type", "mouseWheel"},
                                    {"x", x},
                                    {"y", y},
                                    {"deltaX", 0},
                                    {"deltaY", delta},
                                    {"modifiers", static_cast<int>(modifier)}});
}

void Browser::prefer_colours(const std::string& scheme) {
  const Json colours{{"name", "prefers-color-scheme"}, {"value", scheme}};
  const Json motion{{"name", "prefers-reduced-motion"}, {"value", "reduce"}};
  send("Emulation.setEmulatedMedia", {{"features", {colours, motion}}});
}

void Browser::take_picture(const std::string& path) {
  const std::string text = send("Page.captureScreenshot")["data"];
  std::FILE* const decoder = ::popen(("base64 -d > '" + path + "'").c_str(), "w");
  BOOST_TEST_REQUIRE(decoder != nullptr);
  std::fwrite(text.data(), 1, text.size(), decoder);
  BOOST_TEST(::pclose(decoder) == 0);
}

double Browser::processor_seconds() {
  const Json answer = send("Performance.getMetrics");
  for (const Json& metric : answer["metrics"])
    if (metric["name"] == "ProcessTime") return metric["value"];
  BOOST_TEST_REQUIRE(false, answer.dump());
  return 0;
}

Json Browser::take_faults() {
  value("await new Promise((end) => setTimeout(end, 0))");
  return std::exchange(faults_, Json::array());
}

}  // namespace kernbench::test
