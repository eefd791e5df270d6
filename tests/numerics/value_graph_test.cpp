// Random kernels: loads, stores, slices, gemm and math through a small memory, against a plain machine that executes at once.
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <cstdint>
#include <rapidcheck.h>

#include "tests/numerics/numerics_fixture.h"

using namespace kernbench;

namespace {

// A handle and what the plain machine knows about it. Integers, so that both must agree exactly.
struct Handle {
  TensorValue value;
  std::int64_t rows, columns;
  std::vector<std::int32_t> expected;
};

std::int32_t wrap(std::int64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }

class Kernel {
 public:
  Kernel() : memory_(words, 0) {}

  void step() {
    switch (*rc::gen::inRange(0, handles_.empty() ? 2 : 8)) {
      case 0: return load();
      case 1: return host_write();
      case 2: return store(any());
      case 3: return binary(any());
      case 4: return matmul(any());
      case 5: return reduce(any());
      case 6: return transpose(any());
      default: return slice(any());
    }
  }

  void check(unsigned threads, bool eager) {
    DataExecutor executor(plane_, threads);
    if (eager) executor.start_eager();
    executor.run();
    const std::vector<double> final_memory = doubles(executor.read(base, words * 4), DType::i32);
    for (std::size_t i = 0; i < words; ++i) RC_ASSERT(final_memory[i] == memory_[i]);
    for (const Handle& handle : handles_) {
      const std::vector<double> got = doubles(executor.bytes(handle.value), DType::i32);
      for (std::size_t i = 0; i < got.size(); ++i) RC_ASSERT(got[i] == handle.expected[i]);
    }
  }

 private:
  static constexpr std::size_t words = 64;
  static constexpr std::uint64_t base = MemoryStore::page_bytes - 100;

  const Handle& any() { return handles_[*rc::gen::inRange<std::size_t>(0, handles_.size())]; }
  static PhysRanges place(std::size_t word, std::size_t count) { return {{base + word * 4, count * 4}}; }

  void load() {
    const auto rows = *rc::gen::inRange<std::int64_t>(1, 5), columns = *rc::gen::inRange<std::int64_t>(1, 5);
    const auto count = static_cast<std::size_t>(rows * columns), at = *rc::gen::inRange<std::size_t>(0, words - count + 1);
    const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(at);
    handles_.push_back({plane_.load(place(at, count), {rows, columns}, DType::i32).value, rows, columns,
                        {begin, begin + static_cast<std::ptrdiff_t>(count)}});
  }

  void host_write() {
    const auto count = *rc::gen::inRange<std::size_t>(1, 20), at = *rc::gen::inRange<std::size_t>(0, words - count + 1);
    for (std::size_t i = 0; i < count; ++i) memory_[at + i] = *rc::gen::arbitrary<std::int32_t>();
    plane_.memory().write_bytes(base + at * 4, memory_.data() + at, count * 4);
  }

  void store(const Handle& handle) {
    const std::size_t count = handle.expected.size(), at = *rc::gen::inRange<std::size_t>(0, words - count + 1);
    plane_.store(handle.value, place(at, count));
    std::copy(handle.expected.begin(), handle.expected.end(), memory_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void binary(Handle a) {
    const MathOp op = *rc::gen::element(MathOp::add, MathOp::sub, MathOp::mul, MathOp::maximum);
    const auto immediate = *rc::gen::inRange<std::int32_t>(-1000, 1000);
    Handle other = any();
    const bool tensors = other.rows == a.rows && other.columns == a.columns;
    MathParams params = math_of(op);
    if (!tensors) params.operands = {MathOperand::tensor(0), MathOperand::scalar(immediate)};
    a.value = tensors ? plane_.math(params, {a.value, other.value}).value : plane_.math(params, {a.value}).value;
    for (std::size_t i = 0; i < a.expected.size(); ++i) {
      const std::int64_t x = a.expected[i], y = tensors ? other.expected[i] : immediate;
      a.expected[i] = wrap(op == MathOp::add ? x + y : op == MathOp::sub ? x - y : op == MathOp::mul ? x * y : std::max(x, y));
    }
    handles_.push_back(std::move(a));
  }

  void matmul(const Handle& a) {
    const Handle& b = any();
    GemmParams params;
    params.transpose_b = a.columns != b.rows;
    if (params.transpose_b && a.columns != b.columns) return;
    const std::int64_t n = params.transpose_b ? b.rows : b.columns;
    Handle c{plane_.gemm(params, {a.value, b.value}).value, a.rows, n, {}};
    for (std::int64_t row = 0; row < a.rows; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        std::uint32_t sum = 0;
        for (std::int64_t k = 0; k < a.columns; ++k) {
          const std::int32_t y = b.expected[static_cast<std::size_t>(params.transpose_b ? column * b.columns + k : k * b.columns + column)];
          sum += static_cast<std::uint32_t>(a.expected[static_cast<std::size_t>(row * a.columns + k)]) * static_cast<std::uint32_t>(y);
        }
        c.expected.push_back(static_cast<std::int32_t>(sum));
      }
    }
    handles_.push_back(std::move(c));
  }

  void reduce(const Handle& a) {
    MathParams params = math_of(MathOp::sum);
    params.axis = 1;
    Handle sums{plane_.math(params, {a.value}).value, a.rows, 1, {}};
    for (std::int64_t row = 0; row < a.rows; ++row) {
      std::int64_t sum = 0;
      for (std::int64_t column = 0; column < a.columns; ++column) sum += a.expected[static_cast<std::size_t>(row * a.columns + column)];
      sums.expected.push_back(wrap(sum));
    }
    handles_.push_back(std::move(sums));
  }

  void transpose(const Handle& a) {
    Handle turned{transposed(a.value), a.columns, a.rows, {}};
    for (std::int64_t column = 0; column < a.columns; ++column) {
      for (std::int64_t row = 0; row < a.rows; ++row) turned.expected.push_back(a.expected[static_cast<std::size_t>(row * a.columns + column)]);
    }
    handles_.push_back(std::move(turned));
  }

  void slice(const Handle& a) {
    const auto begin = *rc::gen::inRange<std::int64_t>(0, a.rows), end = *rc::gen::inRange<std::int64_t>(begin + 1, a.rows + 1);
    const auto from = a.expected.begin() + static_cast<std::ptrdiff_t>(begin * a.columns);
    const auto to = a.expected.begin() + static_cast<std::ptrdiff_t>(end * a.columns);
    handles_.push_back({sliced(a.value, begin, end), end - begin, a.columns, {from, to}});
  }

  DataPlane plane_;
  std::vector<std::int32_t> memory_;
  std::vector<Handle> handles_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(random_kernels_agree_with_a_machine_that_computes_at_once) {
  BOOST_TEST(rc::check("deferred evaluation of the value graph", [] {
    Kernel kernel;
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) kernel.step();
    kernel.check(1, false);
    kernel.check(*rc::gen::element(2u, 4u), *rc::gen::arbitrary<bool>());
  }));
}
