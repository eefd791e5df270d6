// A service of a memory from outside: one port, which serves accesses sequentially
// (models/fabric/memory_service.h). An access holds it for overhead_ns + bytes / port_bw_gbs.
#pragma once

#include "models/fabric/memory_service.h"

namespace kernbench::test {

class OnePort : public MemoryService {
 public:
  static constexpr const char* description = "scratchpad of a cube with one port";
  struct Parameters : MemoryParameters {
    using MemoryParameters::MemoryParameters;
    Param<Rational> port_bw_gbs{
        *this,
        Parameter::rate_gbs("port_bw_gbs", "rate of the port", "assumption").default_val(128)};
  };
  OnePort(ArrivalQueue& inbox, const Parameters& parameters)
      : inbox_(inbox), parameters_(parameters) {}

  Fs next_due() const { return ends_at_ != never_fs ? ends_at_ : inbox_.control_due(); }

  template <class Done>
  void serve(Fs now, Done done) {
    if (ends_at_ <= now) {
      ends_at_ = never_fs;
      busy_fs_ += now - began_;
      done(access_, began_);
    }
    if (ends_at_ != never_fs || inbox_.control_due() > now) return;
    access_ = *inbox_.control();
    inbox_.pop_control();
    began_ = now;
    ends_at_ = now + *parameters_.overhead +
               transfer_fs(access_.transaction->get_data_length(), *parameters_.port_bw_gbs);
  }

  void observe(Observables& to) {
    to.add_busy_time("port_busy", "time for which the port was held", busy_fs_, [this](Fs now) {
      return busy_fs_ + (ends_at_ == never_fs ? 0 : now - began_);
    });
  }

 private:
  ArrivalQueue& inbox_;
  Parameters parameters_;
  Arrival access_;
  Fs began_ = 0, ends_at_ = never_fs;  // never_fs: the port is free
  std::uint64_t busy_fs_ = 0;
};

}  // namespace kernbench::test
