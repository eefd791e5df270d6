// Result file of a sweep as the viewer shows it: the table of results and the figures of its page.
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace kernbench {

class ServedSweep {
 public:
  using Json = nlohmann::ordered_json;

  // Throws UsageError that names the file: no result file of a sweep.
  explicit ServedSweep(std::string path);

  const std::string& path() const { return path_; }
  const std::string& title() const { return title_; }
  // {"title", "text", "tables": [{"name", "columns", "rows", "left_out"}], "figures": [{"title",
  // "caption", "svg", "fault"}]}. The file is read by each call: the sweep may be in progress.
  Json json();

 private:
  std::string path_, title_;
  std::mutex mutex_;
};

// True if a SQLite database calls itself a result file of a sweep.
bool is_sweep_file(const std::string& path);

}  // namespace kernbench
