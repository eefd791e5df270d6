#include "tests/page/browser.h"

#include <boost/test/unit_test.hpp>
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
  result.setAttribute("data-result", encodeURIComponent(JSON.stringify({ value, faults: faultsOfPage })));
  document.body.append(result);
});
</script>)js";
}

// Text that encodeURIComponent() has encoded.
std::string decoded(const std::string& encoded) {
  std::string text;
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
      folder.file("profile") + " --dump-dom file://" + file + " > " + folder.file("dom") + " 2> " +
      folder.file("errors");
  const int status = std::system(command.c_str());
  const std::string dom = folder.read("dom");
  const std::string mark = "data-result=\"";
  const std::size_t begin = dom.rfind(mark);
  BOOST_TEST_REQUIRE(begin != std::string::npos, "the page did not open: status "
                                                     << status << "\n"
                                                     << folder.read("errors").substr(0, 2000)
                                                     << dom.substr(0, 500));
  const std::size_t first = begin + mark.size();
  const nlohmann::json result =
      nlohmann::json::parse(decoded(dom.substr(first, dom.find('"', first) - first)));
  return {result.at("value"), result.at("faults")};
}

}  // namespace kernbench::test
