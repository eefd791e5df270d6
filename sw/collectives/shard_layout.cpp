#include "sw/collectives/shard_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kernbench {
namespace {

std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += fmt::format(" {}", number);
  return text;
}

// Compares the first member with the first other member in the same group as defined by the
// predicate.
template <class Adjacent>
Holding holding_of(const std::vector<ShardLayout::Member>& members, Adjacent adjacent) {
  for (const ShardLayout::Member& other : members) {
    if (!adjacent(members.front(), other)) continue;
    if (other.part != members.front().part) return Holding::parts;
    return other.summand == members.front().summand ? Holding::copies : Holding::partial_sums;
  }
  return Holding::parts;
}

std::string holding_text(Holding holding, const char* over) {
  if (holding == Holding::parts) return "";
  return fmt::format(", {} over {}", holding == Holding::copies ? "copies" : "partial sums", over);
}

}  // namespace

ShardLayout ShardLayout::of(const tl::TensorInfo& tensor) {
  ShardLayout layout;
  for (const tl::Block& block : tensor.blocks)
    layout.members.push_back(
        {block.where.cube, block.where.pe, block.shape.elements(), block.offset, block.summand});
  return layout;
}

std::vector<int> ShardLayout::cubes() const {
  std::set<int> cubes;
  for (const Member& member : members) cubes.insert(member.cube);
  return {cubes.begin(), cubes.end()};
}

std::vector<int> ShardLayout::lanes() const {
  std::vector<int> lanes;
  for (const Member& member : members) {
    if (member.cube == members.front().cube) lanes.push_back(member.pe);
  }
  return lanes;
}

bool ShardLayout::same_lanes() const {
  const std::vector<int> expected = lanes();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].pe != expected[i % expected.size()]) return false;
  }
  return members.size() == expected.size() * cubes().size();
}

bool ShardLayout::equal_shards() const {
  return std::all_of(members.begin(), members.end(), [this](const Member& member) {
    return member.elements == members.front().elements;
  });
}

Holding ShardLayout::over_cubes() const {
  return holding_of(members, [](const Member& first, const Member& other) {
    return other.pe == first.pe && other.cube != first.cube;
  });
}

Holding ShardLayout::over_pes() const {
  return holding_of(members, [](const Member& first, const Member& other) {
    return other.cube == first.cube && other.pe != first.pe;
  });
}

bool ShardLayout::partial() const {
  return over_cubes() == Holding::partial_sums || over_pes() == Holding::partial_sums;
}

std::optional<graphs::CubeRectangle> ShardLayout::rectangle(int cube_mesh_w) const {
  const std::vector<int> all = cubes();
  if (all.empty()) return std::nullopt;
  const auto x = [&](int cube) { return cube % cube_mesh_w; };
  const auto left_of = [&](int a, int b) { return x(a) < x(b); };
  const auto [left, right] = std::minmax_element(all.begin(), all.end(), left_of);
  graphs::CubeRectangle around{x(*left), all.front() / cube_mesh_w, x(*right) - x(*left) + 1,
                               all.back() / cube_mesh_w - all.front() / cube_mesh_w + 1};
  if (static_cast<std::size_t>(around.w) * static_cast<std::size_t>(around.h) != all.size())
    return std::nullopt;
  return around;
}

std::string ShardLayout::str() const {
  if (members.empty()) return "no shards";
  std::string text = std::to_string(members.size()) + (members.size() == 1 ? " shard" : " shards");
  text += equal_shards() ? fmt::format(" of {} elements", members.front().elements)
                         : " of different sizes";
  if (!same_lanes()) return fmt::format("{} on different PEs of cubes{}", text, listed(cubes()));
  return fmt::format("{} on pe{} of cube{}{}{}{}", text, listed(lanes()),
                     cubes().size() == 1 ? "" : "s", listed(cubes()),
                     holding_text(over_cubes(), "cubes"), holding_text(over_pes(), "PEs"));
}

}  // namespace kernbench
