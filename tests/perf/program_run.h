// The program itself as what is measured, in a process of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kernbench::perf {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more);

struct ProgramUse {
  double seconds = 0;             // processor time
  double resident_mebibytes = 0;  // at most
};

// Of `kernbench WORDS...`, whose output is dropped. Throws if it fails.
ProgramUse program_use(Words words);
inline double program_seconds(Words words) { return program_use(std::move(words)).seconds; }

// Of a run that ends at once: up to the elaboration.
inline double setup_seconds(const Words& words) {
  return program_seconds(words + Words{"--until", "1"});
}

// A folder of this process's own for what the program writes; removed at the end.
class MeasurementFolder {
 public:
  MeasurementFolder();
  ~MeasurementFolder();
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace kernbench::perf
