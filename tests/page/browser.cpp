#include "tests/page/browser.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace kernbench::test {
namespace {

// First in the page, to see every fault of what follows.
constexpr const char* watch = R"js(<script>
window.faultsOfPage = [];
addEventListener("error", (event) => faultsOfPage.push(event.message || "not loaded: " + event.target.outerHTML), true);
addEventListener("unhandledrejection", (event) => faultsOfPage.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => faultsOfPage.push("refused: " + event.blockedURI));
for (const name of ["error", "warn", "log"]) console[name] = (...words) => faultsOfPage.push(words.join(" "));
</script>)js";

// Last in the page: the actions, and their result as an element.
std::string report(const std::string& actions) {
  return R"js(<script>
addEventListener("load", async () => {
  let value = null;
  try { value = await (async () => {)js" +
         actions + R"js(})(); } catch (error) { faultsOfPage.push(String(error)); }
  for (const entry of performance.getEntriesByType("resource")) faultsOfPage.push("requested: " + entry.name);
  const result = document.createElement("template");
  result.id = "result-of-test";
  result.setAttribute("data-result", btoa(encodeURIComponent(JSON.stringify({ value, faults: faultsOfPage }))));
  document.body.append(result);
});
</script>)js";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  BOOST_TEST_REQUIRE(pipe != nullptr);
  std::array<char, 65536> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  ::pclose(pipe);
  return text;
}

// Text of base64 of a percent-encoded text.
std::string decoded(const std::string& base64) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded, text;
  unsigned bits = 0, count = 0;
  for (const char c : base64) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = (bits << 6U) | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) encoded.push_back(static_cast<char>((bits >> (count -= 8)) & 0xffU));
  }
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      text.push_back(encoded[i]);
    } else {
      text.push_back(static_cast<char>(std::stoi(encoded.substr(i + 1, 2), nullptr, 16)));
      i += 2;
    }
  }
  return text;
}

}  // namespace

BrowserResult in_browser(const std::string& html, const std::string& actions) {
  BOOST_TEST_REQUIRE(std::system("command -v chromium > /dev/null") == 0,
                     "chromium is not installed; ./kernbench test --all installs it "
                     "(packaging/debian-packages-long.txt)");
  const TemporaryFolder folder;
  std::string page = html;
  const std::size_t head = page.find("<head>"), end = page.rfind("</body>");
  BOOST_TEST_REQUIRE((head != std::string::npos && end != std::string::npos));
  page.insert(end, report(actions));
  page.insert(head + 6, watch);
  const std::string file = folder.write("page.html", page);
  const std::string command =
      "HOME=" + folder.root.string() +
      " timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
      "--no-first-run --disable-extensions --host-resolver-rules='MAP * ~NOTFOUND' "
      "--window-size=1280,900 --virtual-time-budget=20000 --user-data-dir=" +
      folder.file("profile") + " --dump-dom file://" + file + " 2> " + folder.file("errors");
  const std::string dom = output_of(command);
  const std::string mark = "data-result=\"";
  const std::size_t begin = dom.rfind(mark);
  BOOST_TEST_REQUIRE(begin != std::string::npos, "the page did not open:\n"
                                                     << folder.read("errors").substr(0, 2000)
                                                     << dom.substr(0, 500));
  const nlohmann::json result = nlohmann::json::parse(decoded(dom.substr(begin + mark.size())));
  return {result.at("value"), result.at("faults")};
}

}  // namespace kernbench::test
