#include "sw/dtensor/device_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "models/base/errors.h"

namespace kernbench::dtensor {
namespace {

using Ints = std::vector<int>;
using Names = std::vector<std::string>;

int product(const Ints& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
}

std::string text_of(const Ints& numbers) { return fmt::format("({})", fmt::join(numbers, ", ")); }

// Position of a rank of the mesh, by its number in row-major order.
Ints coordinate_of(int index, const Ints& shape) {
  Ints coordinate(shape.size());
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    coordinate[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return coordinate;
}

void check_shape(const Ints& shape, const Names& names) {
  if (shape.empty())
    throw UsageError("device mesh without dimensions: one extent at least is expected");
  for (const int extent : shape) {
    if (extent < 1)
      throw UsageError(
          fmt::format("device mesh {}: extents of at least 1 are expected", text_of(shape)));
  }
  if (names.empty()) return;
  if (names.size() != shape.size())
    throw UsageError(fmt::format("device mesh {}: {} names; one for each of {} dimensions, or none",
                                 text_of(shape), names.size(), shape.size()));
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    throw UsageError(fmt::format("device mesh {}: names {} repeat; each dimension has its own",
                                 text_of(shape), fmt::join(names, ", ")));
}

void check_ranks(const Ints& ranks, const Ints& shape, int world) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= world)
      throw UsageError(
          fmt::format("device mesh: rank {}, but there are ranks 0 to {}", ranks[i], world - 1));
    if (i > 0 && ranks[i] <= ranks[i - 1])
      throw UsageError(
          fmt::format("device mesh: ranks {} are not in ascending order, which is "
                      "that of groups",
                      text_of(ranks)));
  }
  if (product(shape) != static_cast<int>(ranks.size()))
    throw UsageError(fmt::format("device mesh {} has {} ranks; ranks {} are {}", text_of(shape),
                                 product(shape), text_of(ranks), ranks.size()));
}

// Ranks that differ from that of `coordinate` in the marked dimensions only, in row-major order.
Ints ranks_along(const Ints& ranks, const Ints& shape, const Ints& coordinate,
                 const std::vector<bool>& along) {
  Ints found;
  for (int index = 0; index < static_cast<int>(ranks.size()); ++index) {
    const Ints other = coordinate_of(index, shape);
    bool in_row = true;
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      in_row = in_row && (along[dim] || other[dim] == coordinate[dim]);
    if (in_row) found.push_back(ranks[static_cast<std::size_t>(index)]);
  }
  return found;
}

// The calling rank's group along a dimension. Every rank creates the groups of all rows.
Group group_along(Distributed& dist, const Ints& ranks, const Ints& shape, std::size_t dim,
                  const std::optional<Ints>& coordinate) {
  if (shape[dim] == dist.get_world_size()) return {};
  std::vector<bool> along(shape.size(), false);
  along[dim] = true;
  Group mine;
  for (int index = 0; index < static_cast<int>(ranks.size()); ++index) {
    const Ints at = coordinate_of(index, shape);
    if (at[dim] != 0) continue;
    const Group group = dist.new_group(ranks_along(ranks, shape, at, along));
    if (!coordinate) continue;
    Ints first = *coordinate;
    first[dim] = 0;
    if (first == at) mine = group;
  }
  return mine;
}

}  // namespace

DeviceMesh device_mesh(Torch& torch, const Ints& ranks, const Ints& shape, const Names& names) {
  check_shape(shape, names);
  Distributed& dist = torch.distributed;
  check_ranks(ranks, shape, dist.get_world_size());
  auto state = std::make_shared<DeviceMesh::State>();
  state->torch = &torch;
  state->shape = shape;
  state->names = names;
  state->ranks = ranks;
  state->observers = std::make_shared<CommObservers>();
  const auto found = std::find(ranks.begin(), ranks.end(), dist.get_rank());
  if (found != ranks.end())
    state->coordinate = coordinate_of(static_cast<int>(found - ranks.begin()), shape);
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    state->groups.push_back(group_along(dist, ranks, shape, dim, state->coordinate));
  return DeviceMesh(std::move(state));
}

