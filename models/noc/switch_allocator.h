// Switch allocation of a router for one cycle (spec 2.10): inputs that request outputs, and the
// policies that match them. Without SystemC, so that a policy is tested without a simulation.
//
//   class FixedPriority final : public SwitchAllocator {
//    public:
//     static constexpr const char* description = "router with fixed priorities";
//     using Parameters = VcRouterParameters;  // or a struct derived from it
//     explicit FixedPriority(const Parameters& parameters);
//     void match(const SwitchRequests& requests, SwitchMatches& matches) override;
//   };
//
//   registry.add(implementation_of<VcRouterNode<FixedPriority>>("acme.fixed_priority"));
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/tie_key.h"

namespace kernbench {

// Calls use(element) for each element of a set of numbers below 64, ascending.
template <class Use>
void for_each_of(std::uint64_t set, Use use) {
  for (; set != 0; set &= set - 1) use(static_cast<std::uint32_t>(__builtin_ctzll(set)));
}

// Lowest element of a non-empty set of numbers below 64 that is at least `start`, else the lowest.
inline unsigned first_from(std::uint64_t set, unsigned start) {
  const std::uint64_t rest = start < 64 ? set & (~std::uint64_t{0} << start) : 0;
  return static_cast<unsigned>(__builtin_ctzll(rest != 0 ? rest : set));
}

// Requests of one cycle. Sets of ports are bits: bit i for port i.
class SwitchRequests {
 public:
  static constexpr std::uint32_t most_ports = 64;  // inputs, and outputs

  SwitchRequests() = default;
  SwitchRequests(std::uint32_t inputs, std::uint32_t outputs)
      : inputs_(outputs, 0), outputs_(inputs, 0), flits_(std::size_t{inputs} * outputs) {}

  std::uint32_t inputs() const { return static_cast<std::uint32_t>(outputs_.size()); }
  std::uint32_t outputs() const { return static_cast<std::uint32_t>(inputs_.size()); }
  // Inputs with a request, and outputs that are requested.
  std::uint64_t requesting() const { return requesting_; }
  std::uint64_t requested() const { return requested_; }
  // Inputs with a flit for an output; outputs for which an input has a flit.
  std::uint64_t inputs_for(std::uint32_t output) const { return inputs_[output]; }
  std::uint64_t outputs_for(std::uint32_t input) const { return outputs_[input]; }
  bool has(std::uint32_t input, std::uint32_t output) const {
    return (outputs_[input] >> output & 1) != 0;
  }
  // The flit of a request: its virtual channel of the input, and the id of its transaction.
  std::uint32_t channel(std::uint32_t input, std::uint32_t output) const {
    return flits_[input * inputs_.size() + output].channel;
  }
  const TieKey& key(std::uint32_t input, std::uint32_t output) const {
    return flits_[input * inputs_.size() + output].key;
  }

  // Interface for the router; a second flit of a pair replaces the first.
  void clear();
  void add(std::uint32_t input, std::uint32_t output, std::uint32_t channel, const TieKey& key);

 private:
  struct Flit {
    TieKey key;
    std::uint32_t channel = 0;
  };
  std::uint64_t requesting_ = 0, requested_ = 0;
  std::vector<std::uint64_t> inputs_;   // by output
  std::vector<std::uint64_t> outputs_;  // by input
  std::vector<Flit> flits_;             // by input and output
};

// Output to which each input is connected, or SwitchAllocator::none. Set to none beforehand.
using SwitchMatches = std::vector<std::uint32_t>;

// Policy of one router, called in each cycle with requests. Each input and each output may be
// matched once, and only to an output that the input requests; else the run ends with an error. The
// next call has the same numbers of ports.
class SwitchAllocator {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  virtual ~SwitchAllocator() = default;
  virtual void match(const SwitchRequests& requests, SwitchMatches& matches) = 0;
  // Order of flits of one input for one output, and of first flits that need a virtual channel of
  // one output: true: by age, the least id first; false: in rotation.
  virtual bool oldest_first() const { return false; }
};

// Separable, input first, as separable_input_first of BookSim 2: each input proposes one of its
// outputs, each output accepts one of its inputs, both in rotation. The position behind a matched
// pair has priority next; a proposal that is not accepted moves no priority.
class RoundRobinAllocator final : public SwitchAllocator {
 public:
  void match(const SwitchRequests& requests, SwitchMatches& matches) override;

 private:
  std::vector<unsigned> next_output_, next_input_;  // by input, by output
  std::vector<std::uint64_t> proposals_;            // by output
};

// iSLIP (McKeown, 1999): in each iteration outputs without a match grant one of the inputs without
// a match that request them, then these inputs accept one of the grants, both in rotation. The
// pointers of a pair move behind it when it is accepted in the first iteration, and only then.
class IslipAllocator final : public SwitchAllocator {
 public:
  explicit IslipAllocator(std::uint32_t iterations) : iterations_(iterations) {}
  void match(const SwitchRequests& requests, SwitchMatches& matches) override;

 private:
  std::uint32_t iterations_;
  std::vector<unsigned> grant_, accept_;  // pointers, by output, by input
  std::vector<std::uint64_t> grants_;     // by input
};

// Age: the request with the least id (issue time, initiator, count) is matched, then the least of
// the inputs and outputs that are left.
class AgeAllocator final : public SwitchAllocator {
 public:
  void match(const SwitchRequests& requests, SwitchMatches& matches) override;
  bool oldest_first() const override { return true; }
};

}  // namespace kernbench
