#include "models/data/debug_access.h"

#include <algorithm>
#include <cstring>

#include "models/base/errors.h"

namespace kernbench {
namespace {

// Bytes before the first pending value; in eager mode no value is pending.
std::uint64_t known_prefix(const FunctionalModel& data, const ByteImage& image) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : image.segments()) {
    if (segment.kind == Segment::Kind::value && !data.eager()) break;
    bytes += segment.nbytes;
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> known_bytes(FunctionalModel& data, std::uint64_t physical,
                                   std::uint64_t nbytes) {
  try {
    return data.bytes(
        data.view({{physical, nbytes}}, Shape{static_cast<std::int64_t>(nbytes)}, DType::i8));
  } catch (const PendingDataError&) {
    return {};
  }
}

unsigned debug_access(FunctionalModel* data, tlm::tlm_generic_payload& payload) {
  if (data == nullptr || payload.get_byte_enable_ptr() != nullptr || payload.get_data_length() == 0)
    return 0;
  const std::uint64_t physical = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (payload.is_write()) {
    data->memory().write_bytes(physical, payload.get_data_ptr(), length);
    return length;
  }
  if (!payload.is_read()) return 0;
  const std::uint64_t known = known_prefix(*data, data->memory().snapshot(physical, length));
  if (known == 0) return 0;
  const std::vector<std::byte> bytes = known_bytes(*data, physical, known);
  std::memcpy(payload.get_data_ptr(), bytes.data(), bytes.size());
  return static_cast<unsigned>(bytes.size());
}

}  // namespace kernbench
