// The tree is formatted as .clang-format says, by the version that Debian 12 has; later ones differ
// in details.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(format_test)

namespace {

const fs::path source_dir = KERNBENCH_SOURCE_DIR;

// Of /bin/sh, both streams.
std::string output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  pclose(pipe);
  return text;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const char* top : {"models", "platform", "sw", "sc_main", "tests", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_dir / top)) {
      const fs::path extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp") found.push_back(entry.path());
    }
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(sources_are_formatted_by_clang_format_14) {
  const std::string version = output_of("clang-format --version");
  if (version.find("version 14.") == std::string::npos) {
    BOOST_TEST_MESSAGE("not checked: clang-format 14 is wanted, found " + version);
    return;
  }
  // In a list: a command line has a limit, which depends on the length of the tree's path.
  std::string files;
  for (const fs::path& file : sources()) files += file.string() + '\0';
  const kernbench::test::TemporaryFile list("files.txt", files);
  const std::string faults =
      output_of("xargs -0 -a '" + list.path() + "' clang-format --dry-run -Werror");
  BOOST_TEST(faults == "", faults << "repair with: clang-format -i FILE ...");
}

// clang-format leaves tables in comments as they are.
BOOST_AUTO_TEST_CASE(comments_have_100_columns) {
  for (const fs::path& path : sources()) {
    std::ifstream file(path);
    int number = 1;
    for (std::string line; std::getline(file, line); ++number) {
      const std::size_t text = line.find_first_not_of(' ');
      const bool comment = text != std::string::npos && line.compare(text, 2, "//") == 0;
      BOOST_TEST((!comment || line.size() <= 100),
                 path.string() << ":" << number << ": " << line.size() << " columns");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
