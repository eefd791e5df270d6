#include "sc_main/file_identity.h"

#include <sys/stat.h>

#include <filesystem>

namespace kernbench {
namespace {

namespace fs = std::filesystem;

// As many links as the kernel follows (path_resolution(7)).
constexpr int most_links = 40;

// Behind links that lead to nothing.
fs::path behind_links(fs::path path) {
  std::error_code error;
  for (int links = 0; links < most_links && fs::is_symlink(fs::symlink_status(path, error));
       ++links)
    path = path.parent_path() / fs::read_symlink(path, error);  // an absolute target replaces all
  return path;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

FileIdentity identity_of(const std::string& path) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) == 0) return {status.st_dev, status.st_ino, ""};
  const fs::path made = behind_links(path);
  if (::stat(folder_of(made).c_str(), &status) == 0)
    return {status.st_dev, status.st_ino, made.filename().string()};
  return {0, 0, made.lexically_normal().string()};
}

std::optional<FileIdentity> identity_of_kept(int descriptor) {
  struct ::stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, ""};
}

bool is_null_device(const std::string& path) {
  struct ::stat null {
  }, status{};
  return ::stat("/dev/null", &null) == 0 && ::stat(path.c_str(), &status) == 0 &&
         S_ISCHR(status.st_mode) && status.st_rdev == null.st_rdev;
}

}  // namespace kernbench
