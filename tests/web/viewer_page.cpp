#include "tests/web/viewer_page.h"

#include <SQLiteCpp/Database.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

namespace kernbench::test {

RecordedRuns::RecordedRuns() {
  completed({"run", "--bench", "matmul-composite", "--op-log", gemm(), "--stats", statistics()});
  completed({"run", "--bench", "matmul-composite", "--set", "system.flit_bytes=128", "--op-log",
             slow_gemm()});
  const Words several{"run", "--bench", "qkv-gemm-multi-pe", "--op-log"};
  completed(joined(several, {several_pes()}));
  completed(joined(several, {slow_several_pes(), "--set", "system.flit_bytes=128"}));
  completed({"traffic", "--generate", "hotspot", "--links", hot_spot()});
  completed({"run", "--bench", "ccl-allreduce", "--data", "off", "--op-log", all_reduce()});
}

const RecordedRuns& runs() {
  static const RecordedRuns all;
  return all;
}

Browser& shared_browser() {
  static Browser browser;
  return browser;
}

std::string changed_log(const std::string& log, const std::string& copy, const std::string& sql) {
  const std::string path = runs().file(copy);
  std::filesystem::copy_file(log, path, std::filesystem::copy_options::overwrite_existing);
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
  return path;
}

const char* const Viewer::helpers = R"js(
window.map = (number = 0) => document.querySelectorAll("canvas.map")[number].mapView;
window.timeline = () => document.querySelector("canvas.gantt").timeline;
window.middleOf = (name) => {
  const steps = map().scene.path(name), box = map().screenBox(steps[steps.length - 1].box);
  const canvas = map().canvas.getBoundingClientRect();
  return [canvas.left + box.x + box.w / 2, canvas.top + box.y + box.h / 2];
};
window.text = (selector) => document.querySelector(selector)?.textContent ?? null;
window.pixel = (x, y) => {
  const ctx = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  ctx.drawImage(map().canvas, -Math.round(x), -Math.round(y));
  return "#" + [...ctx.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) => each.toString(16).padStart(2, "0")).join("");
};
)js";

Viewer::Viewer(const Words& words, const std::string& fragment) : server_(words) {
  go(address(fragment));
}

Viewer::~Viewer() {
  picture();
  BOOST_TEST(browser_.take_faults().dump() == "[]");
  browser_.open("about:blank");  // before its server ends
  browser_.take_faults();
}

void Viewer::picture(const std::string& more) {
  const char* const folder = std::getenv("KERNBENCH_PICTURES");
  if (folder == nullptr) return;
  const std::string name = boost::unit_test::framework::current_test_case().p_name;
  browser_.take_picture(folder + ('/' + name) + more + ".png");
}

std::string Viewer::address(const std::string& fragment) const {
  return "http://127.0.0.1:" + std::to_string(server_.port()) + "/?token=" + server_.token() +
         fragment;
}

void Viewer::go(const std::string& address) {
  browser_.open(address, ready);
  browser_.value(helpers);
}

std::string Viewer::text(const std::string& selector) {
  const nlohmann::json text = value("text('" + selector + "')");
  BOOST_TEST_REQUIRE(text.is_string(), selector);
  return text;
}

void Viewer::click_on(const std::string& place) {
  const nlohmann::json at = value("middleOf('" + place + "')");
  browser_.click(at[0], at[1]);
}

void Viewer::press(const std::string& selector) {
  const nlohmann::json at = browser_.value(
      "const box = document.querySelector('" + selector +
      "').getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2];");
  browser_.click(at[0], at[1]);
}

}  // namespace kernbench::test
