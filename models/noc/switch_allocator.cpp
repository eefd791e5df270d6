#include "models/noc/switch_allocator.h"

#include <algorithm>

namespace kernbench {
namespace {

constexpr std::uint64_t bit(unsigned port) { return std::uint64_t{1} << port; }

// Calls use(element) for each element, ascending.
template <class Use>
void for_each(std::uint64_t set, Use use) {
  for (; set != 0; set &= set - 1) use(static_cast<unsigned>(__builtin_ctzll(set)));
}

std::uint64_t all(std::uint32_t ports) { return ports < 64 ? bit(ports) - 1 : ~std::uint64_t{0}; }

}  // namespace

void SwitchRequests::clear() {
  std::fill(inputs_.begin(), inputs_.end(), 0);
  std::fill(outputs_.begin(), outputs_.end(), 0);
}

void SwitchRequests::add(std::uint32_t input, std::uint32_t output, std::uint32_t channel,
                         const TieKey& key) {
  inputs_[output] |= bit(input);
  outputs_[input] |= bit(output);
  flits_[input * inputs_.size() + output] = {key, channel};
}

void RoundRobinAllocator::match(const SwitchRequests& requests, SwitchMatches& matches) {
  next_output_.resize(requests.inputs(), 0);
  next_input_.resize(requests.outputs(), 0);
  proposals_.assign(requests.outputs(), 0);
  for (std::uint32_t input = 0; input < requests.inputs(); ++input) {
    const std::uint64_t outputs = requests.outputs_for(input);
    if (outputs != 0) proposals_[first_from(outputs, next_output_[input])] |= bit(input);
  }
  for (std::uint32_t output = 0; output < requests.outputs(); ++output) {
    if (proposals_[output] == 0) continue;
    const unsigned input = first_from(proposals_[output], next_input_[output]);
    matches[input] = output;
    next_output_[input] = output + 1;
    next_input_[output] = input + 1;
  }
}

void IslipAllocator::match(const SwitchRequests& requests, SwitchMatches& matches) {
  grant_.resize(requests.outputs(), 0);
  accept_.resize(requests.inputs(), 0);
  std::uint64_t inputs = all(requests.inputs()), outputs = all(requests.outputs());  // unmatched
  for (std::uint32_t iteration = 0; iteration < iterations_; ++iteration) {
    grants_.assign(requests.inputs(), 0);
    std::uint64_t granted = 0;  // inputs
    for_each(outputs, [&](unsigned output) {
      const std::uint64_t requesting = requests.inputs_for(output) & inputs;
      if (requesting == 0) return;
      const unsigned input = first_from(requesting, grant_[output]);
      grants_[input] |= bit(output);
      granted |= bit(input);
    });
    if (granted == 0) return;
    for_each(granted, [&](unsigned input) {
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
  std::uint64_t inputs = all(requests.inputs()), outputs = all(requests.outputs());  // unmatched
  for (;;) {
    const TieKey* oldest = nullptr;
    unsigned best_input = 0, best_output = 0;
    for_each(inputs, [&](unsigned input) {
      for_each(requests.outputs_for(input) & outputs, [&](unsigned output) {
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
