// Bytes of a result file, behind one buffer, compressed by gzip if asked for. Equal bytes in give
// equal bytes out: the header has no time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "platform/report/result_file.h"

namespace kernbench {

class GzipOutput {
 public:
  // Without `compressed` the bytes go to the file as they are.
  GzipOutput(ResultFile file, bool compressed);
  ~GzipOutput();
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  void put(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= buffer_bytes) flush(false);
  }
  // Throws Error if not everything is in the file.
  void close();

 private:
  static constexpr std::size_t buffer_bytes = 1u << 18;
  struct Deflate;

  void flush(bool last);

  ResultFile file_;
  std::string buffer_;
  std::unique_ptr<Deflate> deflate_;  // null: not compressed
};

}  // namespace kernbench
