// HBM partition of one PE with banks, row buffers, refresh and a reordering command scheduler per
// pseudo-channel (models/timing/hbm_bank_scheduler.h). Replaces HbmController.
//
// Flow (spec 2.5). A read queues all bursts that it touches overhead_ns after its command, one
// queue for each pseudo-channel; a response flit leaves when all bursts up to its last one have
// arrived. Write flits pass an inbox as in a router and enter the write queues burst by burst;
// while a queue is full the flit and its successors wait in the inbox. A write commits when its
// last burst is in a queue: later reads find it there. A posted write ends then, any other is
// acknowledged. An atomic access takes effect with its last operand, reads its bursts and queues
// their writes when all have arrived, and answers at that instant. Not modelled: power-down,
// ECC; the value of a read does not depend on the order of commands (MemoryStore holds values).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/cube/hbm_channels.h"
#include "models/cube/hbm_services.h"
#include "models/data/debug_access.h"
#include "models/fabric/memory_service.h"
#include "models/fabric/serial_ingress.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"
#include "models/timing/hbm_address_map.h"
#include "models/timing/hbm_bank_scheduler.h"
#include "models/timing/hbm_bank_timing.h"

namespace kernbench {

// Bursts of one access that are outstanding, and the flits that they hold back.
class HbmBurstsOfFlits {
 public:
  void begin(std::uint32_t flits, Fs now) {
    flits_.assign(flits, Flit{0, now});
    complete_ = 0;
    latest_ = now;
    outstanding_ = 0;
    departs = false;
  }
  void add(std::uint32_t flit) {
    ++flits_[flit].bursts;
    ++outstanding_;
  }
  // A burst of the flit arrives at `finish`; false: it has none that is outstanding.
  bool finish(std::uint32_t flit, Fs finish) {
    Flit& at = flits_[flit];
    if (at.bursts == 0) return false;
    at.latest = std::max(at.latest, finish);
    --outstanding_;
    if (--at.bursts == 0 && flit == complete_) complete();
    return true;
  }
  // After the last add(): flits without bursts of their own follow the previous one.
  void complete() {
    for (; complete_ < flits_.size() && flits_[complete_].bursts == 0; ++complete_)
      latest_ = flits_[complete_].latest = std::max(latest_, flits_[complete_].latest);
  }
  bool has(std::uint32_t flit) const { return flit < complete_; }
  Fs ready(std::uint32_t flit) const { return flits_[flit].latest; }
  std::uint32_t outstanding() const { return outstanding_; }
  // Time at which all bursts have arrived, once none is outstanding.
  Fs latest() const { return latest_; }

  std::uint64_t id = 0, address = 0;  // write: of its transaction, which may have ended
  bool departs = false;               // a departure is scheduled
  std::vector<HbmPlace> changed;      // atomic access: bursts to be written

 private:
  struct Flit {
    std::uint32_t bursts = 0;  // outstanding
    Fs latest = 0;
  };
  std::vector<Flit> flits_;
  std::uint32_t complete_ = 0;  // flits of which all bursts, and those of earlier flits, are known
  std::uint32_t outstanding_ = 0;
  Fs latest_ = 0;
};

// A burst that a scheduler serves twice or never is a ModelError (spec 2.5).
class HbmBanked : public FabricNode {
 public:
  static constexpr const char* description =
      "HBM partition with banks, refresh and reordering of commands";
  static constexpr std::array roles{Role::hbm_ctrl};
  struct Parameters : HbmBankedParameters {
    using HbmBankedParameters::HbmBankedParameters;
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters) {
    return check_banked(parameters);
  }
  explicit HbmBanked(const ComponentInit& init)
      : HbmBanked(init, init.attributes.as<Parameters>()) {}

 protected:
  // A scheduler has issued the read or write of a burst, whose data are on the bus in `slot`.
  virtual void served(std::size_t channel, const HbmAccess& access, HbmDirection direction,
                      const HbmSlot& slot, Fs now);

 private:
  using Pending = HbmServices<HbmBurstsOfFlits>;
  using Service = Pending::Service;
  struct Staged {  // a flit of a write without room in its queues
    Arrival arrival;
    Fs start = 0;
  };
  struct QueueSignals {
    TraceSignal *reads = nullptr, *writes = nullptr, *open_banks = nullptr, *draining = nullptr;
  };

  HbmBanked(const ComponentInit& init, const Parameters& parameters);

  Fs next_due() const override;
  void serve() override;
  void declare_signals() override;
  std::size_t depth(Fs now) const override { return arrivals_.present(now) + staged_.size(); }
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) override {
    return kernbench::debug_access(machine_services(services()).data(), payload);
  }

  void observe(Observables to, const HbmBankTiming& timing);
  void read_command(const Arrival& arrival, Fs now);
  bool accept_staged(Fs now);
  bool accept_bursts(const Arrival& arrival, std::uint32_t service, Fs now);
  void atomic_operands(const Arrival& arrival, std::uint32_t service, Fs now);
  void run_channels(Fs now);
  void run_channel(std::size_t channel, Fs now);
  void finish(std::uint32_t index, std::uint32_t part, Fs now, Fs at);
  void depart(std::uint32_t index, Fs at);
  void leave(std::uint32_t index, Fs now);
  void commit(std::uint32_t index, Fs now);
  void answer(std::uint32_t index, Fs now);
  [[noreturn]] void burst_served_twice(std::uint32_t index);
  [[noreturn]] void bursts_lost(std::size_t channel) const;
  void push_read(const HbmPlace& place, std::uint32_t service, std::uint32_t part, Fs now);
  void push_write(const HbmPlace& place, std::uint32_t service, bool whole, Fs now);
  HbmAccess access_at(const HbmPlace& place, std::uint32_t service, std::uint32_t part,
                      Fs now) const;
  auto reply_at(Fs now) {
    return [this, now](Transaction& reply, std::uint32_t flit, std::uint32_t flits) {
      send(reply, flit, flits, 0, now);
    };
  }
  void show_queues();
  // Refreshes up to `now`, also those of idle pseudo-channels that are not carried out yet.
  std::uint64_t refreshes_until(Fs now) const;

  HbmInterleave bursts_;  // size of a burst
  HbmAddressMap map_;
  SerialIngress ingress_;
  std::uint32_t flit_bytes_;
  std::size_t pcs_per_bus_;  // pseudo-channels that share command buses; 1: none
  Pending services_;
  RingBuffer<Staged> staged_;
  std::uint64_t staged_bursts_ = 0;  // bursts of the first staged flit that are in the queues
  HbmBankCounts counts_;
  std::vector<HbmCommandBuses> buses_;
  std::vector<HbmBankScheduler> schedulers_;
  std::vector<std::uint64_t> outstanding_;  // bursts queued and not served, by scheduler
  HbmChannels channels_;
  std::vector<QueueSignals> signals_of_queues_;
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0, atomics_ = 0;
};

}  // namespace kernbench
