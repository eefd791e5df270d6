// Times of the control path by hand, and what stub engines do with launches.
#pragma once

#include <stdexcept>
#include <string>

#include "tests/support/whole_machine.h"

namespace kernbench::test {

inline constexpr Fs ns = fs_per_ns;

// The tiny machine, hop by hop (ns; a link of no length takes 1 fs):
//   host -> io_cpu     5 (pcie_ep) + 1 fs + 0 (io_noc) + 1 fs + 10 (io_cpu)
inline constexpr Fs at_io_cpu = 15 * ns + 2;
//   io_cpu -> m_cpu    io_noc 0, conn 0, io_ucie 8, 0.2, UCIe-N 8, conn 0, r0c0 2, 0.25, r1c0 2,
//       0.15, r2c0 2, m_cpu 5; 6 links of
//   no length
inline constexpr Fs io_to_m = 27'600'006;
//   m_cpu -> pe_cpu 0  r2c0 2, 0.15, r1c0 2, 0.25, r0c0 2, pe_cpu 2; 2 links of no length
inline constexpr Fs m_to_pe0 = 8'400'002;
//   m_cpu -> pe_cpu 1  r2c0 2, 0.25, r2c1 2, 0.15, r1c1 2, 0.25, r0c1 2, pe_cpu 2; 2 links of no
//       length
inline constexpr Fs m_to_pe1 = 10'650'002;
// Answers take the same ways without the overhead of the end.
inline constexpr Fs pe0_to_m = m_to_pe0 - 2 * ns;
inline constexpr Fs pe1_to_m = m_to_pe1 - 2 * ns;
inline constexpr Fs m_to_io = io_to_m - 5 * ns;
inline constexpr Fs io_to_host = 2;

inline const PeId pe0{0, 0, 0};
inline const PeId pe1{0, 0, 1};

inline StubEngines::Plan& plan(WholeMachine& m, const std::string& name) {
  return m.engines.plans[name];
}

inline const StubEngines::Launched& launched(const WholeMachine& m, const std::string& pe_cpu,
                                             int nth = 0) {
  for (const auto& launch : m.engines.launches) {
    if (launch.pe_cpu == pe_cpu && nth-- == 0) return launch;
  }
  throw std::runtime_error(pe_cpu + " was not reached");
}

}  // namespace kernbench::test
