#include "models/rtl/written_bytes.h"

namespace kernbench {

void WrittenBytes::set(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, ++offset) {
    std::unique_ptr<Page>& page = pages_[offset / page_bytes];
    if (page == nullptr) page = std::make_unique<Page>();
    page->bytes[offset % page_bytes] = bytes[i];
    page->known.set(offset % page_bytes);
  }
}

void WrittenBytes::forget(std::uint64_t offset, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i, ++offset) {
    const auto page = pages_.find(offset / page_bytes);
    if (page != pages_.end()) page->second->known.reset(offset % page_bytes);
  }
}

std::optional<unsigned char> WrittenBytes::at(std::uint64_t offset) const {
  const auto page = pages_.find(offset / page_bytes);
  if (page == pages_.end() || !page->second->known[offset % page_bytes]) return std::nullopt;
  return page->second->bytes[offset % page_bytes];
}

}  // namespace kernbench
