// A controller of an HBM partition: channels that are booked burst by burst, whole messages at a
// time.
//
// Timing: an access (a write with its last flit, the command of a read) books its bursts
// overhead_ns after its arrival, in order of addresses; burst i is on channel i mod channels and
// takes burst_bytes / channel_bw_gbs there, behind what is booked already. When the last burst has
// ended the whole response stands at the link; a posted write completes there. Not modelled: banks,
// rows, refresh, direction of the bus; values (the memory store of the machine holds them).
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/data/debug_access.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"

namespace {

using kernbench::Arrival;
using kernbench::Fs;
using kernbench::Parameter;
using kernbench::Quantity;

class @Class@Model final : public kernbench::FabricNode {
 public:
  static constexpr const char* description = "HBM controller of @name@";
  static constexpr std::array roles{kernbench::Role::hbm_ctrl};
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "from the arrival of an access to its bursts",
                                      "assumption")
                   .default_val(0)};
    kernbench::Param<std::uint32_t> channels{
        *this, Parameter::integer("channels", "of the partition", "", "assumption")
                   .default_val(8)
                   .range(1, 65536)};
    kernbench::Param<std::uint32_t> burst_bytes{
        *this,
        Parameter::integer("burst_bytes", "that a channel moves at a time", "B", "assumption")
            .default_val(256)
            .range(1, 1048576)};
    kernbench::Param<kernbench::Rational> channel_bw_gbs{
        *this,
        Parameter::rate_gbs("channel_bw_gbs", "rate of a channel", "assumption").default_val(32)};
    // What the shipped machines say of this place, without an effect here.
    kernbench::Param<Fs> switch_penalty{
        *this, Parameter::duration_ns("switch_penalty_ns", "not used: directions are not modelled",
                                      "assumption")
                   .default_val(0)};
    kernbench::Param<kernbench::Rational> efficiency{
        *this, Parameter::decimal("efficiency", "not used", "", "assumption").default_val(1)};
    kernbench::Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : FabricNode(init, kernbench::ArrivalQueue::Forwarding::store_and_forward),
        parameters_(init.attributes),
        burst_fs_(kernbench::transfer_fs(*parameters_.burst_bytes, *parameters_.channel_bw_gbs)),
        free_at_(*parameters_.channels) {
    add_statistic("reads", "reads booked", Quantity::count, reads_);
    add_statistic("writes", "writes booked", Quantity::count, writes_);
    add_statistic("bytes_read", "bytes read", Quantity::bytes, bytes_read_);
    add_statistic("bytes_written", "bytes written", Quantity::bytes, bytes_written_);
    add_statistic("bursts", "bursts that have been booked", Quantity::count, bursts_);
  }

 private:
  Fs next_due() const override {
    return std::min(arrivals_.control_due(*parameters_.overhead),
                    answers_.empty() ? kernbench::never_fs : answers_.begin()->first);
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
    const std::uint64_t offset = access.transaction->route().offset;
    const std::uint64_t first = offset / *parameters_.burst_bytes;
    const std::uint64_t last =
        (offset + access.transaction->get_data_length() - 1) / *parameters_.burst_bytes;
    Fs ends_at = now();
    for (std::uint64_t burst = first; burst <= last; ++burst) {
      Fs& free_at = free_at_[burst % free_at_.size()];
      free_at = std::max(free_at, now()) + burst_fs_;
      ends_at = std::max(ends_at, free_at);
    }
    const bool read = access.transaction->is_read();
    ++(read ? reads_ : writes_);
    (read ? bytes_read_ : bytes_written_) += access.transaction->get_data_length();
    bursts_ += last - first + 1;
    return ends_at;
  }

  void answer(kernbench::Transaction& transaction) {
    kernbench::RouteExtension& route = transaction.route();
    if (transaction.is_write() && route.posted) return route.listener->completed(transaction);
    if (transaction.is_write()) route.listener->committed(transaction);
    route.make_response();  // a control message: the acknowledgement of a write
    if (transaction.is_write()) return send(transaction, 0, 0, 0, now());
    route.cut_flits(transaction.get_data_length(), *parameters_.flit_bytes);
    for (std::uint32_t flit = 0; flit < route.flits; ++flit) send(transaction, flit, 1, 0, now());
  }

  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t /*offset*/) override {
    return kernbench::debug_access(kernbench::machine_services(services()).data(), payload);
  }

  const Parameters parameters_;
  const Fs burst_fs_;
  std::vector<Fs> free_at_;  // by channel
  std::multimap<Fs, Arrival>
      answers_;  // those of one instant in the order in which they were booked
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0, bursts_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
