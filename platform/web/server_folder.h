// ServerFolder: private folder of a server for temporary files, removed at its end. A server that
// is killed leaves it: the next one removes it. The file `lock` in it is locked (flock) by a server
// that lives.
#pragma once

#include <string>

namespace kernbench {

class ServerFolder {
 public:
  // In the folder for temporary files (TMPDIR). Throws std::system_error.
  ServerFolder();
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;

  const std::string& path() const { return path_; }
  void remove();

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace kernbench
