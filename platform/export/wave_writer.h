// Waveform formats behind one interface: VCD (vcd_writer.cpp) and FST (fst_writer.cpp). Independent
// of SystemC.
//
// The date is fixed and variables are numbered in their order, so that equal runs give equal bytes.
// Timescale 1 fs.
#pragma once

#include <cstdint>
#include <memory>
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

// A variable as the file has it.
struct WaveItem {
  WaveVariable variable;
  bool changed = false;
};

// "[7:0]" of bits of width 8; "" of one bit and of other kinds. The name of a variable in a viewer
// is "scope.name[7:0]".
std::string range_of(const WaveVariable& variable);

// "scope.name", as viewers call it.
std::string full_name(const WaveVariable& variable);

// Blanks end a token in the formats and in the files of viewers.
std::string without_blanks(std::string_view text);

std::vector<std::string_view> parts_of(std::string_view dotted);

class WaveWriter {
 public:
  virtual ~WaveWriter() = default;

  // The variables in the order in which their scopes are to be nested: scope_order() of
  // platform/observe/object_tree.h. From here on a variable is its index.
  void header(const std::vector<WaveVariable>& variables);
  // Initial values belong between these two.
  virtual void begin_dump() {}
  virtual void end_dump() {}

  virtual void time(Fs t) = 0;                                       // ascending
  virtual void value(std::size_t variable, std::uint64_t bits) = 0;  // kind bits
  // Bits as 0 1 x z, reals as decimals, labels, "1" for an event.
  virtual void value(std::size_t variable, std::string_view text) = 0;
  void unknown(std::size_t variable) {  // not an event
    value(variable, variables_[variable].kind == WaveVariable::Kind::real ? "nan" : "x");
  }
  virtual void comment(std::string_view text) = 0;

  // Throws Error if anything of the file could not be written. The destructor closes silently.
  virtual void close() = 0;

 protected:
  struct Variable {
    WaveVariable::Kind kind;
    unsigned width;
  };
  const std::vector<Variable>& variables() const { return variables_; }

 private:
  // Each variable is declared in its scope; a scope is entered once.
  virtual void enter(const std::string& scope) = 0;
  virtual void leave() = 0;
  virtual void declare(const WaveVariable& variable) = 0;
  virtual void end_header() {}

  std::vector<Variable> variables_;
};

// Creates the file. Throws UsageError that names it and says why it cannot be written.
std::unique_ptr<WaveWriter> make_vcd_writer(const std::string& path);

// UsageError if this program was built without the library.
void check_fst_is_available();
// Replaces the file, which can be written: by blocks of changes while it is written, with a
// temporary F.fst.hier next to it until it is closed.
std::unique_ptr<WaveWriter> make_fst_writer(const std::string& path);

}  // namespace kernbench
