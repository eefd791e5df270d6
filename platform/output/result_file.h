// A file that a run writes: opened before the simulation, so that a wrong name costs nothing, and
// written when it is over.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace kernbench {

// Something that is written to, but not kept: a terminal, a pipe, /dev/null.
bool is_stream(const std::string& path);

class ResultFile {
 public:
  // Creates the file. Throws UsageError that names it and says why it cannot be written.
  explicit ResultFile(std::string path);

  std::ostream& out() { return file_; }
  const std::string& path() const { return path_; }
  // Throws Error if not everything is in the file.
  void close();

 private:
  std::string path_;
  std::ofstream file_;
};

// A result without a companion, whole.
void write_result(const std::string& path, const std::string& text);

// Opens a result and writes its companion F.config.yaml (companion_of()); a device or a pipe has
// none.
ResultFile open_result(const std::string& path, const std::string& configuration);

// --- Conflicts: a result over another one, over an input or over the own output

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
