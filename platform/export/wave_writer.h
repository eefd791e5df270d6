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
  unsigned width = 1;  // bits
  SignalType type = SignalType::count;
};

// Variable as written to the file.
struct WaveItem {
  WaveVariable variable;
  bool changed = false;
};

// "[7:0]" for bits of width 8; "" for one bit and for other kinds. The name of a variable in a
// viewer is "scope.name[7:0]".
std::string range_of(const WaveVariable& variable);

// "scope.name", as shown by viewers.
std::string full_name(const WaveVariable& variable);

// Blanks end a token in the formats and in the files of viewers.
std::string without_blanks(std::string_view text);

std::vector<std::string_view> parts_of(std::string_view dotted);

class WaveWriter {
 public:
  virtual ~WaveWriter() = default;

  // Declares the variables in the order in which their scopes nest: scope_order() of
  // platform/observe/object_tree.h. From here on a variable is identified by its index.
  void header(const std::vector<WaveVariable>& variables);
  // Initial values are written between these two calls.
  virtual void begin_dump() {}
  virtual void end_dump() {}

  virtual void time(Fs t) = 0;                                       // ascending
  virtual void value(std::size_t variable, std::uint64_t bits) = 0;  // kind bits
  // Bits as 0 1 x z, reals as decimals, labels, "1" for an event.
  virtual void value(std::size_t variable, std::string_view text) = 0;
  void unknown(std::size_t variable) {  // not for events
    value(variable, variables_[variable].kind == WaveVariable::Kind::real ? "nan" : "x");
  }
  virtual void comment(std::string_view text) = 0;

  // Throws Error if any part of the file could not be written. The destructor closes silently.
  virtual void close() = 0;

 protected:
  struct Variable {
    WaveVariable::Kind kind;
    unsigned width;
  };
  const std::vector<Variable>& variables() const { return variables_; }

 private:
  // Declares each variable in its scope; a scope is entered once.
  virtual void enter(const std::string& scope) = 0;
  virtual void leave() = 0;
  virtual void declare(const WaveVariable& variable) = 0;
  virtual void end_header() {}

  std::vector<Variable> variables_;
};

// Creates the file. Throws UsageError that names it and the reason if it cannot be written.
std::unique_ptr<WaveWriter> make_vcd_writer(const std::string& path);

// Throws UsageError if this program was built without the library.
void check_fst_is_available();
// Replaces the file, which must be writable, in blocks of changes, with a temporary F.fst.hier next
// to it until it is closed.
std::unique_ptr<WaveWriter> make_fst_writer(const std::string& path);

}  // namespace kernbench
