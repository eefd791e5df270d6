#include "models/base/run_end.h"

namespace kernbench {
namespace {

Fs end = never_fs;

}  // namespace

Fs run_end() { return end; }

RunEnd::RunEnd(Fs instant) { end = instant; }

RunEnd::~RunEnd() { end = never_fs; }

}  // namespace kernbench
