#include "platform/web/server_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* prefix = "kernbench-web-";
constexpr const char* lock_name = "lock";

// Closed at the end of a block.
struct File {
  explicit File(int number) : number(number) {}
  ~File() {
    if (number >= 0) ::close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const int number;
};

bool is_ours(int file, ::mode_t type) {
  struct ::stat status {};
  return ::fstat(file, &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & S_IFMT) == type && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

// A folder without a lock is left: its server may be about to write it, or it is none of a server.
void remove_if_dead(const fs::path& path) {
  const File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.number < 0 || !is_ours(folder.number, S_IFDIR)) return;
  const File lock(
      ::openat(folder.number, lock_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (lock.number < 0 || !is_ours(lock.number, S_IFREG)) return;
  if (::flock(lock.number, LOCK_EX | LOCK_NB) != 0) return;
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

void remove_those_of_dead_servers(const fs::path& where) {
  std::error_code ignored;
  for (fs::directory_iterator each(where, ignored), end; each != end; each.increment(ignored)) {
    if (each->path().filename().string().rfind(prefix, 0) == 0) remove_if_dead(each->path());
    if (ignored) return;
  }
}

}  // namespace

ServerFolder::ServerFolder() {
  const fs::path where = fs::temp_directory_path();
  remove_those_of_dead_servers(where);
  path_ = (where / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(path_.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + path_);
  // Locked before it has its name: another server never finds it unlocked.
  const std::string lock = path_ + '/' + lock_name, unnamed = lock + ".new";
  lock_ = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) == 0) ::rename(unnamed.c_str(), lock.c_str());
}

ServerFolder::~ServerFolder() { remove(); }

void ServerFolder::remove() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
}

}  // namespace kernbench
