// Parts of a transfer's latency (spec 11.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "models/base/units.h"
#include "platform/topology/graph.h"

namespace kernbench {

enum class LatencyPart : std::uint8_t { pe_setup, noc, ucie, fabric, link, hbm, contention };
inline constexpr std::size_t latency_part_count = 7;
const char* name_of(LatencyPart part);     // "pe_setup", ...
const char* meaning_of(LatencyPart part);  // one line
// What --breakdown shows, for --help.
std::string latency_parts_help();

// The part to which a node's overhead, or the propagation of a link, belongs.
LatencyPart part_of(Role kind);
LatencyPart part_of(EdgeKind kind);

class LatencyParts {
 public:
  Fs& operator[](LatencyPart part) { return parts_[static_cast<std::size_t>(part)]; }
  Fs operator[](LatencyPart part) const { return parts_[static_cast<std::size_t>(part)]; }
  Fs total() const {
    Fs sum = 0;
    for (const Fs part : parts_) sum += part;
    return sum;
  }
  LatencyParts& operator+=(const LatencyParts& other) {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] += other.parts_[i];
    return *this;
  }

 private:
  std::array<Fs, latency_part_count> parts_{};
};

}  // namespace kernbench
