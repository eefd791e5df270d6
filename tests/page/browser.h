// Pages in a real browser: chromium, headless, without a network.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kernbench::test {

// A page after a reader's actions.
struct BrowserResult {
  nlohmann::json value;  // returned by the actions; null: they did not end
  nlohmann::json
      faults;  // texts: script errors, messages on the console, refused or tried requests
};

// Opens a copy of the page in which `actions`, the body of a JavaScript function, runs after
// loading. Fails the test if chromium is not installed or the page does not open.
BrowserResult in_browser(const std::string& html, const std::string& actions);

}  // namespace kernbench::test
