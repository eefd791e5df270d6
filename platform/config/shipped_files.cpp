#include "platform/config/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool holds_configs(const fs::path& root) { return is_file(root / "configs" / "topology.yaml"); }

// `root` of a source tree, or share/kernbench below the root of an installed one.
std::optional<fs::path> data_of(const fs::path& root) {
  for (const fs::path& data : {root, root / "share" / "kernbench"}) {
    if (holds_configs(data)) return data;
  }
  return std::nullopt;
}

fs::path shipped_data() {
  if (const char* root = std::getenv("KERNBENCH_ROOT"); root != nullptr && *root != '\0') {
    if (const auto data = data_of(root)) return *data;
    throw UsageError(
        fmt::format("KERNBENCH_ROOT is {}, which has no configs/topology.yaml", quote(root)));
  }
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (const auto data = data_of(folder)) return *data;
  }
  if (holds_configs(KERNBENCH_SOURCE_DIR)) return KERNBENCH_SOURCE_DIR;
  throw UsageError(
      "the shipped configuration is not found; set KERNBENCH_ROOT to the folder that holds "
      "configs/topology.yaml");
}

}  // namespace

fs::path shipped_configs() { return shipped_data() / "configs"; }
fs::path shipped_templates() { return shipped_data() / "templates"; }
fs::path shipped_waveforms() { return shipped_data() / "waveforms"; }

std::string find_config(const std::string& given, const std::string& family) {
  if (!given.empty() && is_file(given)) return given;
  const fs::path shipped = shipped_configs();
  if (given.empty()) return (shipped / (family + ".yaml")).string();
  if (given.find('/') == std::string::npos) {
    for (const std::string& name : {given, fmt::format("{}.{}.yaml", family, given)}) {
      if (is_file(shipped / name)) return (shipped / name).string();
    }
  }
  std::vector<std::string> names = shipped_files(family);
  if (given.find('.') == std::string::npos) {
    for (std::string& name : names)
      name = name.substr(family.size() + 1, name.rfind('.') - family.size() - 1);
  }
  throw UsageError(fmt::format("no file {} here, and none of that name in {}{}", quote(given),
                               shipped.string(), did_you_mean(given, names)));
}

std::vector<std::string> shipped_files(const std::string& family) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(shipped_configs())) {
    const std::string name = entry.path().filename();
    const std::string extension = entry.path().extension();
    if (name.compare(0, family.size() + 1, family + ".") == 0 && extension == ".yaml")
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_plan(const std::string& given) {
  if (is_file(given)) return given;
  const fs::path shipped = shipped_configs() / "sweeps" / (given + ".yaml");
  if (given.find('/') == std::string::npos && is_file(shipped)) return shipped.string();
  const std::vector<std::string> names = shipped_plans();
  throw UsageError(fmt::format("no plan {}: there is no such file, and shipped plans are {}{}",
                               quote(given), listed(names, "none"), did_you_mean(given, names)));
}

std::vector<std::string> shipped_plans() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(shipped_configs() / "sweeps", ignored))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kernbench
