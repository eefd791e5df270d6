// The HBM partition of one PE: pseudo-channels that are booked burst by burst.
//
// Timing (spec 2.5; models/timing: hbm_state, hbm_read; models/fabric: serial_ingress). Write flits
// pass an inbox as in a router and book the bursts they touch when they are through; the
// transaction commits at its latest finish: a posted write ends there, any other is acknowledged. A
// read books all its bursts in address order overhead_ns after its command; a response flit leaves
// when all bursts up to its last one have finished. Departures of one instant go in order of the
// arrivals that caused them (a write's last flit). A request for one channel alone (LA in
// one_to_one) books that channel by the same rules, its offset counted in the channel's bytes. A
// channel's signal shows the direction of the last booking until the channel is idle; only an
// observed signal costs events. Not modelled: banks, rows, refresh, reordering, a write buffer
// (spec 2.10); values (MemoryStore holds them).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/parameter_set.h"
#include "models/fabric/serial_ingress.h"
#include "models/protocol/fabric_node.h"
#include "models/timing/booked_ahead.h"
#include "models/timing/hbm_read.h"
#include "models/timing/hbm_state.h"

namespace kernbench {

class HbmCtrl final : public FabricNode {
 public:
  static constexpr const char* description = "HBM partition with pseudo-channels";
  static constexpr std::array roles{Role::hbm_ctrl};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns",
                                      "time for which the first flit of a write holds the inbox; "
                                      "from a command to its bursts",
                                      "spec 2.5")
                   .default_val(0)};
    Param<std::uint32_t> num_pcs{
        *this, Parameter::integer("num_pcs", "pseudo-channels of the partition", "", "spec 2.5")
                   .default_val(8)
                   .range(1, 65536)
                   .power_of_two()};
    Param<std::uint32_t> burst_bytes{
        *this, Parameter::integer("burst_bytes", "bytes that a pseudo-channel moves at a time", "B",
                                  "spec 2.5")
                   .default_val(256)
                   .range(1, 1048576)
                   .power_of_two()};
    Param<Fs> switch_penalty{
        *this, Parameter::duration_ns("switch_penalty_ns",
                                      "when a pseudo-channel changes between reading and writing",
                                      "spec 2.5, ADR-0034")
                   .default_val(0)};
    Param<Rational> efficiency{
        *this, Parameter::decimal("efficiency",
                                  "share of the link rate that the pseudo-channels reach together",
                                  "", "spec 2.5")
                   .default_val(1)
                   .range(Rational::fraction(1, 1000), 1)};
    Param<Rational> link_bw_gbs{
        *this, Parameter::rate_gbs("link_bw_gbs", "rate of the link to the router", "spec 2.5")
                   .or_unlimited()
                   .from_machine()};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  static std::optional<ParameterFault> check(const Parameters& parameters);  // the time of a burst
  explicit HbmCtrl(const ComponentInit& init);

 private:
  // A transaction between the arrival of its first flit or the booking of its bursts and its end
  // here.
  struct Service {
    Transaction* transaction = nullptr;
    Arrival cause;                // the command, or the write's last flit
    Fs commit = 0;                // write: latest finish so far
    std::uint32_t next_flit = 0;  // read: that leaves next
    HbmRead read;
  };
  // A departure, or a commit, at a known instant.
  struct Departure {
    Fs time = never_fs;
    std::uint32_t service = 0;
  };
  struct ChannelStatistics {
    Fs busy_fs = 0;  // booked
    BookedAhead ahead;
    std::uint64_t direction_switches = 0;
  };

  HbmCtrl(const ComponentInit& init, const Parameters& parameters);

  Fs next_due() const override;
  void serve() override;
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;

  void write_flit(const Arrival& arrival);
  void read_command(const Arrival& arrival);
  void leave(std::uint32_t index);
  void commit(std::uint32_t index);

  std::uint32_t open_service(Transaction& transaction);
  void close_service(std::uint32_t index) { idle_services_.push_back(index); }
  bool later(const Departure& a, const Departure& b) const;
  void schedule(Fs time, std::uint32_t service);
  Fs flit_ready(Service& service) const;
  void count_booking(std::size_t channel, HbmDirection direction, std::uint64_t bursts);
  void report_booking(const Transaction& transaction, std::size_t channel, Fs first_finish) const;
  void report_read(const Service& service, std::uint64_t first_burst) const;
  Fs busy_until(std::size_t channel, Fs now) const;
  void show_idle_channels();

  SerialIngress ingress_;
  HbmState state_;
  std::uint32_t flit_bytes_;
  const AnalysisPort<HbmBooking>& bookings_;
  std::vector<Service> services_;
  std::vector<std::uint32_t> idle_services_;
  std::vector<Departure> departures_;  // heap, earliest first

  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::vector<ChannelStatistics> channel_statistics_;
  std::vector<TraceSignal*> channel_signals_;
  Fs shown_until_ =
      never_fs;  // when the first of the observed channels that are shown busy becomes idle
};

}  // namespace kernbench
