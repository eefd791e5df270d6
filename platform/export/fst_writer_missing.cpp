// Replaces fst_writer.cpp if the library was not found.
#include "models/base/errors.h"
#include "platform/export/wave_writer.h"

namespace kernbench {

void check_fst_is_available() {
  throw UsageError(
      "this program was built without FST; it needs the Debian packages verilator, which holds the "
      "library (/usr/share/verilator/include/gtkwave/fstapi.c), and zlib1g-dev, and a new build; "
      "waveforms in .vcd need neither");
}

std::unique_ptr<WaveWriter> make_fst_writer(const std::string& /*path*/) {
  check_fst_is_available();
  return nullptr;
}

}  // namespace kernbench
