// conv3x3: y{H, W, F} = x{H, W, C} * weights{3, 3, C, F}: a convolution with stride 1 and padding 1
// of an image in the layout NHWC, as a sum of nine products, without an im2col copy. Rows of the
// image are distributed over the PEs of a cube.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tl/prefetch.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// A block of pixels with its halo is loaded once, the next one concurrently with the products;
// pixels outside the image are zero. Rows of the halo are in the neighbours' shards of x. The nine
// patches of a block are views of it: {block_h, block_w, C} times a tap {C, block_f} for every row,
// accumulated by PE_GEMM.
void conv3x3(tl::Program& tl, tl::Tensor x, tl::Tensor weights, tl::Tensor y, int block_h,
             int block_w, int block_f) {
  const std::int64_t H = x.shape()[0], W = x.shape()[1], C = x.shape()[2], F = y.shape()[2];
  const std::int64_t first = y.local_start()[0], rows = y.local_shape()[0];
  const auto image =
      tl.make_tensor_descriptor(x, {H, W, C}, {W * C, C, 1}, {block_h + 2, block_w + 2, C});
  const auto taps =
      tl.make_tensor_descriptor(weights.local(), {9, C, F}, {C * F, F, 1}, {3, C, block_f});
  const auto result = tl.make_tensor_descriptor(y.local(), {rows, W, F}, {W * F, F, 1},
                                                {block_h, block_w, block_f});
  const std::int64_t across = tl.cdiv(W, block_w), blocks = across * tl.cdiv(rows, block_h);
  const auto row_of = [&](std::int64_t block) { return block / across * block_h; };
  const auto column_of = [&](std::int64_t block) { return block % across * block_w; };
  const auto load = [&](std::int64_t block) {
    return image.load_async({first + row_of(block) - 1, column_of(block) - 1, 0});
  };

  const tl::Overlap overlap(tl);
  for (std::int64_t f = 0; f < F; f += block_f) {
    tl::Prefetch loads(blocks, load);
    const std::array<tl::Handle, 3> filter{taps.load_async({0, 0, f}), taps.load_async({3, 0, f}),
                                           taps.load_async({6, 0, f})};
    for (std::int64_t block = 0; block < blocks; ++block) {
      const tl::Handle pixels = loads.next();
      tl::Handle sum = tl.zeros({block_h, block_w, block_f}, f32);
      for (int dy = 0; dy < 3; ++dy) {
        const tl::Handle lines = tl.slice(pixels, 0, dy, dy + block_h);
        for (int dx = 0; dx < 3; ++dx) {
          const tl::Handle tap = tl.slice(filter[static_cast<std::size_t>(dy)], dx, dx + 1);
          sum = tl.dot(tl.slice(lines, 1, dx, dx + block_w),
                       tl.broadcast_to(tap, {block_h, C, block_f}), std::move(sum));
        }
      }
      result.store_async({row_of(block), column_of(block), f}, tl.cast(sum, y.dtype()));
    }
  }
  tl.wait();
}

// Variant with dense blocking loads only: whole rows of an image with its padding in memory, x{H +
// 2, W + 2, C}. Patches are dense within a row; PE_MATH adds their products.
void conv3x3_detour(tl::Program& tl, tl::Tensor x, tl::Tensor weights, tl::Tensor y, int block_h) {
  const std::int64_t W = y.shape()[1], C = x.shape()[2], F = y.shape()[2], padded = W + 2;
  const std::int64_t first = y.local_start()[0], rows = y.local_shape()[0];
  const auto bytes = [&](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(size_of(x.dtype()));
  };
  const tl::Handle taps = tl.load(weights.local(), {9 * C, F}, weights.dtype());
  for (std::int64_t row = 0; row < rows; row += block_h) {
    const std::int64_t count = std::min<std::int64_t>(block_h, rows - row);
    const tl::Handle pixels =
        tl.load(x + bytes((first + row) * padded * C), {(count + 2) * padded, C}, x.dtype());
    for (std::int64_t h = 0; h < count; ++h) {
      tl::Handle sum = tl.zeros({W, F}, f32);
      for (int tap = 0; tap < 9; ++tap) {
        const std::int64_t from = (h + tap / 3) * padded + tap % 3;
        sum = sum +
              tl.dot(tl.slice(pixels, from, from + W), tl.slice(taps, tap * C, (tap + 1) * C), f32);
      }
      tl.store(y.local() + bytes((row + h) * W * F), tl.cast(sum, y.dtype()));
    }
  }
}

// --- on the host

struct Convolution {
  std::int64_t height = 0, width = 0, channels = 0, filters = 0;
};

