// Values of tensors of any rank, cut along any axis: to the device, back, to other placements, box
// by box.
#include <rapidcheck/boost_test.h>

#include <numeric>

#include "tests/runtime/random_placements.h"
#include "tests/runtime/stub_host.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placed_values_test)

namespace {

// Element by element: the shard, dense and row-major, has the values of its box.
bool holds_its_box(FunctionalModel& model, const tl::Block& block, const HostArray& all) {
  const auto bytes = model.memory().read_bytes(block.pa, block.nbytes);
  const Shape& shape = all.shape();
  for (std::int64_t local = 0; local < block.shape.elements(); ++local) {
    std::int64_t rest = local, at = 0, stride = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      at += (block.start[axis] + rest % block.shape[axis]) * stride;
      rest /= block.shape[axis];
      stride *= shape[axis];
    }
    for (std::int64_t byte = 0; byte < 4; ++byte) {
      if (std::to_integer<std::uint8_t>(bytes[static_cast<std::size_t>(local * 4 + byte)]) !=
          all.bytes()[static_cast<std::size_t>(at * 4 + byte)])
        return false;
    }
  }
  return true;
}

HostArray counted(const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  std::iota(values.begin(), values.end(), 0);
  return {shape, i32, values};
}

}  // namespace

// To the device, back, to another placement, and box by box.
RC_BOOST_PROP(values_of_any_rank_reach_their_shards_and_come_back_by_every_way, ()) {
  const int rank = *rc::gen::inRange(1, 6);
  const PlacementCase made = random_case(3, 4, rank), other = random_case(3, 4, rank);
  std::vector<std::int64_t> extents = made.shape.extents();  // enough for the parts of both
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    extents[axis] = std::max(extents[axis], other.shape[axis]);
  const Shape shape(extents);
  const auto pick = *rc::gen::inRange(0, 1000);
  const bool same = forked_value([&] {
    bool ok = true;
    StubHost host;
    run_on(host, [&](Torch& torch, Runtime&) {
      const HostArray values = counted(shape);
      const Tensor t = torch.from_host(values, made.policy(), "t");
      for (const tl::Block& block : t.info()->blocks)
        ok = ok && holds_its_box(host.functional_model, block, values);
      ok = ok && t.to_host().bytes() == values.bytes();
      Tensor moved = torch.empty(shape, i32, other.policy(), "moved");
      moved.copy_(t);  // a reshard
      for (const tl::Block& block : moved.info()->blocks)
        ok = ok && holds_its_box(host.functional_model, block, values);
      const auto& blocks = moved.info()->blocks;
      const tl::Block& block = blocks[static_cast<std::size_t>(pick) % blocks.size()];
      std::vector<AxisRange> ranges;
      for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        ranges.emplace_back(block.start[axis], block.start[axis] + block.shape[axis]);
      TensorSlice slice(moved, ranges);
      const HostArray part = slice.to_host();
      ok = ok && (part.shape() == block.shape) &&
           holds_its_box(host.functional_model, block, values);
      slice.fill_(-1);
      const std::vector<double> now = moved.to_host().values();
      ok = ok && std::count(now.begin(), now.end(), -1.0) == block.shape.elements();
    });
    return ok;
  });
  RC_ASSERT(same);
}

BOOST_AUTO_TEST_SUITE_END()
