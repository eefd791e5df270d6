// FST, the compressed binary format of GTKWave: through its library, fstapi, whose sources Debian's
// package verilator holds.
#pragma once

#include <memory>
#include <string>

#include "platform/export/wave_writer.h"

namespace kernbench {

// UsageError if this program was built without the library.
void check_fst_is_available();

// Replaces the file, which can be written: by blocks of changes while it is written, with a
// temporary F.fst.hier beside it until it is closed.
std::unique_ptr<WaveWriter> make_fst_writer(const std::string& path);

}  // namespace kernbench
