// Blocks with strides, bounds, masks and indices: their values against a reference that computes
// every element's address, their commands, and what is refused.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "models/base/errors.h"
#include "sw/tl/program.h"
#include "tests/support/error_text.h"
#include "tests/tl/fake_pe.h"

using namespace kernbench;
using kernbench::test::contains;
using kernbench::test::FakePe;

BOOST_AUTO_TEST_SUITE(block_access)

namespace {

constexpr std::uint64_t base_address = 0x10000;

std::int64_t between(std::int64_t low, std::int64_t high) {
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}

// A tensor of i32 whose element i holds i + 1.
struct Memory {
  explicit Memory(std::int64_t elements)
      : tensor(tl::TensorInfo::whole("x", base_address, Shape{elements}, DType::i32)) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(elements));
    std::iota(values.begin(), values.end(), 1);
    pe.functional_model.memory().write_bytes(base_address, values.data(), 4 * values.size());
  }
  std::vector<std::int32_t> values() {
    const auto bytes = pe.functional_model.memory().read_bytes(base_address, tensor->nbytes);
    std::vector<std::int32_t> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  tl::Ptr ptr() const { return tl::Ptr(tensor); }
  std::string text(std::size_t command) const { return tl::describe(pe.commands.at(command)); }

  FakePe pe;
  tl::Program tl{pe};
  tl::TensorInfoPtr tensor;
};

// Calls use(indices) for every element of a block, in row-major order.
void for_each(const Shape& block, const std::function<void(const tl::Extents&)>& use) {
  tl::Extents at(block.rank(), 0);
  for (std::int64_t i = 0; i < block.elements(); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = block.rank(); axis-- > 0;) {
      at[axis] = rest % block[axis];
      rest /= block[axis];
    }
    use(at);
  }
}

// The element of the tensor behind an element of the block; none outside the bounds.
std::optional<std::int64_t> place(const tl::Extents& at, const tl::Extents& shape,
                                  const tl::Extents& strides, const tl::Extents& offsets) {
  std::int64_t element = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const std::int64_t i = offsets[axis] + at[axis];
    if (i < 0 || i >= shape[axis]) return std::nullopt;
    element += i * strides[axis];
  }
  return element;
}

struct RandomBlock {
  tl::Extents shape, strides, offsets, block;
  tl::Boundary all;
};

// `distinct`: no two elements at one place.
RandomBlock any_block(bool distinct) {
  RandomBlock b;
  const std::int64_t rank = between(1, 4);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    b.shape.push_back(between(1, 6));
    b.block.push_back(between(1, 5));
    b.offsets.push_back(between(-3, 6));
    b.strides.push_back(between(0, 9));
    b.all.axes.push_back(static_cast<int>(axis));
  }
  if (!distinct) return b;
  std::vector<std::size_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i)))]);
  std::int64_t stride = between(1, 2);
  for (const std::size_t axis : order) {
    b.strides[axis] = stride;
    stride = stride * b.shape[axis] + between(0, 2);
  }
  return b;
}

using Values = std::vector<double>;

}  // namespace

RC_BOOST_PROP(a_strided_load_takes_each_element_from_its_place, ()) {
  const RandomBlock b = any_block(false);
  Memory m(4096);
  const Shape block(b.block);
  const tl::BlockPtr p = m.tl.make_block_ptr(m.ptr(), b.shape, b.strides, b.offsets, block);
  Values expected;
  std::set<std::int64_t> touched;
  for_each(block, [&](const tl::Extents& at) {
    const auto element = place(at, b.shape, b.strides, b.offsets);
    expected.push_back(element ? static_cast<double>(*element + 1) : 0);
    if (element) touched.insert(*element);
  });
  RC_ASSERT(m.tl.load(p, b.all).data() == expected);
  // What the DMA moves has every element that is touched, and nothing else.
  const auto& dma = std::get<DmaCommand>(m.pe.commands.at(0).what);
  std::set<std::int64_t> moved;
  std::uint64_t bytes = 0;
  const AddressRuns runs = dma.runs != nullptr ? *dma.runs : AddressRuns{{dma.address, dma.nbytes}};
  for (const AddressRun& run : runs) {
    bytes += run.nbytes;
    for (std::uint64_t at = run.address; at < run.address + run.nbytes; at += 4)
      moved.insert(static_cast<std::int64_t>((at - base_address) / 4));
  }
  RC_ASSERT(bytes == dma.nbytes);
  RC_ASSERT(moved == touched);
}

