#include "platform/phase2/op_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>

#include "models/data/elements.h"
#include "platform/phase2/reference_op.h"
#include "platform/phase2/worker_pool.h"

namespace kernbench {
namespace {

double saturated(double value, DType dtype) {
  if (std::isnan(value)) return 0;
  const double low = dtype == DType::i8 ? -0x1p7 : -0x1p31,
               high = dtype == DType::i8 ? 0x1p7 - 1 : 0x1p31 - 1;
  return std::clamp(value, low, high);
}

// Of integer arithmetic exact; of a float that was rounded to an integer, within half and what f32
// may make of it.
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
    return rounded_to(dtype, expected.value - expected.error) <= got &&
           got <= rounded_to(dtype, expected.value + expected.error);
  if (std::isinf(expected.value)) return false;
  // Error of functions computed in f32: relative, and absolute near its smallest normal number.
  const double allowed = 1e-5 * std::fabs(expected.value) + 1e-20 + expected.error;
  return rounded_to(dtype, expected.value - allowed) <= got &&
         got <= rounded_to(dtype, expected.value + allowed);
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
    const double error = std::fabs(got - reference[i].value);
    if (std::isfinite(error)) {
      result.largest_abs_error = std::max(result.largest_abs_error, error);
      if (reference[i].value != 0)
        result.largest_rel_error =
            std::max(result.largest_rel_error, error / std::fabs(reference[i].value));
    }
    if (is_float(dtype) ? float_agrees(got, reference[i], dtype)
                        : integer_agrees(got, reference[i], dtype))
      continue;
    if (result.mismatches++ == 0) {
      result.first_bad = i;
      result.got = got;
      result.expected = reference[i].value;
    }
  }
  result.ok = result.mismatches == 0;
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
