// A file of this source tree, such as a guide that quotes what the program says.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace kernbench::test {

inline std::string source_text(const std::string& path) {
  std::ifstream file(std::string(KERNBENCH_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace kernbench::test