RC_BOOST_PROP(a_strided_store_changes_the_elements_inside_the_bounds_alone, ()) {
  const RandomBlock b = any_block(true);
  Memory m(16384);
  const Shape block(b.block);
  std::vector<std::int32_t> expected = m.values();
  std::int32_t value = 0;
  for_each(block, [&](const tl::Extents& at) {
    --value;
    if (const auto element = place(at, b.shape, b.strides, b.offsets))
      expected[static_cast<std::size_t>(*element)] = value;
  });
  const std::int64_t n = block.elements();
  const tl::Handle values = m.tl.load(m.ptr(), {n}, DType::i32);  // 1 ... n
  std::vector<std::int32_t> negative(static_cast<std::size_t>(n));
  std::iota(negative.rbegin(), negative.rend(), static_cast<std::int32_t>(-n));
  constexpr std::uint64_t elsewhere = 0x100000;
  m.pe.functional_model.memory().write_bytes(elsewhere, negative.data(), 4 * negative.size());
  const tl::Handle source = m.tl.load(tl::Ptr(elsewhere), block, DType::i32);
  m.tl.store(m.tl.make_block_ptr(m.ptr(), b.shape, b.strides, b.offsets, block), source, b.all);
  RC_ASSERT(m.values() == expected);
}

RC_BOOST_PROP(masked_lanes_are_not_accessed_and_have_the_other_value, ()) {
  Memory m(64);
  const std::int64_t n = between(1, 40);
  std::vector<std::int32_t> offsets, mask;
  Values expected;
  std::vector<std::int32_t> stored = m.values();
  for (std::int64_t i = 0; i < n; ++i) {
    const bool on = between(0, 2) > 0;
    mask.push_back(on ? 1 : 0);
    offsets.push_back(static_cast<std::int32_t>(on ? between(0, 63) : between(-1000, 1000)));
    expected.push_back(on ? offsets.back() + 1 : -7);
    if (on) stored[static_cast<std::size_t>(offsets.back())] = static_cast<std::int32_t>(100 + i);
  }
  constexpr std::uint64_t elsewhere = 0x100000;
  auto& memory = m.pe.functional_model.memory();
  memory.write_bytes(elsewhere, offsets.data(), 4 * offsets.size());
  memory.write_bytes(elsewhere + 4096, mask.data(), 4 * mask.size());
  const tl::Handle where = m.tl.load(tl::Ptr(elsewhere), {n}, DType::i32),
                   on = m.tl.load(tl::Ptr(elsewhere + 4096), {n}, DType::i32);
  RC_ASSERT(m.tl.load(m.ptr(), where, DType::i32, tl::Masked{on, -7}).data() == expected);
  m.tl.store(m.ptr(), where, m.tl.arange(100, 100 + n), on);
  RC_ASSERT(m.values() == stored);
}

BOOST_AUTO_TEST_CASE(rows_that_are_adjacent_are_one_dense_access) {
  Memory m(1024);
  const auto load = [&](const tl::Extents& strides, const Shape& block, const tl::Extents& at) {
    m.tl.load(m.tl.make_block_ptr(m.ptr(), {8, 32}, strides, at, block));
  };
  load({32, 1}, {4, 32}, {2, 0});   // whole rows
  load({32, 1}, {4, 16}, {2, 16});  // the right half of them
  load({1, 8}, {8, 4}, {0, 1});     // columns of a matrix that lies by columns
  load({32, 1}, {8, 1}, {0, 5});    // one column
  BOOST_TEST(m.text(0) == "dma_read 0x10100 512");
  BOOST_TEST(m.text(1) == "dma_read 0x10140 256 in 4 runs");
  BOOST_TEST(m.text(2) == "dma_read 0x10020 128");
  BOOST_TEST(m.text(3) == "dma_read 0x10014 32 in 8 runs");
}

