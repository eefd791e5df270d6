#include "platform/export/gzip_output.h"

#include <zlib.h>

#include <array>

#include "models/base/errors.h"

namespace kernbench {

struct GzipOutput::Deflate {
  Deflate() {
    constexpr int gzip_window_bits = 15 + 16, memory_level = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window_bits, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error("zlib cannot be used: there is no memory");
  }
  ~Deflate() { deflateEnd(&stream); }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  z_stream stream{};
};

GzipOutput::GzipOutput(ResultFile file, bool compressed)
    : file_(std::move(file)), deflate_(compressed ? std::make_unique<Deflate>() : nullptr) {}

GzipOutput::~GzipOutput() = default;

// What is flushed can be read when the program is killed: compressed blocks end there.
void GzipOutput::flush(bool last) {
  if (deflate_ == nullptr) {
    file_.out().write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    file_.out().flush();
    return buffer_.clear();
  }
  z_stream& stream = deflate_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(buffer_.data());
  stream.avail_in = static_cast<uInt>(buffer_.size());
  std::array<char, 1u << 16> out{};
  do {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
    file_.out().write(out.data(), static_cast<std::streamsize>(out.size() - stream.avail_out));
  } while (stream.avail_out == 0);
  file_.out().flush();
  buffer_.clear();
}

void GzipOutput::close() {
  flush(true);
  file_.close();
}

}  // namespace kernbench
