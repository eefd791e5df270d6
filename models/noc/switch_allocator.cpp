#include "models/noc/switch_allocator.h"

#include <algorithm>

namespace kernbench {
namespace {

constexpr std::uint64_t bit(unsigned port) { return std::uint64_t{1} << port; }

}  // namespace

void SwitchRequests::clear() {
  for_each_of(requested_, [this](std::uint32_t output) { inputs_[output] = 0; });
  for_each_of(requesting_, [this](std::uint32_t input) { outputs_[input] = 0; });
  requesting_ = requested_ = 0;
}

void SwitchRequests::add(std::uint32_t input, std::uint32_t output, std::uint32_t channel,
                         const TieKey& key) {
  requesting_ |= bit(input);
  requested_ |= bit(output);
  inputs_[output] |= bit(input);
  outputs_[input] |= bit(output);
  flits_[input * inputs_.size() + output] = {key, channel};
}

void RoundRobinAllocator::match(const SwitchRequests& requests, SwitchMatches& matches) {
  next_output_.resize(requests.inputs(), 0);
  next_input_.resize(requests.outputs(), 0);
  proposals_.resize(requests.outputs(), 0);
  std::uint64_t proposed = 0;  // outputs
  for_each_of(requests.requesting(), [&](std::uint32_t input) {
    const unsigned output = first_from(requests.outputs_for(input), next_output_[input]);
    proposals_[output] |= bit(input);
    proposed |= bit(output);
  });
  for_each_of(proposed, [&](std::uint32_t output) {
    const unsigned input = first_from(proposals_[output], next_input_[output]);
    proposals_[output] = 0;
    matches[input] = output;
    next_output_[input] = output + 1;
    next_input_[output] = input + 1;
  });
}

void IslipAllocator::match(const SwitchRequests& requests, SwitchMatches& matches) {
  grant_.resize(requests.outputs(), 0);
  accept_.resize(requests.inputs(), 0);
  std::uint64_t inputs = requests.requesting(), outputs = requests.requested();  // unmatched
  for (std::uint32_t iteration = 0; iteration < iterations_; ++iteration) {
    grants_.assign(requests.inputs(), 0);
    std::uint64_t granted = 0;  // inputs
    for_each_of(outputs, [&](unsigned output) {
      const std::uint64_t requesting = requests.inputs_for(output) & inputs;
      if (requesting == 0) return;
      const unsigned input = first_from(requesting, grant_[output]);
      grants_[input] |= bit(output);
      granted |= bit(input);
    });
    if (granted == 0) return;
    for_each_of(granted, [&](unsigned input) {
      const unsigned output = first_from(grants_[input], accept_[input]);
      matches[input] = output;
      inputs &= ~bit(input);
      outputs &= ~bit(output);
      if (iteration > 0) return;
      grant_[output] = input + 1;
      accept_[input] = output + 1;
    });
  }
}

void AgeAllocator::match(const SwitchRequests& requests, SwitchMatches& matches) {
  std::uint64_t inputs = requests.requesting(), outputs = requests.requested();  // unmatched
  for (;;) {
    const TieKey* oldest = nullptr;
    unsigned best_input = 0, best_output = 0;
    for_each_of(inputs, [&](unsigned input) {
      for_each_of(requests.outputs_for(input) & outputs, [&](unsigned output) {
        const TieKey& key = requests.key(input, output);
        if (oldest != nullptr && !(key < *oldest)) return;
        oldest = &key;
        best_input = input;
        best_output = output;
      });
    });
    if (oldest == nullptr) return;
    matches[best_input] = best_output;
    inputs &= ~bit(best_input);
    outputs &= ~bit(best_output);
  }
}

}  // namespace kernbench
