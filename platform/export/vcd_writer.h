// VCD text: header, scopes, identifiers, value changes, behind one large buffer.
//
// Enumerations are `$var string` with changes `sLABEL id`: an extension that GTKWave, Surfer,
// vcd2fst and fst2vcd read.
#pragma once

#include <cstdio>

#include "platform/export/wave_writer.h"

namespace kernbench {

class VcdWriter final : public WaveWriter {
 public:
  // Creates the file. Throws UsageError that names it and says why it cannot be written.
  explicit VcdWriter(const std::string& path);
  ~VcdWriter() override;
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  void header(const std::vector<WaveVariable>& variables) override;
  void begin_dump() override;
  void end_dump() override;
  void time(Fs t) override;
  void value(std::size_t variable, std::uint64_t bits) override;
  void value(std::size_t variable, std::string_view text) override;
  void unknown(std::size_t variable) override;
  void comment(std::string_view text) override;
  void close() override;

 private:
  void declare(const WaveVariable& variable);
  void put(std::string_view text);
  void flush();

  struct Variable {
    std::string id;
    WaveVariable::Kind kind;
    unsigned width;
  };

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
  std::vector<Variable> variables_;
  int error_ = 0;  // errno of the first write that failed
};

}  // namespace kernbench
