#include "models/protocol/memory_map.h"

#include <algorithm>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"

namespace kernbench {

MemoryMap::MemoryMap(std::vector<MemoryRange> ranges, std::optional<AddressMap> layout)
    : ranges_(std::move(ranges)), layout_(layout) {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const MemoryRange& a, const MemoryRange& b) { return a.base < b.base; });
  for (const MemoryRange& range : ranges_) {
    if (!bases_.empty() && range.base - bases_.back() < ranges_[bases_.size() - 1].nbytes)
      throw ModelError("two memories at address " + format_address(range.base));
    bases_.push_back(range.base);
  }
  build_directory();
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (by_node_.size() <= ranges_[i].node)
      by_node_.resize(ranges_[i].node + std::size_t{1}, static_cast<std::uint32_t>(ranges_.size()));
    by_node_[ranges_[i].node] = static_cast<std::uint32_t>(i);
  }
}

std::optional<MemoryRange> MemoryMap::range_of(NodeId node) const {
  if (node >= by_node_.size() || by_node_[node] == ranges_.size()) return std::nullopt;
  return ranges_[by_node_[node]];
}

void MemoryMap::build_directory() {
  for (std::uint64_t die = 0; die < dies; ++die) {
    const auto behind = std::upper_bound(bases_.begin(), bases_.end(), die << die_shift);
    directory_.push_back(
        behind == bases_.begin() ? 0 : static_cast<std::uint32_t>(behind - bases_.begin() - 1));
  }
  directory_.push_back(static_cast<std::uint32_t>(bases_.size()));
}

MemoryTarget MemoryMap::place_of(std::uint64_t physical_address) const {
  if (ranges_.empty()) refuse(physical_address);
  const std::uint64_t die = std::min(physical_address >> die_shift, dies - 1);
  std::size_t found = directory_[die];
  // Up to and including the one that the next die begins with. Without branches: the place of an
  // address is hard to predict.
  std::size_t left = std::min<std::size_t>(directory_[die + 1] + 1, bases_.size()) - found;
  while (left > 1) {
    const std::size_t half = left / 2;
    found = bases_[found + half] <= physical_address ? found + half : found;
    left -= half;
  }
  const MemoryRange& range = ranges_[found];
  if (physical_address < range.base || physical_address - range.base >= range.nbytes)
    refuse(physical_address);
  return {range.node, physical_address - range.base};
}

void MemoryMap::refuse(std::uint64_t physical_address) const {
  if (layout_) layout_->check_capacity(PhysAddr::decode(physical_address), 1);
  throw RoutingError("no node serves address " + format_address(physical_address));
}

}  // namespace kernbench
