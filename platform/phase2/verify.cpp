#include "platform/phase2/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "platform/phase2/reference_functions.h"
#include "platform/phase2/reference_op.h"
#include "platform/phase2/worker_pool.h"

namespace kernbench {
namespace {

bool agrees(double got, double expected, const Tolerance& tolerance, DType dtype) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (got == expected) return true;
  if (std::isinf(got) || std::isinf(expected)) return reference_rounding(dtype, expected) == got;
  return std::fabs(got - expected) <= tolerance.atol + tolerance.rtol * std::fabs(expected);
}

void add_element(Comparison& result, std::uint64_t index, double got, double expected,
                 bool agreed) {
  const double error = std::fabs(got - expected);
  if (std::isfinite(error)) {
    result.largest_abs_error = std::max(result.largest_abs_error, error);
    if (expected != 0)
      result.largest_rel_error = std::max(result.largest_rel_error, error / std::fabs(expected));
  }
  if (agreed) return;
  result.ok = false;
  if (result.mismatches++ > 0) return;
  result.first_bad = index;
  result.got = got;
  result.expected = expected;
}

std::string index_text(const Shape& shape, std::uint64_t flat) {
  std::string text;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(shape[axis]);
    text = std::to_string(flat % extent) + (text.empty() ? "" : ", ") + text;
    flat /= extent;
  }
  return fmt::format("{{{}}}", text);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace

Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {1e-5, 1e-5};
    case DType::f16:
      return {1e-3, 1e-3};
    case DType::bf16:
      return {1e-2, 1e-2};
    default:
      return {};
  }
}

double magnitude_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest > 0 ? std::min(largest, 1.0) : 1;
}

Comparison compare(const std::vector<std::byte>& bytes, DType dtype, const Shape& shape,
                   const std::vector<double>& reference, double factor,
                   std::optional<double> magnitude, const StopQuestion& stop) {
  Comparison result;
  result.elements = static_cast<std::uint64_t>(shape.elements());
  if (reference.size() != result.elements || bytes.size() != result.elements * size_of(dtype)) {
    throw UsageError(fmt::format("comparison of a tensor {} of {}: {} bytes, {} reference values",
                                 shape.str(), name_of(dtype), bytes.size(), reference.size()));
  }
  Tolerance tolerance = tolerance_of(dtype);
  tolerance.rtol *= factor;
  tolerance.atol *= factor * magnitude.value_or(magnitude_of(reference));
  constexpr std::uint64_t between_questions = 1 << 20;
  for (std::uint64_t i = 0; i < result.elements; ++i) {
    if (i % between_questions == 0 && says_stop(stop))
      throw StoppedError("a comparison was stopped");
    const double got = read_element(bytes.data() + i * size_of(dtype), dtype),
                 expected = reference[i];
    add_element(result, i, got, expected, agrees(got, expected, tolerance, dtype));
  }
  return result;
}

std::string failure_text(const std::string& tensor, DType dtype, const Shape& shape,
                         const Comparison& comparison) {
  return fmt::format("tensor '{}' {} {}: {}", tensor, shape.str(), name_of(dtype),
                     mismatch_text(shape, comparison));
}

std::string mismatch_text(const Shape& shape, const Comparison& comparison) {
  const std::string first = fmt::format(
      "{} of {} elements differ; first at {}: got {}, expected {}", comparison.mismatches,
      comparison.elements, index_text(shape, comparison.first_bad), number(comparison.got),
      number(comparison.expected));
  if (comparison.largest_abs_error == 0) return first;  // infinities and NaN have no error
  return first + fmt::format("; largest error {} absolute, {} relative",
                             number(comparison.largest_abs_error),
                             number(comparison.largest_rel_error));
}

std::vector<double> abandonable(const std::function<std::vector<double>()>& computation,
                                const StopQuestion& stop) {
  constexpr std::chrono::milliseconds between_questions{20};
  if (!stop) return computation();
  // Shared with the thread, which may outlive this call.
  const auto task = std::make_shared<std::packaged_task<std::vector<double>()>>(computation);
  std::future<std::vector<double>> result = task->get_future();
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {
    return computation();
  }
  while (result.wait_for(between_questions) != std::future_status::ready) {
    if (stop()) throw StoppedError("a reference was stopped");
  }
  return result.get();
}

// --- Operations

