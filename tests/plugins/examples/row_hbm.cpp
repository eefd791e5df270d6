// An HBM controller with row buffers, open page: acme.row_hbm.
//
// Timing: an access (a write with its last flit, the command of a read) is cut into bursts
// overhead_ns after its arrival. Burst b of the partition is on channel b mod channels; the bursts
// of a channel fill rows of row_bytes, and row r is in bank r mod banks. A burst goes to its bank
// when the one before in that bank has been moved: at once if its row is open (hit), after trcd_ns
// if no row is open (miss), after trp_ns + trcd_ns if another is (conflict). It then takes
// burst_bytes / channel_bw_gbs on the bus of the channel, in order. When the last burst has been
// moved the whole response stands at the link; a posted write completes there. Not modelled:
// refresh, reordering, tRAS and tFAW, direction of the bus; values (the memory store of the machine
// holds them).
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/data/debug_access.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"

namespace acme {
namespace {

using namespace kernbench;

class RowHbm final : public FabricNode {
 public:
  static constexpr const char* description = "HBM partition with row buffers, open page";
  static constexpr std::array roles{Role::hbm_ctrl};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "from the arrival of an access to its bursts",
                                      "assumption")
                   .default_val(0)};
    Param<std::uint32_t> channels{
        *this, Parameter::integer("channels", "of the partition", "", "assumption")
                   .default_val(8)
                   .range(1, 1024)};
    Param<std::uint32_t> banks{*this, Parameter::integer("banks", "of a channel", "", "assumption")
                                          .default_val(16)
                                          .range(1, 1024)};
    Param<std::uint32_t> row_bytes{*this,
                                   Parameter::integer("row_bytes", "of a row", "B", "assumption")
                                       .default_val(1024)
                                       .range(1, 1048576)};
    Param<std::uint32_t> burst_bytes{
        *this, Parameter::integer("burst_bytes", "moved at a time", "B", "assumption")
                   .default_val(256)
                   .range(1, 1048576)};
    Param<Rational> channel_bw_gbs{
        *this,
        Parameter::rate_gbs("channel_bw_gbs", "rate of a channel", "assumption").default_val(32)};
    Param<Fs> trcd{
        *this, Parameter::duration_ns("trcd_ns", "opening of a row", "assumption").default_val(14)};
    Param<Fs> trp{
        *this, Parameter::duration_ns("trp_ns", "closing of a row", "assumption").default_val(14)};
    // What the shipped machines say of this place, without an effect here.
    Param<Fs> switch_penalty{
        *this,
        Parameter::duration_ns("switch_penalty_ns", "not used", "assumption").default_val(0)};
    Param<Rational> efficiency{
        *this, Parameter::decimal("efficiency", "not used", "", "assumption").default_val(1)};
    Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };
  static std::optional<ParameterFault> check(const Parameters& p) {
    if (*p.row_bytes % *p.burst_bytes == 0) return std::nullopt;
    return ParameterFault{"row_bytes", "found " + std::to_string(*p.row_bytes) +
                                           ", allowed is a multiple of burst_bytes"};
  }

  explicit RowHbm(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward), parameters_(init.attributes),
        burst_fs_(transfer_fs(*parameters_.burst_bytes, *parameters_.channel_bw_gbs)),
        channels_(*parameters_.channels, Channel{0, std::vector<Bank>(*parameters_.banks)}) {
    add_statistic("reads", "reads booked", Quantity::count, reads_);
    add_statistic("writes", "writes booked", Quantity::count, writes_);
    add_statistic("bytes_read", "bytes read", Quantity::bytes, bytes_read_);
    add_statistic("bytes_written", "bytes written", Quantity::bytes, bytes_written_);
    add_statistic("row_hits", "bursts to an open row", Quantity::count, hits_);
    add_statistic("row_misses", "bursts to a bank without an open row", Quantity::count, misses_);
    add_statistic("row_conflicts", "bursts to a bank with another row open", Quantity::count,
                  conflicts_);
  }

 private:
  struct Bank {
    std::optional<std::uint64_t> open_row;
    Fs free_at = 0;
  };
  struct Channel {
    Fs bus_free_at = 0;
    std::vector<Bank> banks;
  };

  Fs next_due() const override {
    return std::min(arrivals_.control_due(*parameters_.overhead),
                    answers_.empty() ? never_fs : answers_.begin()->first);
  }

  void serve() override {
    arrivals_.take_control(now(), *parameters_.overhead, [this](const Arrival& access) {
      answers_.emplace(book(access), access);
    });
    while (!answers_.empty() && answers_.begin()->first <= now()) {
      const Arrival access = answers_.begin()->second;
      answers_.erase(answers_.begin());
      report_passage(access, access.time);
      answer(*access.transaction);
    }
  }

  // End of the last burst.
  Fs book(const Arrival& access) {
    const Transaction& transaction = *access.transaction;
    const std::uint64_t offset = transaction.route().offset, bytes = transaction.get_data_length();
    ++(transaction.is_read() ? reads_ : writes_);
    (transaction.is_read() ? bytes_read_ : bytes_written_) += bytes;
    Fs ends_at = now();
    for (std::uint64_t burst = offset / *parameters_.burst_bytes;
         burst <= (offset + bytes - 1) / *parameters_.burst_bytes; ++burst)
      ends_at = std::max(ends_at, book_burst(burst));
    return ends_at;
  }

  Fs book_burst(std::uint64_t burst) {
    Channel& channel = channels_[burst % channels_.size()];
    const std::uint64_t bursts_of_row = *parameters_.row_bytes / *parameters_.burst_bytes;
    const std::uint64_t row = burst / channels_.size() / bursts_of_row;
    Bank& bank = channel.banks[row % channel.banks.size()];
    const Fs row_open = std::max(now(), bank.free_at) + open(bank, row);
    bank.free_at = channel.bus_free_at = std::max(row_open, channel.bus_free_at) + burst_fs_;
    return bank.free_at;
  }

  // Time until the row is open.
  Fs open(Bank& bank, std::uint64_t row) {
    if (bank.open_row == row) return ++hits_, 0;
    const bool other = bank.open_row.has_value();
    ++(other ? conflicts_ : misses_);
    bank.open_row = row;
    return *parameters_.trcd + (other ? *parameters_.trp : 0);
  }

  void answer(Transaction& transaction) {
    RouteExtension& route = transaction.route();
    if (transaction.is_write() && route.posted) return route.listener->completed(transaction);
    if (transaction.is_write()) route.listener->committed(transaction);
    route.make_response();  // a control message: the acknowledgement of a write
    if (transaction.is_write()) return send(transaction, 0, 0, 0, now());
    route.cut_flits(transaction.get_data_length(), *parameters_.flit_bytes);
    for (std::uint32_t flit = 0; flit < route.flits; ++flit) send(transaction, flit, 1, 0, now());
  }

  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) override {
    return kernbench::debug_access(machine_services(services()).data(), payload);
  }

  const Parameters parameters_;
  const Fs burst_fs_;
  std::vector<Channel> channels_;
  std::multimap<Fs, Arrival>
      answers_;  // those of one instant in the order in which they were booked
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0, conflicts_ = 0;
};

void add_all(PluginRegistries& to) { to.components.add(implementation_of<RowHbm>("acme.row_hbm")); }

}  // namespace
}  // namespace acme

KERNBENCH_PLUGIN("acme_hbm", acme::add_all);
