// Output of a virtual-channel router (vc_router.h).
//
// Timing: none of its own; the router calls it at edges of its clock. A channel is held from its
// allocation to the grant of the last flit. A credit counts at the first edge at or after its
// arrival. The place of a flit in the router is free when its last byte has left for the link.
#pragma once

#include <cstdint>
#include <string>

#include "models/noc/output_credits.h"

namespace kernbench {

class VcRouter;

class VcOutput final : public OutputCredits {
 public:
  // `port`: port of the router; the socket `output` leads to a link that carries bw_gbs.
  VcOutput(VcRouter& router, std::uint32_t port, FabricInitiatorSocket& output,
           Downstream downstream, const Rational& bw_gbs, std::uint32_t flit_bytes);

  using OutputCredits::allocate;
  using OutputCredits::group_of;
  using OutputCredits::groups;
  using OutputCredits::has_credit;
  using OutputCredits::link_available_at;
  using OutputCredits::next_credit;
  using OutputCredits::release;
  using OutputCredits::statistics;
  using OutputCredits::take_credits;
  using OutputCredits::to_link;
  using OutputCredits::use_credit;

  // Flits at the head of their queues that lack a credit or a virtual channel of this output:
  // starve() adds one in the present cycle, end_cycle() reports them.
  void begin_cycle() { starved_ = 0; }
  void starve() { ++starved_; }
  void end_cycle(Fs now) { note_stalled(starved_, now); }
  bool awaits_credits() const { return starved_ > 0 || observed(); }

  void accept(Transaction& transaction, FlitRun run, Fs at) override;
  void put(Transaction& transaction, FlitRun run, BufferPlace place, Fs at) override;

 private:
  void credit_announced(Fs at) override;
  std::string stalled_messages() const override;
  void begin_observation() override;

  VcRouter& router_;
  std::uint32_t port_;
  std::size_t starved_ = 0;
};

}  // namespace kernbench
