#include "tests/perf/bare_systemc.h"

#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tests/perf/child_measurement.h"
#include "tests/perf/fabric_scenario.h"

namespace kernbench::perf {
namespace {

using Initiator = tlm::tlm_base_initiator_socket<>;
using Target = tlm::tlm_base_target_socket<>;

class Ends : public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                     sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
};

class SketchLink final : public sc_core::sc_module, private Ends {
 public:
  explicit SketchLink(const sc_core::sc_module_name& name)
      : sc_core::sc_module(name), in("in"), out("out") {
    in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  Target in;
  Initiator out;
};

class SketchModule final : public sc_core::sc_module, private Ends {
 public:
  SketchModule(const sc_core::sc_module_name& name, std::uint64_t inputs, std::uint64_t outputs)
      : sc_core::sc_module(name), wake_("wake") {
    SC_HAS_PROCESS(SketchModule);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
    for (std::uint64_t i = 0; i < inputs; ++i) {
      in.push_back(std::make_unique<Target>(("in" + std::to_string(i)).c_str()));
      in.back()->bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }
    for (std::uint64_t i = 0; i < outputs; ++i) {
      out.push_back(std::make_unique<Initiator>(("out" + std::to_string(i)).c_str()));
      out.back()->bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }
  }
  std::vector<std::unique_ptr<Target>> in;
  std::vector<std::unique_ptr<Initiator>> out;

 private:
  void run() {}

  sc_core::sc_event wake_;
};

class RawServer final : public sc_core::sc_module {
 public:
  RawServer(const sc_core::sc_module_name& name, std::uint64_t period, std::uint64_t& count)
      : sc_core::sc_module(name), wake_("wake"), period_(sc_core::sc_time::from_value(period)),
        count_(count) {
    SC_HAS_PROCESS(RawServer);
    SC_METHOD(run);
    sensitive << wake_;
  }

 private:
  void run() {
    ++count_;
    wake_.notify(period_);
  }

  sc_core::sc_event wake_;
  sc_core::sc_time period_;
  std::uint64_t& count_;
};

}  // namespace

SketchFigures elaborate_sketch(std::uint64_t modules, std::uint64_t links) {
  const double start = processor_seconds();
  std::vector<std::unique_ptr<SketchModule>> ring;
  std::vector<std::unique_ptr<SketchLink>> between;
  for (std::uint64_t i = 0; i < modules; ++i) {
    const std::uint64_t ends =
        links / modules +
        (i < links % modules ? 1 : 0);  // link w starts at w % modules and ends one further
    const std::uint64_t before = (i + modules - 1) % modules;
    ring.push_back(
        std::make_unique<SketchModule>(("module" + std::to_string(i)).c_str(),
                                       links / modules + (before < links % modules ? 1 : 0), ends));
  }
  for (std::uint64_t w = 0; w < links; ++w) {
    between.push_back(std::make_unique<SketchLink>(("link" + std::to_string(w)).c_str()));
    ring[w % modules]->out[w / modules]->bind(between[w]->in);
    between[w]->out.bind(*ring[(w + 1) % modules]->in[w / modules]);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const SketchFigures figures{processor_seconds() - start, resident_mib()};
  for (auto& link : between)
    static_cast<void>(link.release());  // destroying modules one by one is quadratic
  for (auto& module : ring) static_cast<void>(module.release());
  return figures;
}

double raw_event_seconds(std::uint64_t processes, std::uint64_t events) {
  constexpr std::uint64_t period = 1'000'000;  // 1 ns and a little more for each
  constexpr std::uint64_t apart = 1009;
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  std::uint64_t count = 0;
  std::vector<std::unique_ptr<RawServer>> servers;
  for (std::uint64_t i = 0; i < processes; ++i) {
    servers.push_back(std::make_unique<RawServer>(("server" + std::to_string(i)).c_str(),
                                                  period + apart * i, count));
  }
  sc_core::sc_start(sc_core::sc_time::from_value(10 * period));
  count = 0;
  const std::uint64_t mean_period = period + apart * processes / 2;
  const double start = processor_seconds();
  sc_core::sc_start(sc_core::sc_time::from_value(events / processes * mean_period));
  return (processor_seconds() - start) / static_cast<double>(count);
}

}  // namespace kernbench::perf
