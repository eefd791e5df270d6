// Reads a VCD file, strictly by IEEE 1364 but for $var string: for tests of waveforms.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernbench::test {

struct VcdVariable {
  std::string type;  // "wire", "string", ...
  unsigned width = 0;
  std::vector<std::pair<std::uint64_t, std::string>> changes;  // instant, value as written
};

struct Vcd {
  std::string timescale, date;
  std::map<std::string, VcdVariable> variables;  // "sip0.pe0.pe_dma.busy", without [7:0]
  std::uint64_t first = 0, last = 0;             // timestamps
  std::uint64_t timestamps = 0;

  // The value at the end of the instant; "" if there is none.
  std::string at(const std::string& name, std::uint64_t instant) const;
};

// Throws std::runtime_error that names the token that is wrong: an unknown identifier or type,
// time that does not advance, a scope that is not closed, a value of a wrong width.
Vcd read_vcd(const std::string& text);

}  // namespace kernbench::test
