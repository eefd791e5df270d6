#include "tests/support/timeline/timeline_reader.h"

#include <zlib.h>

#include <array>

#include "tests/support/timeline/timeline_builder.h"

namespace kernbench::test {

std::vector<const ReadSlice*> ReadTimeline::of_category(const std::string& category) const {
  std::vector<const ReadSlice*> found;
  for (const ReadSlice& slice : slices)
    if (slice.category == category) found.push_back(&slice);
  return found;
}

std::uint64_t ReadTimeline::busy(const std::string& track) const {
  std::uint64_t sum = 0;
  for (const ReadSlice& slice : slices) {
    if (slice.track == track || slice.track.compare(0, track.size() + 2, track + " (") == 0)
      sum += slice.number("dur_fs");
  }
  return sum;
}

std::vector<const ReadSlice*> ReadTimeline::behind(const ReadSlice& slice) const {
  std::vector<const ReadSlice*> found;
  for (const auto& [id, points] : flows) {
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
      if (&slices[points[i]] == &slice) found.push_back(&slices[points[i + 1]]);
  }
  return found;
}

std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  require(inflateInit2(&stream, 15 + 16) == Z_OK, "zlib", "");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 65536> out{};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = out.size();
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(out.data(), out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  require(state == Z_STREAM_END, "not compressed by gzip", std::to_string(state));
  return text;
}

ReadTimeline read_timeline(const std::string& name, const std::string& bytes) {
  const auto ends = [](const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  if (ends(name, ".gz")) return read_timeline(name.substr(0, name.size() - 3), gunzip(bytes));
  return ends(name, ".json") ? read_chrome_timeline(bytes) : read_perfetto_timeline(bytes);
}

}  // namespace kernbench::test