namespace {

double saturated(double value, DType dtype) {
  if (std::isnan(value)) return 0;
  const double low = dtype == DType::i8 ? -0x1p7 : -0x1p31,
               high = dtype == DType::i8 ? 0x1p7 - 1 : 0x1p31 - 1;
  return std::clamp(value, low, high);
}

// Exact for integer arithmetic; for a float rounded to an integer, within half plus the f32 error.
bool integer_agrees(double got, const Estimate& expected, DType dtype) {
  const double value = saturated(expected.value, dtype);
  if (got == value || std::isinf(expected.error)) return true;
  return expected.error > 0 && std::fabs(got - value) <= 0.5 + expected.error;
}

bool float_agrees(double got, const Estimate& expected, DType dtype) {
  if (std::isinf(expected.error)) return true;
  if (std::isnan(got) || std::isnan(expected.value))
    return std::isnan(got) && std::isnan(expected.value);
  if (got == expected.value) return true;
  if (expected.rounded_once)
    return reference_rounding(dtype, expected.value - expected.error) <= got &&
           got <= reference_rounding(dtype, expected.value + expected.error);
  if (std::isinf(expected.value)) return false;
  // Error of functions computed in f32: relative, and absolute near its smallest normal number.
  const double allowed = 1e-5 * std::fabs(expected.value) + 1e-20 + expected.error;
  return reference_rounding(dtype, expected.value - allowed) <= got &&
         got <= reference_rounding(dtype, expected.value + allowed);
}

}  // namespace

ComputedKind computed_kind(const DataOp& op) {
  if (std::holds_alternative<GemmParams>(op.params)) return ComputedKind::gemm;
  if (std::holds_alternative<ConvertParams>(op.params)) return ComputedKind::conversion;
  switch (kind_of(std::get<MathParams>(op.params).op)) {
    case MathKind::reduction:
      return ComputedKind::reduction;
    case MathKind::scan:
      return ComputedKind::scan;
    case MathKind::sort:
      return ComputedKind::sort;
    case MathKind::move:
      return ComputedKind::move;
    case MathKind::element_wise:
      break;
  }
  return ComputedKind::element_wise;
}

const char* name_of(ComputedKind kind) {
  constexpr std::array<const char*, computed_kinds> names{
      "gemm", "element-wise", "reduction", "conversion", "scan", "sort", "move"};
  return names.at(static_cast<std::size_t>(kind));
}

OpCheck& OpCheck::operator+=(const OpCheck& later) {
  for (std::size_t kind = 0; kind < checked.size(); ++kind) checked[kind] += later.checked[kind];
  failures.insert(failures.end(), later.failures.begin(), later.failures.end());
  std::sort(failures.begin(), failures.end(),
            [](const OpFailure& a, const OpFailure& b) { return a.op->id < b.op->id; });
  return *this;
}

std::uint64_t OpCheck::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : checked) sum += count;
  return sum;
}

std::string OpCheck::summary() const {
  std::string list;
  for (std::size_t kind = 0; kind < checked.size(); ++kind) {
    if (checked[kind] == 0) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", checked[kind],
                        name_of(static_cast<ComputedKind>(kind)));
  }
  return list.empty() ? "none" : list;
}

Comparison check_op(const DataOp& op, const std::byte* output, const ValueLookup& values,
                    const StopQuestion& stop) {
  const DType dtype = op.outputs.at(0).dtype;
  const std::vector<Estimate> reference = reference_of(op, values, stop);
  Comparison result;
  result.elements = reference.size();
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double got = read_element(output + i * size_of(dtype), dtype);
    add_element(result, i, got, reference[i].value,
                is_float(dtype) ? float_agrees(got, reference[i], dtype)
                                : integer_agrees(got, reference[i], dtype));
  }
  return result;
}

OpCheck check_ops(const std::vector<DataOpPtr>& ops, const ValueLookup& values, unsigned threads,
                  const StopQuestion& stop) {
  OpCheck check;
  std::atomic<std::size_t> done{0};
  std::mutex mutex;
  std::exception_ptr error;
  {
    WorkerPool pool(threads);
    for (const DataOpPtr& op : ops) {
      ++check.checked[static_cast<std::size_t>(computed_kind(*op))];
      pool.submit([&, op] {
        if (says_stop(stop)) return;
        try {
          const Comparison comparison =
              check_op(*op, values(op->outputs[0].id).get(), values, stop);
          ++done;
          if (comparison.ok) return;
          const std::lock_guard<std::mutex> lock(mutex);
          check.failures.push_back({op, comparison});
        } catch (const StoppedError&) {
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex);
          error = std::current_exception();
        }
      });
    }
    pool.wait_idle();
  }
  if (done < ops.size() && says_stop(stop))
    throw StoppedError(fmt::format("{} of {} operations checked", done, ops.size()));
  if (error) std::rethrow_exception(error);
  std::sort(check.failures.begin(), check.failures.end(),
            [](const OpFailure& a, const OpFailure& b) { return a.op->id < b.op->id; });
  return check;
}

}  // namespace kernbench
