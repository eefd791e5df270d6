// Cuts the blocks of a collective into sections, the largest unit that the scratch of a TCM holds,
// and each section into chunks, the messages. All PEs that exchange messages use the same cut: it
// depends only on the largest block, and every block has the same number of sections and chunks
// (empty if a block has fewer elements).
#pragma once

#include <algorithm>
#include <cstdint>

namespace kernbench {

struct ElementRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t elements() const { return end - begin; }
};

// Part `index` of `parts`, whose sizes differ by at most one element.
inline ElementRange part_of(const ElementRange& whole, std::int64_t index, std::int64_t parts) {
  return {whole.begin + whole.elements() * index / parts,
          whole.begin + whole.elements() * (index + 1) / parts};
}

struct MessageCut {
  std::int64_t sections = 1;
  std::int64_t chunks = 1;  // chunks of each section

  // `blocks` of at most `largest` elements of `size` bytes. A section of all of them has at most
  // `section_bytes`, a chunk at most `slot_bytes`; both hold one element at least.
  static MessageCut of(std::int64_t largest, std::int64_t blocks, std::uint64_t size,
                       std::uint64_t section_bytes, std::uint64_t slot_bytes) {
    const auto elements_in = [size](std::uint64_t bytes) {
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / size));
    };
    const auto ceil_div = [](std::int64_t a, std::int64_t b) {
      return std::max<std::int64_t>(1, (a + b - 1) / b);
    };
    MessageCut cut;
    cut.sections = ceil_div(
        largest,
        std::max<std::int64_t>(1, elements_in(section_bytes) / std::max<std::int64_t>(1, blocks)));
    cut.chunks = ceil_div(ceil_div(largest, cut.sections), elements_in(slot_bytes));
    return cut;
  }

  ElementRange section(std::int64_t elements, std::int64_t index) const {
    return part_of({0, elements}, index, sections);
  }
  ElementRange chunk(const ElementRange& section, std::int64_t index) const {
    return part_of(section, index, chunks);
  }
};

}  // namespace kernbench
