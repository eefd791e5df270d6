#include "platform/assembly/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace kernbench {

Pipe::Pipe() {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
}

void write_all(int to, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ::ssize_t n = ::write(to, bytes.data() + sent, bytes.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace kernbench
