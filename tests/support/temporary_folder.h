// Temporary files, removed at the end of the test.
#pragma once

#include <filesystem>
#include <string>

namespace kernbench::test {

// A new, empty folder; whatever is in it at the end is removed, write-protected or not.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (root / name).string(); }
  // Writes a file, in folders that are made as needed, and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;  // "" if there is none
  bool has(const std::string& name) const { return std::filesystem::exists(root / name); }

  const std::filesystem::path root;
};

// One file, alone in a folder; without a text it does not exist yet.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name) : path_(folder_.file(name)) {}
  TemporaryFile(const std::string& name, const std::string& text) : TemporaryFile(name) {
    folder_.write(name, text);
  }
  const std::string& path() const { return path_; }
  std::string text() const;

 private:
  TemporaryFolder folder_;
  std::string path_;
};

// The bytes of any file; "" if there is none.
std::string read_file(const std::string& path);
// A file of this source tree, such as a guide that quotes what the program says.
std::string source_text(const std::string& path);

}  // namespace kernbench::test
