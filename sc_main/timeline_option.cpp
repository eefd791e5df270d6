#include "sc_main/timeline_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "models/base/quote.h"
#include "sc_main/result_files.h"

namespace kernbench {

void TimelineOption::add_to(CLI::App& command, const std::string& group) {
  CLI::Option* option =
      command
          .add_option("--timeline", file,
                      "Writes the run for ui.perfetto.dev: slices, arrows and counters, as JSON or "
                      "in Perfetto's format; .gz behind either compresses it")
          ->type_name("F.json|.pftrace|.gz")
          ->group(group);
  command
      .add_option("--timeline-limit", limit,
                  "Slices that the timeline has at most; counters cover the run all the same, and "
                  "a message says what was left out")
      ->type_name("SLICES")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->needs(option)
      ->capture_default_str()
      ->group(group);
}

void TimelineOption::check() const {
  if (!file.empty()) timeline_name(file);
}

std::unique_ptr<Timeline> TimelineOption::observe(Platform& platform,
                                                  const std::string& configuration) const {
  if (file.empty()) return nullptr;
  return std::make_unique<Timeline>(platform, timeline_writer(open_result(file, configuration)),
                                    limit);
}

void TimelineOption::close(Timeline* timeline) const {
  if (timeline == nullptr) return;
  timeline->close();
  if (const std::string left_out = timeline->left_out(); !left_out.empty())
    std::cerr << fmt::format(
        "kernbench: the timeline {} has {} slices; left out beyond them: {} (--timeline-limit)\n",
        quote(file), timeline->slices(), left_out);
}

}  // namespace kernbench
