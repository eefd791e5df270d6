// Chromium, headless, driven over its debugging protocol through pipes: pages of a server or a
// file, real keys and mouse events. It has no network but 127.0.0.1.
#pragma once

#include <sys/types.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.h"

namespace kernbench::test {

// Precondition of a suite: without chromium it says so, and CTest reports the program as skipped.
boost::test_tools::assertion_result has_chromium(boost::unit_test::test_unit_id suite);

class Browser {
 public:
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Loads a page and waits until `condition`, a JavaScript expression, is true.
  void open(const std::string& address, const std::string& condition = "true");
  // Value of the body of an asynchronous JavaScript function. An exception fails the test.
  nlohmann::json value(const std::string& body);
  // Waits until an expression is true; fails the test where that hangs.
  void wait_until(const std::string& condition);

  enum Modifier { none = 0, ctrl = 2, shift = 8 };
  void key(const std::string& name, const std::string& text = "",  // "Enter"; "a", "a"
           Modifier modifier = none);
  void type(const std::string& text);
  void click(double x, double y, int count = 1);
  void move(double x, double y);
  void drag(double x, double y, double to_x, double to_y, Modifier modifier = none);
  void wheel(double x, double y, double delta, Modifier modifier = none);

  void prefer_colours(const std::string& scheme);  // "light", "dark"
  void take_picture(const std::string& path);      // PNG
  double processor_seconds();                      // of the process of the page

  // Script errors, messages on the console and failed requests since the last call.
  nlohmann::json take_faults();

 private:
  nlohmann::json send(const std::string& method,
                      const nlohmann::json& parameters = nlohmann::json::object());
  nlohmann::json receive();
  void note(const nlohmann::json& event);
  void mouse(const char* type, double x, double y, int count, const char* button,
             Modifier modifier = none);

  TemporaryFolder folder_;
  ::pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string buffer_, session_;
  int last_id_ = 0;
  nlohmann::json faults_ = nlohmann::json::array();
};

}  // namespace kernbench::test
