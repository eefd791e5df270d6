// Blocks of operands: as matrices of one pitch, in memory and as they have been bound.
#include "models/data/block_values.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(block_values)

namespace {

std::int64_t below(std::int64_t end) { return *rc::gen::inRange<std::int64_t>(0, end); }

TensorValue numbered(const Shape& shape) {
  std::vector<std::int8_t> elements(static_cast<std::size_t>(shape.elements()));
  std::iota(elements.begin(), elements.end(), std::int8_t{0});
  return FunctionalModel::constant(elements.data(), shape, DType::i8);
}

// A view of up to three axes of up to four elements.
TensorValue any_view() {
  std::vector<std::int64_t> extents, broadcast;
  for (std::int64_t axes = 1 + below(3); axes > 0; --axes) {
    broadcast.push_back(1 + below(4));
    extents.push_back(*rc::gen::arbitrary<bool>() ? 1 : broadcast.back());
  }
  TensorValue view = broadcast_to(numbered(Shape(extents)), Shape(broadcast));
  if (view.shape.rank() == 2 && *rc::gen::arbitrary<bool>()) view = transposed(view);
  if (*rc::gen::arbitrary<bool>()) {
    const std::int64_t begin = below(view.shape[0]);
    view = sliced(view, begin, begin + 1 + below(view.shape[0] - begin));
  }
  return view;
}

const TranslateAddress physical = [](std::uint64_t address, std::uint64_t nbytes) {
  return PhysRanges{{address, nbytes}};
};

}  // namespace

RC_BOOST_PROP(a_matrix_layout_finds_the_elements_of_a_view, ()) {
  const TensorValue view = any_view();
  const TensorLayout layout = matrix_layout(view);
  if (!layout.regular()) {
    RC_ASSERT(view.shape.rank() == 3U);
    return;
  }
  RC_ASSERT(layout.rows * layout.columns == view.shape.elements());
  const std::vector<std::byte> dense = dense_bytes(view), image = [&] {
    std::vector<std::byte> bytes(view.image.nbytes());
    view.image.copy_to(bytes.data(), {});
    return bytes;
  }();
  for (std::int64_t i = 0; i < layout.rows; ++i) {
    for (std::int64_t j = 0; j < layout.columns; ++j) {
      RC_ASSERT(image.at(static_cast<std::size_t>(layout.offset(i, j))) ==
                dense.at(static_cast<std::size_t>(i * layout.columns + j)));
    }
  }
}

RC_BOOST_PROP(a_block_has_its_elements_in_memory_and_bound, ()) {
  const TensorValue view = any_view();
  BlockReference block;
  block.dtype = DType::i8;
  block.input = 0;
  block.layout = matrix_layout(view);
  if (!block.layout.regular()) {
    BOOST_CHECK_THROW(block_of(view, block), UsageError);
    return;
  }
  const std::int64_t columns = block.layout.columns;
  block.row = below(block.layout.rows);
  block.column = below(columns);
  block.address = 0x1000 + block.offset();
  block.layout.rows = 1 + below(block.layout.rows - block.row);
  block.layout.columns = 1 + below(columns - block.column);
  std::vector<std::byte> expected;
  const std::vector<std::byte> dense = dense_bytes(view);
  for (std::int64_t i = 0; i < block.layout.rows; ++i) {
    for (std::int64_t j = 0; j < block.layout.columns; ++j)
      expected.push_back(
          dense[static_cast<std::size_t>((block.row + i) * columns + block.column + j)]);
  }
  FunctionalModel data;
  data.memory().write_image(0x1000, view.image);
  DataOp op;
  op.inputs = {view};
  RC_ASSERT(memory_bytes(data, block, physical) == expected);
  RC_ASSERT(bound_bytes(data, op, block) == expected);
}

BOOST_AUTO_TEST_CASE(values_of_handles_are_not_in_memory) {
  FunctionalModel data;
  BlockReference block;
  block.pinned = true;
  block.layout = TensorLayout::dense(1, 1, DType::f16);
  BOOST_CHECK_THROW(memory_bytes(data, block, physical), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
