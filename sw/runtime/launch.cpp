#include "sw/runtime/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/quote.h"

namespace kernbench {

LaunchSpec& LaunchSpec::deployed(std::uint64_t code_bytes) {
  if (code_bytes == 0)
    throw UsageError(
        fmt::format("launch '{}': a deployed kernel has at least 1 byte of code", name_));
  code_bytes_ = code_bytes;
  return *this;
}

LaunchSpec& LaunchSpec::meta(LaunchMeta meta) {
  if (const auto tokens = meta.find("tokens"); tokens != meta.end()) {
    const std::string& text = tokens->second;
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || text.find_first_not_of('0') == std::string::npos || text.size() > 18)
      throw UsageError(fmt::format(
          "launch '{}': meta 'tokens' is {}, allowed: a whole number from 1 to 10^18 - 1", name_,
          quote(text)));
  }
  meta_ = std::move(meta);
  return *this;
}

std::map<int, std::vector<PeId>> LaunchSpec::targets(const std::vector<KernelArgument>& args,
                                                     int pes_per_cube) const {
  std::vector<int> pes;
  for (int pe = 0; pe < pes_per_cube; ++pe) pes.push_back(pe);
  if (target_pes_) {
    pes = *target_pes_;
    std::sort(pes.begin(), pes.end());
    pes.erase(std::unique(pes.begin(), pes.end()), pes.end());
    if (pes.empty() || pes.front() < 0 || pes.back() >= pes_per_cube) {
      throw UsageError(fmt::format("launch '{}': target PE {}, allowed: 0 to {}", name_,
                                   pes.empty()
                                       ? "list is empty"
                                       : std::to_string(pes.front() < 0 ? pes.front() : pes.back()),
                                   pes_per_cube - 1));
    }
  }
  std::vector<std::pair<int, int>> cubes;
  for (const KernelArgument& argument : args) {
    const auto* tensor = std::get_if<TensorArgument>(&argument);
    if (tensor == nullptr) continue;
    for (const Shard& shard : tensor->shards) {
      const std::pair<int, int> cube{shard.where.sip, shard.where.cube};
      if (cubes.empty() || cubes.back() != cube) cubes.push_back(cube);
    }
  }
  std::sort(cubes.begin(), cubes.end());
  cubes.erase(std::unique(cubes.begin(), cubes.end()), cubes.end());
  if (cubes.empty())
    throw UsageError(fmt::format("launch '{}': no tensor argument says on which PEs", name_));
  std::map<int, std::vector<PeId>> result;
  for (const auto& [sip, cube] : cubes) {
    for (const int pe : pes) result[sip].push_back({sip, cube, pe});
  }
  return result;
}

const LaunchHandle::State& LaunchHandle::state() const {
  if (!state_) throw UsageError("a launch handle is used before a launch");
  return *state_;
}

const std::string& LaunchHandle::name() const { return state().name; }

bool LaunchHandle::State::uses(const void* tensor) const {
  return std::any_of(keeps.begin(), keeps.end(),
                     [tensor](const auto& each) { return each.get() == tensor; });
}

bool LaunchHandle::State::ended() const {
  return begun && std::all_of(requests.begin(), requests.end(),
                              [](const auto& request) { return request->done(); });
}

bool LaunchHandle::done() const {
  if (!state().ended()) return false;
  state_->found_done = true;
  return true;
}

const LaunchMetrics& LaunchHandle::metrics() const {
  if (!state().metrics)
    throw UsageError(fmt::format("metrics of launch '{}' before torch.wait", state().name));
  return *state().metrics;
}

const Completion& LaunchHandle::completion() const {
  if (!state().metrics)
    throw UsageError(fmt::format("completion of launch '{}' before torch.wait", state().name));
  return state().completion;
}

}  // namespace kernbench
