#include "sw/benches/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/errors.h"
#include "sw/benches/reference.h"

namespace kernbench::benches {

Input random_input(Torch& torch, const Shape& shape, DType dtype, const DPPolicy& policy,
                   const std::string& name, double scale) {
  Input input{torch.empty(shape, dtype, policy, name),
              nullptr};  // a tensor that does not fit is refused before its values are drawn
  if (torch.with_data()) {
    input.host = std::make_shared<const HostArray>(random_array(torch, shape, dtype, scale));
    input.tensor.copy_(*input.host);
  } else {
    input.tensor.fill_(0);
  }
  return input;
}

Input input_of(Torch& torch, const Shape& shape, DType dtype, const DPPolicy& policy,
               const std::string& name, const std::function<std::vector<double>()>& values) {
  Input input{torch.empty(shape, dtype, policy, name), nullptr};
  if (torch.with_data()) {
    input.host = std::make_shared<const HostArray>(shape, dtype, values());
    input.tensor.copy_(*input.host);
  } else {
    input.tensor.fill_(0);
  }
  return input;
}

HostArray random_array(Torch& torch, const Shape& shape, DType dtype, double scale) {
  return HostArray(shape, dtype,
                   reference::each(torch.random(shape, dtype).values(),
                                   [scale](double value) { return value * scale; }));
}

double scale_of_depth(std::int64_t depth) {
  return std::exp2(-std::round(std::log2(static_cast<double>(depth)) / 2));
}

DPPolicy rows_over(int pes) { return {Placement::replicate, Placement::row_wise, 1, pes}; }
DPPolicy columns_over(int pes) { return {Placement::replicate, Placement::column_wise, 1, pes}; }
DPPolicy copy_on(int pes) { return {Placement::replicate, Placement::replicate, 1, pes}; }

LaunchSpec launch_on_first(const std::string& name, int pes) {
  std::vector<int> targets(static_cast<std::size_t>(pes));
  std::iota(targets.begin(), targets.end(), 0);
  return LaunchSpec(name).on_pes(std::move(targets));
}

Parameter extent(const char* name, const char* description, std::int64_t count) {
  return Parameter::integer(name, description, "", "spec 10.3")
      .default_val(count)
      .range("1", "1048576");
}

Parameter choice(const char* name, const char* description, std::vector<std::string> choices,
                 const char* source) {
  const std::string by_default = choices.at(0);
  return Parameter::choice(name, description, std::move(choices), source).default_val(by_default);
}

Parameter float_dtype(const char* description) {
  return choice("dtype", description, {"f16", "bf16", "f32"});
}

Parameter any_dtype(const char* description) {
  return choice("dtype", description, {"f16", "bf16", "f32", "i8", "i32"});
}

int pes_of_rank(Torch& torch) {
  const MachineDescription& machine = torch.spec();
  return torch.distributed.ranks_to_spawn().unit == RankUnit::pe ? 1
                                                                 : machine.cubes() * machine.pes;
}

void check_parts(const Torch& torch, const char* bench, const char* parameter, int ranks, int pes) {
  const std::int64_t value = torch.parameters().integer(parameter),
                     least = std::int64_t{ranks} * pes;
  if (value >= least && value % ranks == 0) return;
  throw UsageError(fmt::format(
      "{}: {} is {}: expected a multiple of the {} ranks, at least {} (one for each of {} PEs of "
      "a rank); set {}, for example to {}",
      bench, parameter, value, ranks, least, pes, parameter,
      std::max(least, value / ranks * ranks)));
}

Parameter size_in_bytes(const char* name, const char* description, std::int64_t bytes) {
  return Parameter::integer(name, description, "B", "spec 10.3")
      .default_val(bytes)
      .range("2", "1048576");
}

std::vector<std::int64_t> sizes_in_bytes(const Attributes& given, DType dtype,
                                         std::int64_t factor) {
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  const auto whole = [element](std::int64_t bytes) {
    return std::max(element, bytes - bytes % element);
  };
  const std::int64_t largest = whole(given.integer("max_bytes"));
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = whole(given.integer("min_bytes")); bytes < largest;
       bytes = whole(bytes * factor))
    sizes.push_back(bytes);
  sizes.push_back(largest);
  return sizes;
}

Parameter magnitude_of_queries() {
  return Parameter::integer("magnitude", "queries are multiplied by 2 to this power", "",
                            "assumption")
      .default_val(3)
      .range("0", "8");
}

Parameter shared_by_pes(const char* what) {
  const std::string description =
      fmt::format("PEs of the cube that share the {}; fewer if there are fewer {}", what, what);
  return Parameter::integer("pes", description, "", "spec 10.3").default_val(8).range("1", "64");
}

int parts(const Torch& torch, std::int64_t extent) {
  return static_cast<int>(std::min(torch.parameters().integer("pes"), extent));
}

int rows_within(std::int64_t rows, std::uint64_t row_bytes, std::uint64_t bytes) {
  return static_cast<int>(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / row_bytes), 1, rows));
}

}  // namespace kernbench::benches
