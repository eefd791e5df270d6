#include "platform/export/timeline_writer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <filesystem>

#include "models/base/errors.h"
#include "models/base/quote.h"

namespace kernbench {

TimelineName timeline_name(const std::string& path) {
  std::filesystem::path name(path);
  const bool compressed = name.extension() == ".gz";
  if (compressed) name.replace_extension();
  const std::string extension = name.extension().string();
  if (extension == ".json") return {TimelineFormat::chrome, compressed};
  if (extension == ".pftrace" || extension == ".perfetto-trace")
    return {TimelineFormat::perfetto, compressed};
  if (is_stream(path)) return {TimelineFormat::chrome, false};
  throw UsageError(fmt::format(
      "the timeline {} ends in {}: .json (Chrome's trace events), or .pftrace or .perfetto-trace "
      "for Perfetto's own format, each optionally followed by .gz",
      quote(path), extension.empty() ? "nothing that names a format" : quote(extension)));
}

std::unique_ptr<TimelineWriter> timeline_writer(ResultFile file) {
  const TimelineName name = timeline_name(file.path());
  auto out = std::make_unique<GzipOutput>(std::move(file), name.compressed);
  return name.format == TimelineFormat::chrome ? chrome_timeline(std::move(out))
                                               : perfetto_timeline(std::move(out));
}

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

// Flushed bytes are readable after the program is killed: compressed blocks end there.
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
