// Servers of the machine, the busiest first, in a window of the run (spec 11.3).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/report/option_values.h"
#include "platform/report/report.h"
#include "platform/report/server_windows.h"

namespace kernbench {
namespace {

class ServersReport final : public Report {
 public:
  ServersReport(const ReportContext& context, std::string window)
      : window_(std::move(window)), rows_(context.rows.value_or(20)), windows_(context.events) {}

  void close(Fs /*end*/) override {
    const std::optional<std::pair<Fs, Fs>> interval = interval_of(window_);
    if (interval) {
      shown_ = windows_.window(interval->first, interval->second);
      table_ = windows_.table(interval->first, interval->second);
    } else {
      shown_ = windows_.window(window_);
      table_ = windows_.table(window_);
    }
    if (!table_->empty()) return;
    std::vector<std::string> names = windows_.names();
    const auto is_interval = [](const std::string& name) {
      return name.compare(0, 5, "time ") == 0;
    };
    const bool has_intervals = std::any_of(names.begin(), names.end(), is_interval);
    names.erase(std::remove_if(names.begin(), names.end(), is_interval), names.end());
    for (std::string& name : names) name = quote(name);
    throw UsageError(fmt::format(
        "--servers {}: no server was used in such a window; there are {}{}", quote(window_),
        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
        has_intervals ? ", and FROM:TO in ns" : ""));
  }
  std::string text() override {
    return fmt::format("window {}: {}\n\n", window_, time_text()) + table_->text("", rows_);
  }
  Json json() override { return table_->json(); }
  void add_to(Json& json, const char* name) override {
    json["window"] = {{"name", window_},
                      {"from_ns", ns_json(shown_.begin)},
                      {"to_ns", ns_json(shown_.end)},
                      {"length_ns", ns_json(shown_.length)}};
    json[name] = this->json();
  }
  std::optional<Table> table() override { return table_; }

 private:
  // A window may have several parts.
  std::string time_text() const {
    return fmt::format("{}, from {} to {}", readable_time(to_ns(shown_.length)),
                       readable_time(to_ns(shown_.begin)), readable_time(to_ns(shown_.end)));
  }
  static std::optional<std::pair<Fs, Fs>> interval_of(const std::string& window) {
    if (window.empty() || window.find_first_not_of("0123456789.:") != std::string::npos) return {};
    return interval_option("--servers", window);
  }

  std::string window_;
  std::size_t rows_;
  WindowRow shown_;
  ServerWindows windows_;
  std::optional<Table> table_;
};

struct ServersOptions final : ReportOptions {
  std::string window;  // empty: pe
  const CLI::Option* option = nullptr;

  std::unique_ptr<Report> make(const ReportContext& context) const override {
    if (option->count() == 0) return nullptr;
    return std::make_unique<ServersReport>(context, window.empty() ? "pe" : window);
  }
};

std::unique_ptr<ReportOptions> declare_servers(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<ServersOptions>();
  options->option =
      command
          .add_option(
              "--servers", options->window,
              "Busy times, stall times and bytes of all servers in a window of the run, the "
              "busiest first: pe (kernels), host, 'region LABEL', 'kernel NAME', 'launch N' "
              "or FROM:TO in ns, rounded to recorded intervals (default: pe)")
          ->type_name("WINDOW")
          ->expected(0, 1)
          ->group(report_group);
  return options;
}

const ReportRegistration servers_registration({15, "servers", ReportSource::log}, declare_servers);

}  // namespace
}  // namespace kernbench
