// A memory of a cube with one port: accesses go through it one after the other.
//
// Timing: an access (a write with its last flit, the command of a read) waits for the port in order
// of arrival and holds it for overhead_ns + bytes / port_bw_gbs. At the end the whole response
// stands at the link; a posted write completes there. Not modelled: banks; values (the memory store
// of the machine holds them).
#include <array>

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
  static constexpr const char* description = "memory of @name@";
  static constexpr std::array roles{kernbench::Role::sram};
  struct Parameters : kernbench::ParameterSet {
    using ParameterSet::ParameterSet;
    kernbench::Param<Fs> overhead{
        *this, Parameter::duration_ns("overhead_ns", "of an access, at the port", "assumption")
                   .default_val(0)};
    kernbench::Param<kernbench::Rational> port_bw_gbs{
        *this,
        Parameter::rate_gbs("port_bw_gbs", "rate of the port", "assumption").default_val(128)};
    // What the machine asks of a memory of a cube.
    kernbench::Param<int> size_mb{
        *this,
        Parameter::integer("size_mb", "capacity", "MiB", "spec 1.2").default_val(32).range(1, 32)};
    kernbench::Param<std::uint32_t> flit_bytes{
        *this, Parameter::integer("flit_bytes", "size of a full flit", "B", "spec 2.2")
                   .range(1, 65536)
                   .from_machine()};
  };

  explicit @Class@Model(const kernbench::ComponentInit& init)
      : FabricNode(init, kernbench::ArrivalQueue::Forwarding::store_and_forward),
        parameters_(init.attributes) {
    add_statistic("reads", "reads answered", Quantity::count, reads_);
    add_statistic("writes", "writes completed", Quantity::count, writes_);
    add_statistic("bytes_read", "bytes read", Quantity::bytes, bytes_read_);
    add_statistic("bytes_written", "bytes written", Quantity::bytes, bytes_written_);
    add_statistic("waiting", "time that accesses waited for the port, summed", Quantity::time_fs,
                  waiting_fs_);
  }

 private:
  Fs next_due() const override {
    if (ends_at_ != kernbench::never_fs) return ends_at_;
    const Arrival* next = arrivals_.control();
    return next == nullptr ? kernbench::never_fs : next->time;
  }

  void serve() override {
    if (ends_at_ <= now()) end();
    const Arrival* next = arrivals_.control();
    if (ends_at_ != kernbench::never_fs || next == nullptr || next->time > now()) return;
    access_ = *next;
    arrivals_.pop_control();
    began_ = now();
    waiting_fs_ += now() - access_.time;
    ends_at_ =
        after(*parameters_.overhead + kernbench::transfer_fs(access_.transaction->get_data_length(),
                                                             *parameters_.port_bw_gbs));
  }

  void end() {
    ends_at_ = kernbench::never_fs;
    const bool read = access_.transaction->is_read();
    ++(read ? reads_ : writes_);
    (read ? bytes_read_ : bytes_written_) += access_.transaction->get_data_length();
    report_passage(access_, began_);
    answer(*access_.transaction);
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
  Arrival access_;                                // what holds the port
  Fs began_ = 0, ends_at_ = kernbench::never_fs;  // never_fs: the port is free
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0, waiting_fs_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(kernbench::implementation_of<@Class@Model>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
