#include "tests/perf/bare_sketch.h"

#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tests/perf/child_measurement.h"
#include "tests/perf/fabric_scenario.h"

namespace kernbench::bench {
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

}  // namespace kernbench::bench