BOOST_AUTO_TEST_CASE(a_block_pointer_advances_in_elements_and_is_checked_at_its_use) {
  Memory m(64);
  tl::BlockPtr p = m.tl.make_block_ptr(m.ptr(), {8, 8}, {8, 1}, {0, 0}, {2, 4}, {1, 0});
  p = m.tl.advance(p, {2, 4});
  BOOST_TEST(m.tl.load(p).data() == (Values{21, 22, 23, 24, 29, 30, 31, 32}));
  p = m.tl.advance(p, {0, 2});
  BOOST_TEST(test::error_of<Error>([&] { m.tl.load(p); }) ==
             "tl.load: the block {2, 4} at offsets {2, 6} leaves x on axis 1: offset 6 and extent "
             "4 of 8; tl::Boundary{{1}} pads what is outside");
  BOOST_TEST(m.tl.load(p, {{1}}).data() == (Values{23, 24, 0, 0, 31, 32, 0, 0}));
  BOOST_TEST(contains(test::error_of<Error>([&] {
                        m.tl.load(m.tl.advance(p, {-3, 0}), {{1}});
                      }),
                      "on axis 0: offset -1 and extent 2 of 8"));
  BOOST_TEST(contains(test::error_of<Error>([&] { m.tl.advance(p, {1}); }),
                      "the block {2, 4} has 2 axes"));
}

BOOST_AUTO_TEST_CASE(nothing_inside_the_bounds_moves_nothing) {
  Memory m(64);
  const tl::BlockPtr p = m.tl.make_block_ptr(m.ptr(), {8, 8}, {8, 1}, {8, 0}, {2, 2});
  BOOST_TEST(m.tl.load(p, {{0}}).data() == (Values{0, 0, 0, 0}));
  m.tl.store(p, m.tl.zeros({2, 2}, DType::i32), {{0}});
  BOOST_TEST(m.text(0) == "dma_read 0x10000 0");
  BOOST_TEST(m.text(1) == "dma_write 0x10000 0");
  BOOST_TEST(m.values().front() == 1);
}

BOOST_AUTO_TEST_CASE(padding_is_zero_or_nan) {
  FakePe pe;
  tl::Program tl(pe);
  const auto tensor = tl::TensorInfo::whole("f", 0x1000, {4}, f16);
  const tl::BlockPtr p = tl.make_block_ptr(tl::Ptr(tensor), {4}, {1}, {2}, {4});
  const Values values = tl.load(p, {{0}, tl::Padding::nan}).data();
  BOOST_TEST(values[1] == 0);
  BOOST_TEST(std::isnan(values[2]));
  BOOST_TEST(std::isnan(values[3]));
  Memory m(8);
  const tl::BlockPtr integers = m.tl.make_block_ptr(m.ptr(), {8}, {1}, {6}, {4});
  BOOST_TEST(test::error_of<Error>([&] {
               m.tl.load(integers, {{0}, tl::Padding::nan});
             }) == "tl.load: padding nan of i32: integers have none");
}

BOOST_AUTO_TEST_CASE(an_invalid_block_pointer_is_reported) {
  Memory m(64);
  const auto make = [&](const tl::Extents& shape, const tl::Extents& strides,
                        const tl::Extents& offsets, const Shape& block,
                        const std::vector<int>& order = {}) {
    return test::error_of<Error>(
        [&] { m.tl.make_block_ptr(m.ptr(), shape, strides, offsets, block, order); });
  };
  BOOST_TEST(make({8, 8}, {8, 1}, {0, 0}, {2, 2}, {0, 1}) == "");
  BOOST_TEST(contains(make({8, 8}, {8, 1}, {0, 0}, {2, 2}, {0, 2}),
                      "order must be a permutation of 0 to 1"));
  BOOST_TEST(contains(make({8, 8}, {8, 1}, {0, 0}, {2}), "all must have one rank, 1 to 5"));
  BOOST_TEST(contains(make({8, 8}, {8, -1}, {0, 0}, {2, 2}), "stride -1 of axis 1"));
  BOOST_TEST(contains(make({8, -1}, {8, 1}, {0, 0}, {2, 2}), "extent -1 of axis 1"));
  const auto raw = [&] { m.tl.make_block_ptr(tl::Ptr(std::uint64_t{64}), {8}, {1}, {0}, {2}); };
  BOOST_TEST(contains(test::error_of<Error>(raw), "0x40 has no dtype; use ptr.as(dtype)"));
  const tl::BlockPtr p = m.tl.make_block_ptr(m.ptr(), {8, 8}, {8, 1}, {0, 0}, {2, 2});
  BOOST_TEST(contains(test::error_of<Error>([&] { m.tl.load(p, {{2}}); }),
                      "the axes of {2, 2} are 0 to 1"));
  BOOST_TEST(contains(test::error_of<Error>([&] { m.tl.load(p, {{1, 1}}); }), "named twice"));
  // The tensor that is described is larger than the one that is there.
  const tl::BlockPtr large = m.tl.make_block_ptr(m.ptr(), {9, 8}, {8, 1}, {7, 0}, {2, 8});
  BOOST_TEST(contains(test::error_of<Error>([&] { m.tl.load(large); }),
                      "64 bytes at x + 224 are not all inside tensor 'x' of 256 bytes"));
}

