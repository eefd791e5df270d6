// Any meshes, shapes and placements: products, element-wise operations, reductions and
// redistributions against the same on whole arrays.
#include <rapidcheck/boost_test.h>

#include <cmath>

#include "sw/benches/reference.h"
#include "tests/dtensor/mesh_ranks.h"

namespace kernbench::dtensor {

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(random_operators)

namespace {

// x{m, k} w{k, n} + bias{n}, then relu, a redistribution, and a sum over an axis.
struct Program {
  std::vector<int> mesh;
  std::int64_t m = 1, k = 1, n = 1;
  Placements x, w, bias, then;
  int axis = 0;
  DPPolicy policy;

  std::string str() const {
    std::string text = "mesh";
    for (const int extent : mesh) text += " " + std::to_string(extent);
    return text + ", " + Shape{m, k}.str() + " " + text_of(x) + " x " + Shape{k, n}.str() + " " +
           text_of(w) + " + " + text_of(bias) + ", " + text_of(then) + ", sum over " +
           std::to_string(axis) + ", " + policy.str();
  }
};

template <class T>
T one_of(const std::vector<T>& values) {
  return *rc::gen::elementOf(values);
}

Placements placements_of(const std::vector<int>& mesh, int axes) {
  Placements placements;
  for (std::size_t dim = 0; dim < mesh.size(); ++dim) {
    const int which = *rc::gen::inRange(0, axes + 1);
    placements.push_back(which == axes ? MeshPlacement(Replicate()) : MeshPlacement(Shard(which)));
  }
  return placements;
}

Program random_program() {
  Program p;
  p.mesh = one_of<std::vector<int>>({{2}, {3}, {4}, {2, 2}, {2, 3}, {3, 1}});
  p.m = *rc::gen::inRange(1, 9);
  p.k = *rc::gen::inRange(1, 9);
  p.n = *rc::gen::inRange(1, 9);
  p.x = placements_of(p.mesh, 2);
  p.w = placements_of(p.mesh, 2);
  p.bias = placements_of(p.mesh, 1);
  p.then = placements_of(p.mesh, 2);
  p.axis = *rc::gen::inRange(0, 2);
  p.policy = one_of<DPPolicy>({one_pe,
                               {Placement::replicate, Placement::column_wise, 1, 2},
                               {Placement::replicate, Placement::row_wise, 1, 3}});
  return p;
}

// -2 to 2.
Values inputs(std::int64_t count, std::int64_t seed) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>((i * 7 + seed) % 5 - 2));
  return values;
}

void run(Torch& torch, const DeviceMesh& mesh, const Program& p) {
  const Values x = inputs(p.m * p.k, 1), w = inputs(p.k * p.n, 2), bias = inputs(p.n, 3);
  const auto distributed = [&](const Shape& shape, const Values& values,
                               const Placements& placements, const char* name) {
    return distribute_tensor(HostArray(shape, f32, values), mesh, placements, {p.policy, name, 0});
  };
  const DTensor h =
      relu(matmul(distributed({p.m, p.k}, x, p.x, "x"), distributed({p.k, p.n}, w, p.w, "w")) +
           distributed({p.n}, bias, p.bias, "bias"));
  Values expected = reference::matmul(x, w, p.m, p.k, p.n);
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(0., expected[i] + bias[i % bias.size()]);
  const DTensor moved = h.redistribute(p.then);
  expect_distributed(torch, moved, expected);
  Values total(static_cast<std::size_t>(p.axis == 0 ? p.n : p.m), 0);
  for (std::size_t i = 0; i < expected.size(); ++i)
    total[p.axis == 0 ? i % bias.size() : i / bias.size()] += expected[i];
  expect(torch, sum(moved, {p.axis}).full_tensor(), total);
}

std::string failures_of(const Program& p) {
  return forked_value([&p] {
    TorchMachine m("topology.tiny.yaml", sips("ring_1d", ranks_of(p.mesh)));
    m.run([&](Torch& torch) {
      on_ranks(torch, {}, [&](int) { run(torch, init_device_mesh(torch, p.mesh), p); });
    });
    return m.failures();
  });
}

}  // namespace

RC_BOOST_PROP(any_placements_compute_what_whole_arrays_do, ()) {
  const Program p = random_program();
  RC_LOG() << p.str() << "\n";
  RC_ASSERT(failures_of(p) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace kernbench::dtensor
