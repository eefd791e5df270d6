// Waveform formats behind one interface: VCD (vcd_writer.h) and FST (fst_writer.h). Independent of
// SystemC.
//
// The date is fixed and variables are numbered in their order, so that equal runs give equal bytes.
// Timescale 1 fs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/signal_format.h"
#include "models/base/units.h"

namespace kernbench {

struct WaveVariable {
  enum class Kind : std::uint8_t { bits, real, text, event };
  std::string scope;  // dotted; "" = the top
  std::string name;
  Kind kind = Kind::bits;
  unsigned width = 1;  // of bits
  SignalType type = SignalType::count;
};

// Addresses and numbers of transactions, as viewers show them.
inline bool is_hexadecimal(const WaveVariable& variable) {
  return variable.type == SignalType::address ||
         (variable.type == SignalType::id && variable.width > 32);
}

class WaveWriter {
 public:
  virtual ~WaveWriter() = default;

  // The variables in the order in which their scopes are to be nested: scope_order() of
  // platform/observe/object_tree.h. From here on a variable is its index.
  virtual void header(const std::vector<WaveVariable>& variables) = 0;
  // Initial values belong between these two.
  virtual void begin_dump() {}
  virtual void end_dump() {}

  virtual void time(Fs t) = 0;                                       // ascending
  virtual void value(std::size_t variable, std::uint64_t bits) = 0;  // kind bits
  // Bits as 0 1 x z, reals as decimals, labels, "1" for an event.
  virtual void value(std::size_t variable, std::string_view text) = 0;
  virtual void unknown(std::size_t variable) = 0;  // not an event
  virtual void comment(std::string_view text) = 0;

  // Throws Error if anything of the file could not be written. The destructor closes silently.
  virtual void close() = 0;
};

// "[7:0]" of bits of width 8; "" of one bit and of other kinds. The name of a variable in a viewer
// is "scope.name[7:0]".
std::string range_of(const WaveVariable& variable);

// Blanks end a token in the formats and in the files of viewers.
std::string without_blanks(std::string_view text);

std::vector<std::string_view> parts_of(std::string_view dotted);

// Calls leave(), enter(part) and declare(variable) so that each variable stands in its scope.
template <class Enter, class Leave, class Declare>
void nest_scopes(const std::vector<WaveVariable>& variables, Enter enter, Leave leave,
                 Declare declare) {
  std::vector<std::string_view> open;
  for (const WaveVariable& variable : variables) {
    const auto scope = parts_of(variable.scope);
    std::size_t common = 0;
    while (common < open.size() && common < scope.size() && open[common] == scope[common]) ++common;
    for (std::size_t i = open.size(); i > common; --i) leave();
    for (std::size_t i = common; i < scope.size(); ++i) enter(without_blanks(scope[i]));
    open = scope;
    declare(variable);
  }
  for (std::size_t i = open.size(); i > 0; --i) leave();
}

}  // namespace kernbench
