#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace kernbench::test {
namespace {

std::filesystem::path new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kernbench-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  return pattern;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : root(new_folder()) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::permissions(root, std::filesystem::perms::owner_all, ignored);
  std::filesystem::remove_all(root, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = root / name;
  std::error_code ignored;  // the folder may be write-protected, and the file be there
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string TemporaryFolder::read(const std::string& name) const { return read_file(file(name)); }

std::string TemporaryFile::text() const { return read_file(path_); }

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string source_text(const std::string& path) {
  return read_file(std::string(KERNBENCH_SOURCE_DIR) + "/" + path);
}

}  // namespace kernbench::test
