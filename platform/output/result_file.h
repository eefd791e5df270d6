// A file that a run writes: opened before the simulation, so that a wrong name costs nothing, and
// written when it is over.
#pragma once

#include <fstream>
#include <string>

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

}  // namespace kernbench