// Strides of a whole tensor hold where its shards are contiguous, as its rows are.
BOOST_AUTO_TEST_CASE(a_whole_tensor_has_no_strides_where_its_shards_do_not_lie_as_its_rows_do) {
  Memory m(64);
  // Two PEs of a tensor {8, 8}, cut along `axis`.
  const auto cut = [](int axis) {
    tl::TensorInfo info = *tl::TensorInfo::whole("x", base_address, {8, 8}, DType::i32);
    const Shape half = axis == 0 ? Shape{4, 8} : Shape{8, 4};
    info.blocks = {
        {{0, 0, 0}, base_address, 0, 128, half, {0, 0}},
        {{0, 0, 1}, base_address + 128, 128, 128, half, {axis == 0 ? 4 : 0, axis == 0 ? 0 : 4}}};
    return tl::Ptr(std::make_shared<const tl::TensorInfo>(std::move(info)));
  };
  const auto describe = [&](const tl::Ptr& base, const tl::Extents& strides) {
    return test::error_of<Error>([&] {
      m.tl.make_block_ptr(base, {8, 8}, strides, {0, 0}, {2, 2});
    });
  };
  BOOST_TEST(describe(cut(0), {8, 1}) == "");
  BOOST_TEST(contains(
      describe(cut(1), {8, 1}),
      "tl.make_block_ptr: strides {8, 1} are not those of tensor 'x' {8, 8}, which is "
      "stored shard by shard ({8, 4} on sip0.cube0.pe0, ...); describe x.local(), or cut axis 0"));
  BOOST_TEST(describe(cut(1) + 128, {8, 1}) == "");  // what the kernel has worked out itself
  BOOST_TEST(contains(test::error_of<Error>([&] {
                        m.tl.make_tensor_descriptor(cut(1), {8, 8}, {8, 1}, {2, 2});
                      }),
                      "tl.make_tensor_descriptor: strides {8, 1}"));
}

