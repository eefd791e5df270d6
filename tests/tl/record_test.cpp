// Kernels recorded without a machine, and arguments bound to signatures.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/tl/recorder.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(record_test)

namespace {

void matmul(tl::Program& tl, tl::Ptr a, tl::Ptr b, tl::Ptr out, int M, int K, int N) {
  auto A = tl.load(a, {M, K}, f16);
  auto h = tl.composite(tl::gemm(A, tl.ref(b, {K, N}, f16)).to(out).epilogue({tl::relu()}));
  tl.wait(h);
}

void shards(tl::Program& tl, tl::Tensor x, std::int64_t factor, float shift, bool twice) {
  if (!x.has_local()) return;
  auto block = tl.load(x.local(), x.local_shape(), x.dtype());
  auto y = block * static_cast<double>(factor) + shift;
  if (twice) y = y * 2.0;
  tl.store(x.local(), y);
}

tl::TensorInfoPtr tensor(const char* name, std::uint64_t base, const Shape& shape) {
  return tl::TensorInfo::whole(name, base, shape, f16);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_kernel_of_the_specification_issues_a_read_and_a_composite) {
  const auto recording =
      tl::record(matmul, {}, tensor("a", 0x1000, {32, 64}), tensor("b", 0x2000, {64, 32}),
                 tensor("out", 0x4000, {32, 32}), 32, 64, 32);
  BOOST_TEST(recording.at({0, 0, 0}).text() ==
                 (std::vector<std::string>{
                     "dma_read 0x1000 4096", "wait 0",
                     "gemm 32x64x32 a=tcm b=0x2000 out=0x4000 f16 relu@output_tile", "wait 1"}),
             boost::test_tools::per_element());
  BOOST_TEST(recording.at({0, 0, 0}).commands().size() == 2);
}

// Commands left in flight are awaited only by the end of the kernel.
BOOST_AUTO_TEST_CASE(commands_in_flight_are_recorded_with_the_waits_that_the_kernel_asks_for) {
  const auto kernel = [](tl::Program& tl, tl::Ptr x, tl::Ptr out) {
    const tl::Handle a = tl.load_async(x, {4, 4}, f16), b = tl.load_async(x + 32, {4, 4}, f16);
    tl.wait(b);
    tl::Handle c = tl.dot(a, b, tl.zeros({4, 4}, f32));
    {
      const tl::Overlap overlap(tl);
      c = c + 1.0;
    }
    tl.wait(tl.store_async(out, c));
  };
  const auto recording =
      tl::record(kernel, {}, tensor("x", 0x1000, {8, 4}), tl::Ptr(std::uint64_t{0x2000}));
  BOOST_TEST(recording.at({0, 0, 0}).text() ==
                 (std::vector<std::string>{"dma_read 0x1000 32", "dma_read 0x1020 32", "wait 1",
                                           "dot 4x4x4 f16 accumulates", "wait 2", "math add 16",
                                           "dma_write 0x2000 64", "wait 4"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_pe_of_the_grid_is_recorded_and_reads_its_own_block) {
  auto info = *tensor("x", 0x1000, {4, 8});
  info.blocks = {{{0, 0, 0}, 0x1000, 0, 32, {4, 4}, {0, 0}},
                 {{0, 0, 1}, 0x1020, 32, 32, {4, 4}, {0, 4}}};
  const auto shared = std::make_shared<const tl::TensorInfo>(info);
  tl::Grid two_by_two;
  two_by_two.pes = two_by_two.cubes = 2;
  const auto recording = tl::record(shards, two_by_two, shared, 3, 0.5F, true);
  BOOST_TEST(recording.programs.size() == 4);
  BOOST_TEST(recording.at({0, 0, 1}).steps.at(0).text() == "dma_read 0x1020 32");
  BOOST_TEST(recording.at({0, 0, 1}).commands().size() == 5);
  BOOST_TEST(recording.at({0, 1, 0}).steps.empty());
  BOOST_CHECK_THROW(recording.at({0, 2, 0}), UsageError);
}

BOOST_AUTO_TEST_CASE(a_block_that_is_not_there_is_an_error_that_names_tensor_and_pe) {
  const auto kernel = [](tl::Program& tl, tl::Tensor x) {
    tl.load(x.local(), x.local_shape(), x.dtype());
  };
  const auto info = tl::TensorInfo::whole("x", 0, {4}, f16, {0, 3, 0});
  BOOST_CHECK_EXCEPTION(tl::record(kernel, {}, info), UsageError, [](const UsageError& error) {
    return std::string(error.what()) ==
           "tensor 'x' has no shard on sip0.cube0.pe0; a launch starts on every PE of a cube that "
           "has one, LaunchSpec(name).on_pes({...}) on fewer, and has_local() checks for one";
  });
}

BOOST_AUTO_TEST_CASE(scalars_arrive_exactly_as_passed) {
  const auto kernel = [](tl::Program& tl, int a, std::int64_t b, float c, bool d, tl::Half e,
                         float f) {
    BOOST_TEST(a == -7);
    BOOST_TEST(b == (std::int64_t{1} << 40));
    BOOST_TEST(c == 0.1F);
    BOOST_TEST(d);
    BOOST_TEST(e.bits() == 0xfe01);  // a NaN with a sign and a payload
    BOOST_TEST(f == 0.0999755859375F);
    tl.cycles(1);
  };
  const tl::KernelCall call = tl::bind_kernel(kernel, -7, std::int64_t{1} << 40, 0.1F, true,
                                              tl::Half::from_bits(0xfe01), tl::Half(0.1));
  BOOST_TEST(tl::record_call(call, {}).programs.at(0).text().at(0) == "cycles 1");
  BOOST_TEST(std::get<std::int32_t>(std::get<ScalarArgument>(call.args.at(0))) == -7);
  BOOST_TEST(std::get<std::int64_t>(std::get<ScalarArgument>(call.args.at(1))) ==
             (std::int64_t{1} << 40));
  BOOST_TEST(std::get<float>(std::get<ScalarArgument>(call.args.at(2))) == 0.1F);
  BOOST_TEST(std::get<bool>(std::get<ScalarArgument>(call.args.at(3))));
  BOOST_TEST(std::get<Float16Bits>(std::get<ScalarArgument>(call.args.at(4))).bits == 0xfe01);
  BOOST_TEST(std::get<float>(std::get<ScalarArgument>(call.args.at(5))) ==
             0.0999755859375F);  // an f32 holds every f16
}

// What does not compile: a double for a float, an int for a float, an int64 for an int, a half for
// an int.
static_assert(tl::detail::HoldsExactly<std::int64_t, int>::value);
static_assert(!tl::detail::HoldsExactly<float, double>::value);
static_assert(!tl::detail::HoldsExactly<float, int>::value);
static_assert(!tl::detail::HoldsExactly<int, std::int64_t>::value);
static_assert(!tl::detail::HoldsExactly<bool, int>::value);
static_assert(tl::detail::HoldsExactly<float, tl::Half>::value);
static_assert(!tl::detail::HoldsExactly<int, tl::Half>::value);

BOOST_AUTO_TEST_CASE(tensors_go_into_the_launch_as_shard_lists) {
  const tl::KernelCall call =
      tl::bind_kernel(matmul, tensor("a", 0x1000, {2, 3}), tensor("b", 0x2000, {3, 2}),
                      tl::Ptr(std::uint64_t{0x3000}), 2, 3, 2);
  const auto& a = std::get<TensorArgument>(call.args.at(0));
  BOOST_TEST(a.va_base == 0x1000);
  BOOST_TEST(a.nbytes == 12);
  BOOST_TEST(a.shards.size() == 1);
  BOOST_TEST(std::get<std::int64_t>(std::get<ScalarArgument>(call.args.at(2))) == 0x3000);
}

BOOST_AUTO_TEST_SUITE_END()
