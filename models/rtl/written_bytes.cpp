#include "models/rtl/written_bytes.h"

#include <algorithm>
#include <cstring>

namespace kernbench {
namespace {

// The pieces of a range that lie in one page each: action(page, first byte in it, bytes done,
// bytes).
template <class Action>
void by_page(std::uint64_t offset, std::uint64_t count, std::uint64_t page_bytes, Action action) {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t at = offset + done, first = at % page_bytes;
    const std::uint64_t piece = std::min(count - done, page_bytes - first);
    action(at / page_bytes, first, done, piece);
    done += piece;
  }
}

}  // namespace

void WrittenBytes::set(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count) {
  by_page(offset, count, page_bytes, [&](auto number, auto first, auto done, auto piece) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    std::memcpy(&page->bytes[first], bytes + done, piece);
    std::fill_n(&page->known[first], piece, true);
  });
}

void WrittenBytes::forget(std::uint64_t offset, std::uint64_t count) {
  by_page(offset, count, page_bytes, [&](auto number, auto first, auto /*done*/, auto piece) {
    const auto page = pages_.find(number);
    if (page != pages_.end()) std::fill_n(&page->second->known[first], piece, false);
  });
}

std::optional<unsigned char> WrittenBytes::at(std::uint64_t offset) const {
  const auto page = pages_.find(offset / page_bytes);
  if (page == pages_.end() || !page->second->known[offset % page_bytes]) return std::nullopt;
  return page->second->bytes[offset % page_bytes];
}

WrittenBytes::Comparison WrittenBytes::compare(std::uint64_t offset, const unsigned char* bytes,
                                               std::uint64_t count) const {
  Comparison comparison;
  by_page(offset, count, page_bytes, [&](auto number, auto first, auto done, auto piece) {
    const auto page = pages_.find(number);
    if (page == pages_.end()) return;
    for (std::uint64_t i = 0; i < piece && !comparison.difference; ++i) {
      if (!page->second->known[first + i]) continue;
      if (page->second->bytes[first + i] == bytes[done + i]) {
        ++comparison.equal;
      } else {
        comparison.difference = offset + done + i;
      }
    }
  });
  return comparison;
}

}  // namespace kernbench
