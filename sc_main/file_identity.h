// Identity of the file that a path names: the same for hard links, symbolic links and all
// spellings, and known before the file exists.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace kernbench {

struct FileIdentity {
  ::dev_t device = 0;
  ::ino_t inode = 0;
  std::string
      name;  // of a file that is not there, in the folder that device and inode are of; else empty

  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.inode == b.inode && a.name == b.name;
  }
};

// Follows links, also those to nothing: what opening the path for writing would create. A path in a
// folder that is not there has itself as its name.
FileIdentity identity_of(const std::string& path);
// Of a regular file that a descriptor is open on; none for pipes, terminals and devices.
std::optional<FileIdentity> identity_of_kept(int descriptor);

bool is_null_device(const std::string& path);

}  // namespace kernbench
