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

// Returns `given` if there is such a file, else a shipped one: "topology.tiny.yaml", or "tiny" for
// topology.tiny.yaml with `family` "topology". An empty name selects the family's default. Throws
// UsageError that lists the names tried.
std::string find_config(const std::string& given, const std::string& family);

// Names of the family's shipped files that find_config() accepts: "topology.yaml",
// "topology.tiny.yaml", ...
std::vector<std::string> shipped_files(const std::string& family);

// Plan of a sweep: `given` if there is such a file, else the shipped configs/sweeps/GIVEN.yaml.
// UsageError names the nearest shipped plan.
std::string find_plan(const std::string& given);
std::vector<std::string> shipped_plans();  // names that find_plan() accepts: "milestone-gemm", ...

}  // namespace kernbench
