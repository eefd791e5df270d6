#include "models/noc/vc_output.h"

#include <utility>

#include "models/base/errors.h"
#include "models/noc/vc_router.h"

namespace kernbench {

VcOutput::VcOutput(VcRouter& router, std::uint32_t port, FabricInitiatorSocket& output,
                   Downstream downstream, const Rational& bw_gbs, std::uint32_t flit_bytes)
    : OutputCredits(router, output, std::move(downstream), bw_gbs, flit_bytes), router_(router),
      port_(port) {}

void VcOutput::accept(Transaction& transaction, FlitRun run, Fs at) {
  if (run.count > 0) throw ModelError("a flit bypasses the switch of a virtual-channel router");
  output()->accept(transaction, run, at);
}

void VcOutput::put(Transaction& transaction, FlitRun run, BufferPlace /*place*/, Fs at) {
  accept(transaction, run, at);
}

void VcOutput::credit_announced(Fs at) {
  if (awaits_credits()) router_.work_from(at);
}

std::string VcOutput::stalled_messages() const { return router_.starved_at(port_); }

void VcOutput::begin_observation() {
  take_credits(Component::now());
  show(starved_);
  if (next_credit() != never_fs) router_.work_from(next_credit());
}

}  // namespace kernbench
