// Control of the segments of a PE_DMA: the messages that install and remove them (spec 3.3).
//
// Timing: a message takes effect overhead_ns after it came and is answered at once then; messages
// do not wait for each other. A look-up takes no time; an access that goes through the segments
// pays baaw_overhead_ns.
#pragma once

#include <vector>

#include "models/pe/baaw.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/pe_services.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

class SegmentControl final : private ServiceProvider<SegmentRequest> {
 public:
  // `dma` is the node that answers.
  SegmentControl(FabricNode& dma, const MachineDescription& machine, Fs overhead, Fs baaw_overhead)
      : dma_(dma), overhead_(overhead), baaw_overhead_(baaw_overhead), baaw_(machine) {}

  // See Baaw.
  void add_pieces(std::uint64_t address, std::uint64_t nbytes, DmaPieces& pieces) {
    baaw_.add_pieces(address, nbytes, pieces);
  }
  void add_pieces(const AddressRuns& runs, DmaPieces& pieces) { baaw_.add_pieces(runs, pieces); }
  Fs baaw_overhead() const { return baaw_overhead_; }

  // A message has come.
  void arrived(const Arrival& message) { messages_.push_back(message); }
  Fs next_due() const { return messages_.empty() ? never_fs : messages_.front().time + overhead_; }
  void serve(Fs now);

  const Baaw& baaw() const { return baaw_; }

 private:
  void transport_dbg(SegmentRequest& request) override {
    request.ranges = baaw_.look_up(request.address, request.nbytes);
  }
  void take(Transaction& request);

  FabricNode& dma_;
  Fs overhead_, baaw_overhead_;
  Baaw baaw_;
  RingBuffer<Arrival> messages_;  // in order of arrival
  ServiceTarget<SegmentRequest> look_ups_{dma_, *this};
};

}  // namespace kernbench