BOOST_AUTO_TEST_CASE(elements_at_one_place_are_loaded_but_not_stored) {
  Memory m(64);
  const tl::BlockPtr repeated = m.tl.make_block_ptr(m.ptr(), {4, 3}, {0, 1}, {0, 0}, {4, 3});
  BOOST_TEST(m.tl.load(repeated).data() == (Values{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
  BOOST_TEST(m.text(0) == "dma_read 0x10000 12");  // once
  const tl::BlockPtr windows = m.tl.make_block_ptr(m.ptr(), {3, 3}, {1, 1}, {0, 0}, {3, 3});
  BOOST_TEST(m.tl.load(windows).data() == (Values{1, 2, 3, 2, 3, 4, 3, 4, 5}));
  BOOST_TEST(m.text(1) == "dma_read 0x10000 36 in 3 runs");
  const tl::Handle block = m.tl.zeros({3, 3}, DType::i32);
  BOOST_TEST(test::error_of<Error>([&] { m.tl.store(windows, block); }) ==
             "tl.store: the strides let elements of the block lie at one place");
  BOOST_TEST(contains(test::error_of<Error>([&] {
                        m.tl.store(repeated, m.tl.zeros({4, 3}, DType::i32));
                      }),
                      "axis 0 has stride 0"));
}

BOOST_AUTO_TEST_CASE(a_descriptor_pads_what_it_loads_and_leaves_alone_what_it_cannot_store) {
  Memory m(64);
  const tl::TensorDescriptor d = m.tl.make_tensor_descriptor(m.ptr(), {3, 3}, {8, 1}, {2, 2});
  BOOST_TEST(d.load({2, 2}).data() == (Values{19, 0, 0, 0}));
  d.store({2, 2}, m.tl.full({2, 2}, -1, DType::i32));
  const std::vector<std::int32_t> values = m.values();
  BOOST_TEST(values[18] == -1);
  BOOST_TEST(values[19] == 20);
  BOOST_TEST(values[26] == 27);
  BOOST_TEST(contains(test::error_of<Error>([&] {
                        m.tl.make_tensor_descriptor(m.ptr(), {3, 3}, {1, 8}, {2, 2});
                      }),
                      "stride 8 of the last axis: must be 1"));
}

BOOST_AUTO_TEST_CASE(a_gather_takes_rows_in_the_order_of_its_indices) {
  Memory m(64);
  const tl::TensorDescriptor table = m.tl.make_tensor_descriptor(m.ptr(), {8, 8}, {8, 1}, {1, 2});
  const auto indices = [&](std::vector<std::int32_t> rows) {
    m.pe.functional_model.memory().write_bytes(0x100000, rows.data(), 4 * rows.size());
    return m.tl.load(tl::Ptr(std::uint64_t{0x100000}), {static_cast<std::int64_t>(rows.size())},
                     DType::i32);
  };
  const tl::Handle rows = indices({5, 1, 8, 2});
  BOOST_TEST(table.gather(rows, 4).data() == (Values{45, 46, 13, 14, 0, 0, 21, 22}));
  BOOST_TEST(m.text(1) == "dma_read 0x100b0 24 in 3 runs");
  BOOST_TEST(table.gather(indices({0, 1}), 7).data() == (Values{8, 0, 16, 0}));
  table.scatter(m.tl.full({4, 2}, -3, DType::i32), rows, 7);
  const std::vector<std::int32_t> values = m.values();
  for (const std::size_t row : {5U, 1U, 2U}) {
    BOOST_TEST(values[row * 8 + 7] == -3);
    BOOST_TEST(values[row * 8 + 8] != -3);
  }
  BOOST_TEST(contains(test::error_of<Error>([&] {
                        table.gather(m.tl.zeros({2, 2}, DType::i32));
                      }),
                      "rows i32{2, 2}: must have one axis"));
  BOOST_TEST(contains(test::error_of<Error>([&] { table.gather(m.tl.zeros({2}, f32)); }),
                      "must be integers"));
}

BOOST_AUTO_TEST_CASE(a_lane_outside_the_tensor_is_a_fault_unless_it_is_masked_off) {
  Memory m(8);
  const tl::Handle lanes = m.tl.arange(4, 12);
  const std::string error = test::error_of<Error>([&] { m.tl.load(m.ptr(), lanes, DType::i32); });
  BOOST_TEST(contains(error, "4 bytes at x + 32 are not all inside tensor 'x' of 32 bytes"));
  BOOST_TEST(contains(error, "(lane 4 of {8}, offset 8)"));
  const tl::Handle rows = m.tl.reshape(lanes, {2, 4});
  const tl::Handle mask = m.tl.slice(m.tl.reshape(m.tl.arange(0, 2), {2, 1}), 0, 2);
  BOOST_TEST(contains(
      test::error_of<Error>([&] { m.tl.load(m.ptr(), rows, DType::i32, tl::Masked{mask}); }),
      "lane 4"));
  const tl::Handle upper = m.tl.full({1}, 1, DType::i8), none = m.tl.zeros({1}, DType::i8);
  BOOST_TEST(m.tl.load(m.ptr(), m.tl.slice(rows, 0, 1), DType::i32, tl::Masked{upper}).data() ==
             (Values{5, 6, 7, 8}));
  BOOST_TEST(m.tl.load(m.ptr(), rows, DType::i32, tl::Masked{none, 3}).data() == Values(8, 3.0));
}

// 131,072 lanes of 4 B, no two adjacent.
BOOST_AUTO_TEST_CASE(many_tiny_runs_are_copied_in_one_pass) {
  Memory m(1 << 19);
  const tl::BlockPtr p = m.tl.make_block_ptr(m.ptr(), {1 << 18}, {2}, {0}, {1 << 17});
  const tl::Handle block = m.tl.load(p);
  BOOST_TEST(block.at({12345}) == 24691);
  m.tl.store(p, block);
  BOOST_TEST(m.text(0) == "dma_read 0x10000 524288 in 131072 runs");
  Memory large(1 << 22);
  const tl::BlockPtr refused =
      large.tl.make_block_ptr(large.ptr(), {1 << 21}, {2}, {0}, {(1 << 20) + 1});
  BOOST_TEST(
      contains(test::error_of<Error>([&] { large.tl.load(refused); }), "more than 1048576 runs"));
}

BOOST_AUTO_TEST_SUITE_END()
