// VCD text: header, scopes, identifiers, value changes, behind one large buffer. Independent of
// SystemC.
//
// The date is fixed and identifiers follow the order of the variables, so that equal runs give
// equal bytes. Enumerations are `$var string` with changes `sLABEL id`: an extension that GTKWave,
// vcd2fst and fst2vcd read. Timescale 1 fs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.h"

namespace kernbench {

struct VcdVariable {
  enum class Kind : std::uint8_t { bits, real, text, event };
  std::string scope;  // dotted; "" = the top
  std::string name;
  Kind kind = Kind::bits;
  unsigned width = 1;  // of bits
};

class VcdWriter {
 public:
  // Creates the file. Throws UsageError that names it and says why it cannot be written.
  explicit VcdWriter(const std::string& path);
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  // The variables in the order in which their scopes are to be nested: see scope_order(). From here
  // on a variable is its index.
  void header(const std::vector<VcdVariable>& variables);
  // Initial values belong between these two.
  void begin_dump();
  void end_dump();

  void time(Fs t);                                       // ascending
  void value(std::size_t variable, std::uint64_t bits);  // kind bits
  void value(
      std::size_t variable,
      std::string_view text);  // bits as 0 1 x z, reals as decimals, labels, "1" for an event
  void comment(std::string_view text);

  // Throws Error if anything of the file could not be written. The destructor closes silently.
  void close();

 private:
  void put(std::string_view text);
  void flush();

  struct Variable {
    std::string id;
    VcdVariable::Kind kind;
    unsigned width;
  };

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
  std::vector<Variable> variables_;
  int error_ = 0;  // errno of the first write that failed
};

// True if variables of scope `a` come before those of scope `b`: by the parts of the dotted names,
// outer scopes first.
bool scope_order(std::string_view a, std::string_view b);

}  // namespace kernbench
