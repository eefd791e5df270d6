#include "sc_main/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/resolved_config.h"
#include "sc_main/build_info.h"

namespace kernbench {

std::string configuration_text(const Invocation& invocation,
                               const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved) {
  std::string text = fmt::format("# {}\n", version_text());
  for (std::size_t at = 0; (at = text.find('\n', at)) + 1 < text.size();) text.insert(++at, "# ");
  text += fmt::format("# command    {}\n", invocation.line());
  for (const auto& [name, value] : facts)
    text += fmt::format("# {}{}{}\n", name,
                        std::string(11 - std::min<std::size_t>(10, name.size()), ' '), value);
  return text + resolved;
}

std::string configuration_text(const Invocation& invocation,
                               std::vector<std::pair<std::string, std::string>> facts,
                               const MachineSpec& machine, const Catalogue& catalogue) {
  if (!catalogue.plugins().empty()) facts.emplace_back("plug-ins", catalogue.plugins_text());
  return configuration_text(invocation, facts, resolved_config(machine, catalogue.components));
}

void create_folder(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    throw UsageError(
        fmt::format("--out: cannot create the folder {}: {}", quote(folder), error.message()));
}

}  // namespace kernbench
