// Plays requests on an elaborated machine (spec 10.2): pe_dma requests queue for their channel,
// pcie_ep requests are injected immediately.
//
// Memory: 48 bytes for each request between the oldest that has not ended and the newest that was
// issued, and a payload for each granted request. Requests are fetched from the source only when
// their issue time is reached. A request without a route, or with an error response of the memory,
// ends the run with a fatal fault that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "models/protocol/pe_services.h"
#include "models/protocol/ring_buffer.h"
#include "platform/assembly/platform.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {

std::uint64_t traffic_capacity(const Platform& platform, NodeId target);  // bytes

class TrafficPlayer final : public sc_core::sc_module,
                            private TransactionListener,
                            private ServiceListener<DmaRequest> {
 public:
  static constexpr std::uint64_t bytes_per_request =
      64;  // outstanding, without its payload (spec 10.2)

  // All three arguments outlive the simulation. Construct before Platform::run(), which plays.
  TrafficPlayer(const sc_core::sc_module_name& name, Platform& platform, TrafficSource& source,
                TrafficListener& listener);

  std::uint64_t issued() const { return next_id_; }
  std::uint64_t ended() const { return ended_; }
  // Outstanding request of this initiator's transfer; none for a transfer of other origin.
  std::optional<std::uint32_t> request_of(const TieKey& key, NodeId initiator) const;
  // Called after a run that was stopped: delivers, in order of their ids, the results held back by
  // earlier requests.
  void hand_on_ended();
  // Called after a run: requests that have not ended, a line for each of the first 20; empty if
  // there are none.
  std::string waiting() const;
  // Throws DeadlockError with these requests.
  void check_all_ended() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Request from its issue until it and all earlier ones have ended.
  struct Entry {
    Fs issue;
    std::uint64_t offset_or_end;  // the offset until the grant, then the end
    std::uint64_t bytes;
    Fs grant;
    NodeId initiator;
    NodeId target;
    std::uint32_t next;  // id of the next one in the channel's queue
    bool write, granted, ended;
    bool handed_on;  // by hand_on_ended()
  };
  // Requests of one direction of a pe_dma that are queued for one of its channels.
  struct ChannelQueue {
    std::uint32_t first = none;
    std::uint32_t last = none;
    std::int64_t channels = 1;
    std::int64_t with_dma = 0;  // submitted, not ended
  };
  // One of the two sockets.
  struct Initiator {
    std::unique_ptr<ServiceInitiator<DmaRequest>> to_pe_dma;
    std::unique_ptr<ServiceInitiator<Transaction>> to_pcie_ep;
    ChannelQueue channels[2];  // channels of a pe_dma: read, write
  };

  void connect(NodeId node);
  void issue_due();
  void issue(const TrafficRequest& request);
  void submit(Initiator& initiator, std::uint32_t id);
  void inject(Initiator& initiator, std::uint32_t id);
  Initiator& initiator_of(NodeId node);
  Entry& entry(std::uint32_t id) { return window_[id - first_id_]; }
  void fail(std::uint32_t id, const std::string& fault);
  std::string text_of(std::uint32_t id, const Entry& entry) const;
  std::string not_ended() const;
  TrafficResult result_of(std::uint32_t id, const Entry& entry, Fs end) const;
  void end(std::uint32_t id);

  void completed(Transaction& transaction) override;
  void nb_transport_bw(DmaRequest& dma, const tlm::tlm_phase& phase) override;
  void dma_ended(std::uint32_t id);

  Platform& platform_;
  TrafficSource& source_;
  TrafficListener& listener_;
  sc_core::sc_event due_;
  TrafficRequest next_;
  bool exhausted_ = true;  // next_ is empty
  RingBuffer<Entry> window_;
  std::uint32_t first_id_ = 0;  // front of window_
  std::uint32_t next_id_ = 0;
  std::uint64_t ended_ = 0;
  std::size_t pending_wait_ = 0;                        // open while a request is outstanding
  std::vector<std::unique_ptr<Initiator>> initiators_;  // by node; null: starts no transfers
  PayloadPool<DmaRequest> dma_requests_;
  std::unordered_map<std::uint32_t, TransactionHandle> injected_;  // by id; looked up only
};

}  // namespace kernbench