// values{H, W, C} with a border of zeros: {H + 2, W + 2, C}.
std::vector<double> padded(const std::vector<double>& values, const Convolution& conv) {
  const std::int64_t row = conv.width * conv.channels, pitch = row + 2 * conv.channels;
  std::vector<double> result(static_cast<std::size_t>((conv.height + 2) * pitch), 0.0);
  for (std::int64_t h = 0; h < conv.height; ++h)
    std::copy_n(values.begin() + h * row, row, result.begin() + (h + 1) * pitch + conv.channels);
  return result;
}

// Reference: product of the nine pixels around each pixel, {H * W, 9 * C} x {9 * C, F}.
std::vector<double> reference_of(const std::vector<double>& x, const std::vector<double>& weights,
                                 const Convolution& conv) {
  const std::vector<double> image = padded(x, conv);
  const std::int64_t pitch = (conv.width + 2) * conv.channels, three = 3 * conv.channels;
  std::vector<double> patches;
  patches.reserve(static_cast<std::size_t>(conv.height * conv.width * 3 * three));
  for (std::int64_t h = 0; h < conv.height; ++h) {
    for (std::int64_t w = 0; w < conv.width; ++w) {
      for (std::int64_t dy = 0; dy < 3; ++dy) {
        const auto from = image.begin() + (h + dy) * pitch + w * conv.channels;
        patches.insert(patches.end(), from, from + three);
      }
    }
  }
  return reference::matmul(patches, weights, conv.height * conv.width, 3 * three, conv.filters);
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const Convolution conv{given.integer("height"), given.integer("width"), given.integer("channels"),
                         given.integer("filters")};
  const DType dtype = parse_dtype(given.text("dtype"));
  const bool detour = given.text("form") == "detour";
  const int pes = parts(torch, conv.height);
  const Shape shape{conv.height, conv.width, conv.channels};
  std::vector<double> pixels;
  if (torch.with_data()) pixels = torch.random(shape, dtype).values();
  const Shape in_memory = detour ? Shape{conv.height + 2, conv.width + 2, conv.channels} : shape;
  const Input x = input_of(torch, in_memory, dtype, rows_over(pes), "x",
                           [&] { return detour ? padded(pixels, conv) : pixels; });
  const Input weights =
      random_input(torch, {3, 3, conv.channels, conv.filters}, dtype, copy_on(pes), "weights");
  const Tensor y = torch.empty({conv.height, conv.width, conv.filters}, dtype, rows_over(pes), "y");

  const auto block = [&](const char* name, std::int64_t of) {
    const std::int64_t blocks = tl::Program::cdiv(of, given.integer(name));
    return static_cast<int>(tl::Program::cdiv(of, blocks));  // blocks of similar extent
  };
  const int block_h = block("block_h", tl::Program::cdiv(conv.height, pes));
  const LaunchSpec launch = launch_on_first("conv3x3", pes);
  if (detour) {
    torch.launch(launch, conv3x3_detour, x.tensor, weights.tensor, y, block_h);
  } else {
    torch.launch(launch, conv3x3, x.tensor, weights.tensor, y, block_h,
                 block("block_w", conv.width), block("block_f", conv.filters));
  }
  // Sums of 9 C products of the inputs are exact in f32 (C is at most 3640): one rounding.
  torch.verify(y, [pixels, weights = weights.host, conv] {
    return reference_of(pixels, weights->values(), conv);
  });
}

Parameter at_most(const char* name, const char* description, std::int64_t extent) {
  return Parameter::integer(name, description, "", "spec 10.3")
      .default_val(extent)
      .range("1", "4096");
}

}  // namespace

void register_conv3x3(BenchRegistry& registry) {
  registry.add(
      {"conv3x3",
       "3x3 convolution of an image, stride 1, padding 1, layout NHWC, as nine products of shifted "
       "blocks; rows over the PEs of a cube",
       {extent("height", "height of the image", 32), extent("width", "width of the image", 32),
        Parameter::integer("channels", "channels of the image; nine taps must fit the scratch", "",
                           "spec 10.3")
            .default_val(64)
            .range("1", "3640"),
        extent("filters", "channels of the result", 64),
        float_dtype("element type of the image, the weights and the result"), shared_by_pes("rows"),
        at_most("block_h", "rows of the result in a block, at most", 2),
        at_most("block_w", "columns of the result in a block, at most; the detour takes all", 64),
        at_most("block_f", "filters in a block, at most; the detour takes all", 64),
        choice("form",
               "blocks: double-buffered blocks with strides and a halo, products that "
               "add; detour: dense blocking loads of a padded image, sums on PE_MATH",
               {"blocks", "detour"})},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
