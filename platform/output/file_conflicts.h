// Check that a command writes no result over another one, over its input or over its own output.
#pragma once

#include <string>
#include <vector>

namespace kernbench {

// A file that results must not be written to: "the input", "'topology.yaml'".
struct FileInUse {
  std::string path, what;
};

// Name of the file with the configuration next to a result.
inline std::string companion_of(const std::string& path) { return path + ".config.yaml"; }

// Throws UsageError where writing one of the results, or its companion, would overwrite another, a
// file in use, or what standard output or error are redirected to, by whatever names and links. Of
// what is written to but not kept, /dev/null takes any number of results, a pipe or a terminal one.
// Empty names are files that were not asked for.
void check_result_files(const std::vector<FileInUse>& in_use,
                        const std::vector<std::string>& results);

}  // namespace kernbench
