#include "models/pe/pe_ipcq.h"

namespace kernbench {

ParameterSchema PeIpcq::schema() {
  return {Parameter::decimal("overhead_ns", "time per command", "ns", "spec 5").default_val("0").range("0", "")};
}

PeIpcq::PeIpcq(const ComponentInit& init) : Component(init) {}

}  // namespace kernbench
