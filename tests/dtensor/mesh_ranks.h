// Ranks of a mesh on machines of small SIPs, and a sequential reference of distributed tensors: the
// whole array, and the part of it that placements give a rank.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/dtensor/operators.h"
#include "tests/distributed/ranks.h"

namespace kernbench::test {

using dtensor::DeviceMesh;
using dtensor::DTensor;
using dtensor::Placements;
using Counts = std::map<std::string, int>;

inline int ranks_of(const std::vector<int>& mesh) {
  int count = 1;
  for (const int extent : mesh) count *= extent;
  return count;
}

// What the ranks of a mesh do, with values that agree.
inline void on_mesh(const std::vector<int>& shape,
                    const std::function<void(Torch&, const DeviceMesh&)>& body,
                    const std::vector<std::string>& names = {}) {
  on_a_ring(ranks_of(shape), [&](Torch& torch, int /*rank*/) {
    body(torch, dtensor::init_device_mesh(torch, shape, names));
  });
}

inline std::size_t size_in(const Shape& shape) {
  return static_cast<std::size_t>(shape.elements());
}

// Index of an element, row-major.
inline std::vector<std::int64_t> index_of(const Shape& shape, std::int64_t element) {
  std::vector<std::int64_t> index(shape.rank());
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

// Elements [start, start + extents) of an array.
inline Values box_of(const Shape& shape, const Values& values,
                     const std::vector<std::int64_t>& start, const Shape& extents) {
  Values box;
  for (std::int64_t element = 0; element < extents.elements(); ++element) {
    const std::vector<std::int64_t> index = index_of(extents, element);
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      at = at * shape[axis] + start[axis] + index[axis];
    box.push_back(values[static_cast<std::size_t>(at)]);
  }
  return box;
}

// What torch.chunk, applied for each Shard from the left to the right, leaves to a rank.
inline std::pair<Shape, Values> part_of_rank(const Shape& shape, const Values& values,
                                             const Placements& placements,
                                             const std::vector<int>& mesh,
                                             const std::vector<int>& coordinate) {
  std::vector<std::int64_t> start(shape.rank(), 0), extents = shape.extents();
  for (std::size_t dim = 0; dim < mesh.size(); ++dim) {
    if (!placements[dim].is_shard()) continue;
    const auto axis = static_cast<std::size_t>(placements[dim].axis());
    const std::int64_t each = (extents[axis] + mesh[dim] - 1) / mesh[dim],
                       begin = std::min(each * coordinate[dim], extents[axis]);
    start[axis] += begin;
    extents[axis] = std::min(each, extents[axis] - begin);
  }
  const Shape part(extents);
  return {part, box_of(shape, values, start, part)};
}

// The local tensor is the rank's part of the values, if none of the placements is Partial.
inline void expect_distributed(Torch& torch, const DTensor& tensor, const Values& values,
                               const Accuracy& accuracy = {}) {
  const DeviceMesh& mesh = tensor.device_mesh();
  const auto [shape, part] = part_of_rank(tensor.shape(), values, tensor.placements(), mesh.shape(),
                                          *mesh.get_coordinate());
  BOOST_TEST((tensor.to_local().shape() == shape),
             tensor.str() << ": local " << tensor.to_local().shape().str());
  torch.verify(
      tensor.to_local(), [part = part] { return part; }, accuracy);
}

// 1, 2, 3, ...
inline Values counted(const Shape& shape, double first = 1) {
  Values values(size_in(shape));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<double>(i);
  return values;
}

inline std::string text_of_counts(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += name + " " + std::to_string(count) + "; ";
  return text;
}

}  // namespace kernbench::test
