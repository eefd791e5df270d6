// The page of `kernbench web` (docs/viewer.md) in a browser that all cases share, and runs to show.
#pragma once

#include <string>

#include "tests/page/browser.h"
#include "tests/web/served_program.h"

namespace kernbench::test {

// Logs and statistics that all cases read.
class RecordedRuns {
 public:
  RecordedRuns();
  std::string gemm() const { return folder_.file("gemm.sqlite"); }
  std::string slow_gemm() const { return folder_.file("slow.sqlite"); }   // narrower flits
  std::string several_pes() const { return folder_.file("qkv.sqlite"); }  // a kernel on a cube
  std::string slow_several_pes() const { return folder_.file("slow-qkv.sqlite"); }
  std::string hot_spot() const { return folder_.file("hot-spot.json"); }  // links of traffic
  std::string all_reduce() const { return folder_.file("all-reduce.sqlite"); }
  std::string statistics() const { return folder_.file("gemm.json"); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

 private:
  TemporaryFolder folder_;
};
const RecordedRuns& runs();

Browser& shared_browser();

// Copies a log and executes SQL on the copy.
std::string changed_log(const std::string& log, const std::string& copy, const std::string& sql);

// The page is ready when it has drawn its map. No case leaves a fault of a script or a request;
// KERNBENCH_PICTURES=FOLDER keeps a picture of each case's end.
class Viewer {
 public:
  explicit Viewer(const Words& words, const std::string& fragment = "");
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  Browser& browser() { return browser_; }
  ServedProgram& server() { return server_; }
  std::string address(const std::string& fragment = "") const;
  void go(const std::string& address);
  nlohmann::json value(const std::string& expression) {
    return browser_.value("return " + expression + ";");
  }
  std::string text(const std::string& selector);
  std::string selected() { return text("#panel h2"); }
  void click_on(const std::string& place);     // a block of the map
  void press(const std::string& selector);     // an element
  void picture(const std::string& more = "");  // with KERNBENCH_PICTURES

  static constexpr const char* ready =
      "document.body.dataset.ready === 'true' && "
      "document.querySelector('canvas.map')?.mapView.statistics.ms > 0";
  // Functions in the page: map(number), timeline(), middleOf(place), text(selector), pixel(x, y) of
  // the first map as "#rrggbb".
  static const char* const helpers;

 private:
  ServedProgram server_;
  Browser& browser_ = shared_browser();
};

}  // namespace kernbench::test