DeviceMesh init_device_mesh(Torch& torch, const Ints& shape, const Names& names) {
  check_shape(shape, names);
  Ints ranks(static_cast<std::size_t>(torch.distributed.get_world_size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (product(shape) != static_cast<int>(ranks.size()))
    throw UsageError(fmt::format(
        "init_device_mesh {}: {} ranks, but the world has {}; device_mesh() arranges some of them",
        text_of(shape), product(shape), ranks.size()));
  return device_mesh(torch, ranks, shape, names);
}

int DeviceMesh::size() const { return product(state_->shape); }

std::size_t DeviceMesh::index_of(const std::string& call, const MeshDim& dim) const {
  if (dim.is_named()) {
    const auto found = std::find(state_->names.begin(), state_->names.end(), dim.name());
    if (found != state_->names.end())
      return static_cast<std::size_t>(found - state_->names.begin());
    throw UsageError(fmt::format("{}: {} has no dimension '{}'", call, str(), dim.name()));
  }
  const int number = dim.number() < 0 ? dim.number() + ndim() : dim.number();
  if (number >= 0 && number < ndim()) return static_cast<std::size_t>(number);
  throw UsageError(fmt::format("{}: dimension {} of {}; allowed: {} to {}", call, dim.number(),
                               str(), -ndim(), ndim() - 1));
}

std::size_t DeviceMesh::the_dim(const std::string& call, const std::optional<MeshDim>& dim) const {
  if (dim) return index_of(call, *dim);
  if (ndim() == 1) return 0;
  throw UsageError(
      fmt::format("{}: {} has {} dimensions; one of them is expected", call, str(), ndim()));
}

const Ints& DeviceMesh::coordinate(const std::string& call) const {
  if (state_->coordinate) return *state_->coordinate;
  throw UsageError(
      fmt::format("{}: rank {} is not in {}", call, torch().distributed.get_rank(), str()));
}

Group DeviceMesh::get_group(const std::optional<MeshDim>& dim) const {
  coordinate("get_group");
  return state_->groups[the_dim("get_group", dim)];
}

int DeviceMesh::get_local_rank(const std::optional<MeshDim>& dim) const {
  const Ints& mine = coordinate("get_local_rank");
  return mine[the_dim("get_local_rank", dim)];
}

DeviceMesh DeviceMesh::submesh(const Names& names) const {
  if (names.empty()) throw UsageError("submesh: a name of a dimension at least is expected");
  const Ints& mine = coordinate("submesh");
  auto state = std::make_shared<State>();
  std::vector<bool> along(state_->shape.size(), false);
  Ints coordinate;
  for (const std::string& name : names) {
    const std::size_t dim = index_of("submesh", name);
    if (std::find(along.begin() + static_cast<std::ptrdiff_t>(dim), along.end(), true) !=
        along.end())
      throw UsageError(fmt::format("submesh: names {} are not in the order of {}",
                                   fmt::join(names, ", "), str()));
    along[dim] = true;
    state->shape.push_back(state_->shape[dim]);
    state->groups.push_back(state_->groups[dim]);
    coordinate.push_back(mine[dim]);
  }
  state->torch = state_->torch;
  state->names = names;
  state->ranks = ranks_along(state_->ranks, state_->shape, mine, along);
  state->coordinate = coordinate;
  state->observers = state_->observers;
  return DeviceMesh(std::move(state));
}

std::string DeviceMesh::str() const {
  std::string dims;
  for (std::size_t dim = 0; dim < state_->shape.size(); ++dim) {
    if (dim > 0) dims += ", ";
    if (!state_->names.empty()) dims += state_->names[dim] + "=";
    dims += std::to_string(state_->shape[dim]);
  }
  return fmt::format("DeviceMesh({}; ranks {})", dims, fmt::join(state_->ranks, ", "));
}

bool operator==(const DeviceMesh& a, const DeviceMesh& b) {
  return a.state_ == b.state_ ||
         (a.state_->shape == b.state_->shape && a.state_->ranks == b.state_->ranks &&
          a.state_->names == b.state_->names);
}

}  // namespace kernbench::dtensor
