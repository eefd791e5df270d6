// Lookup of configuration files: a user's file relative to the working directory, a shipped one in
// configs/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernbench {

// configs/, templates/ and waveforms/ of the source tree, or of share/kernbench of an installed
// one: below $KERNBENCH_ROOT, else the nearest above the program. Throw UsageError.
std::filesystem::path shipped_configs();
std::filesystem::path shipped_templates();
std::filesystem::path shipped_waveforms();

// `given` as it is if there is such a file, else a shipped one: "topology.tiny.yaml", or "tiny" for
// topology.tiny.yaml with `family` "topology". An empty name is the family's default. Throws
// UsageError that names what was looked for.
std::string find_config(const std::string& given, const std::string& family);

// Names that find_config() takes for shipped files of the family: "topology.yaml",
// "topology.tiny.yaml", ...
std::vector<std::string> shipped_files(const std::string& family);

}  // namespace kernbench
