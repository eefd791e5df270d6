#include "platform/output/result_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

bool is_stream(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

ResultFile::ResultFile(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.open(path_, std::ios::binary);
  if (!file_)
    throw UsageError(fmt::format("cannot write {}: {}", quote(path_), std::strerror(errno)));
}

void ResultFile::close() {
  errno = 0;
  file_.close();
  if (!file_)
    throw Error(fmt::format("{} is not complete: {}", quote(path_),
                            std::strerror(errno == 0 ? EIO : errno)));
}

WholeFile::WholeFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".tmp") {
  errno = 0;
  file_.open(temporary_, std::ios::binary);
  if (!file_) error_ = errno;
}

WholeFile::~WholeFile() {
  file_.close();
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void WholeFile::commit(const std::string& consequence) {
  errno = 0;
  file_.close();
  if (!file_ || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno != 0 ? errno : error_ != 0 ? error_ : EIO;
    throw Error(
        fmt::format("cannot write {}: {}{}", quote(path_), std::strerror(error), consequence));
  }
  temporary_.clear();
}

void write_whole_file(const std::string& path, const std::string& text) {
  WholeFile file(path);
  file.out() << text;
  file.commit();
}

void write_result(const std::string& path, const std::string& text) {
  ResultFile file(path);
  file.out() << text;
  file.close();
}

ResultFile open_result(const std::string& path, const std::string& configuration) {
  ResultFile file(path);
  if (!is_stream(path)) write_result(companion_of(path), configuration);
  return file;
}

namespace {

namespace fs = std::filesystem;

// Identity of the file that a path names: the same for hard links, symbolic links and all
// spellings, and known before the file exists.
struct FileIdentity {
  ::dev_t device = 0;
  ::ino_t inode = 0;
  std::string name;  // name of a missing file, in the folder of device and inode; else empty

  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.inode == b.inode && a.name == b.name;
  }
};

// Maximum number of links, as in the kernel (path_resolution(7)).
constexpr int most_links = 40;

// Target of links, even if it does not exist.
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

// Follows links, also dangling ones: returns the file that opening the path for writing would
// create. A path in a missing folder is identified by its own name.
FileIdentity identity_of(const std::string& path) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) == 0) return {status.st_dev, status.st_ino, ""};
  const fs::path made = behind_links(path);
  if (::stat(folder_of(made).c_str(), &status) == 0)
    return {status.st_dev, status.st_ino, made.filename().string()};
  return {0, 0, made.lexically_normal().string()};
}

// Identity of the regular file behind a descriptor; none for pipes, terminals and devices.
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

struct NamedFile {
  FileIdentity identity;
  std::string what;  // name in messages
};

// Files in use or claimed by a result, closed to further results.
class TakenFiles {
 public:
  void in_use(const FileInUse& file) {
    taken_.push_back({identity_of(file.path), file.what + ' ' + quote(file.path)});
  }
  // Adds the target of this program's own redirected output.
  void redirected(int descriptor, const std::string& what) {
    if (const auto identity = identity_of_kept(descriptor)) taken_.push_back({*identity, what});
  }
  void result(const std::string& path) {
    if (path.empty() || is_null_device(path)) return;
    take(path, "the result " + quote(path));
    if (!is_stream(path))
      take(companion_of(path), fmt::format("{}, the configuration next to {},",
                                           quote(companion_of(path)), quote(path)));
  }

 private:
  void take(const std::string& path, const std::string& what) {
    const FileIdentity identity = identity_of(path);
    const auto same = std::find_if(taken_.begin(), taken_.end(), [&](const NamedFile& file) {
      return file.identity == identity;
    });
    if (same != taken_.end())
      throw UsageError(fmt::format("{} would overwrite {}", what, same->what));
    taken_.push_back({identity, what});
  }

  std::vector<NamedFile> taken_;
};

}  // namespace

void check_result_files(const std::vector<FileInUse>& in_use,
                        const std::vector<std::string>& results) {
  TakenFiles taken;
  for (const FileInUse& file : in_use) taken.in_use(file);
  taken.redirected(STDOUT_FILENO, "the standard output of this command");
  taken.redirected(STDERR_FILENO, "the standard error of this command");
  for (const std::string& result : results) taken.result(result);
}

}  // namespace kernbench
