// Service of a memory of a cube: one port, which serves accesses sequentially.
//
// Timing: an access (a write with its last flit, the command of a read) waits for the port in order
// of arrival and holds it for overhead_ns + bytes / port_bw_gbs. The node around it (MemoryNode)
// then sends the response, and counts. Not modelled: banks; values (the memory store of the machine
// holds them).
#include "models/base/component_registry.h"
#include "models/base/plugin.h"
#include "models/cube/sram.h"

namespace {

using kernbench::Arrival;
using kernbench::Fs;
using kernbench::Parameter;

class @Class@Service : public kernbench::MemoryService {
 public:
  static constexpr const char* description = "memory of @name@";
  struct Parameters : kernbench::MemoryParameters {  // overhead_ns, size_mb, flit_bytes
    using MemoryParameters::MemoryParameters;
    kernbench::Param<kernbench::Rational> port_bw_gbs{
        *this,
        Parameter::rate_gbs("port_bw_gbs", "rate of the port", "assumption").default_val(128)};
  };
  @Class@Service(kernbench::ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), parameters_(parameters) {}

  // Time of the next work; serve() does all work due by then.
  Fs next_due() const { return ends_at_ != kernbench::never_fs ? ends_at_ : inbox_.control_due(); }

  template <class Done>
  void serve(Fs now, Done done) {
    if (ends_at_ <= now) {
      ends_at_ = kernbench::never_fs;
      done(access_, began_);
    }
    if (ends_at_ != kernbench::never_fs || inbox_.control_due() > now) return;
    access_ = *inbox_.control();
    inbox_.pop_control();
    began_ = now;
    waiting_fs_ += now - access_.time;
    ends_at_ =
        now + *parameters_.overhead +
        kernbench::transfer_fs(access_.transaction->get_data_length(), *parameters_.port_bw_gbs);
  }

  void observe(kernbench::Observables& to) {
    to.add_statistic("waiting", "time that accesses waited for the port, summed",
                     kernbench::Quantity::time_fs, waiting_fs_);
  }

 private:
  kernbench::ArrivalQueue& inbox_;
  const Parameters parameters_;
  Arrival access_;                                // holds the port
  Fs began_ = 0, ends_at_ = kernbench::never_fs;  // never_fs: the port is free
  std::uint64_t waiting_fs_ = 0;
};

void add_all(kernbench::PluginRegistries& to) {
  to.components.add(
      kernbench::implementation_of<kernbench::MemoryNode<@Class@Service>>("custom.@name@"));
}

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
