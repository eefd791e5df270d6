// Output file of a run: opened before the simulation, so that a wrong name fails early, and written
// after it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace kernbench {

// True for outputs that are not stored: a terminal, a pipe, /dev/null.
bool is_stream(const std::string& path);

class ResultFile {
 public:
  // Creates the file. Throws UsageError that names it and the reason if it cannot be written.
  explicit ResultFile(std::string path);

  std::ostream& out() { return file_; }
  const std::string& path() const { return path_; }
  // Throws Error if the file is incomplete.
  void close();

 private:
  std::string path_;
  std::ofstream file_;
};

// File that appears completely or not at all: an earlier one of its name is kept until commit().
class WholeFile {
 public:
  explicit WholeFile(std::string path);
  ~WholeFile();  // without commit() nothing is left
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  std::ostream& out() { return file_; }
  // Throws Error that names the file and the reason, and ends with `consequence`.
  void commit(const std::string& consequence = "");

 private:
  std::string path_, temporary_;
  int error_ = 0;  // errno of a file that could not be opened
  std::ofstream file_;
};
void write_whole_file(const std::string& path, const std::string& text);

// Writes a complete result without a companion.
void write_result(const std::string& path, const std::string& text);

// Opens a result and writes its companion F.config.yaml (companion_of()); a device or a pipe has
// none.
ResultFile open_result(const std::string& path, const std::string& configuration);

// --- Conflicts: a result over another result, over an input or over the program's own output

// File that results must not overwrite: "the input", "'topology.yaml'".
struct FileInUse {
  std::string path, what;
};

// Name of the file with the configuration next to a result.
inline std::string companion_of(const std::string& path) { return path + ".config.yaml"; }

// Throws UsageError if writing one of the results, or its companion, would overwrite another, a
// file in use, or the target of redirected standard output or error, by any names and links. Among
// outputs that are not stored, /dev/null accepts any number of results, a pipe or a terminal one.
// Empty names are files that were not requested.
void check_result_files(const std::vector<FileInUse>& in_use,
                        const std::vector<std::string>& results);

}  // namespace kernbench
