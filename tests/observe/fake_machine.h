// A machine of three small components for the tests of observers.
#pragma once

#include <memory>
#include <string>

#include "models/base/component.h"
#include "tests/support/fake_services.h"
#include "tests/support/temporary_folder.h"

namespace kernbench::test {

// An engine with a busy flag, a queue and a stage, and the statistics that go with them.
class FakeEngine : public Component {
 public:
  explicit FakeEngine(const ComponentInit& init)
      : Component(init), busy(add_signal("busy", "serves", SignalFormat::flag())),
        depth(add_signal("queue_depth", "waiting", SignalFormat::count("", 8))),
        stage(add_signal("stage", "of the tile",
                         SignalFormat::enumeration({"IDLE", "DMA_READ", "GEMM"}))) {
    add_statistic("busy", "time in service", Quantity::time_fs, busy_time);
    add_statistic("transferred", "payload", Quantity::bytes, bytes);
    add_statistic("commands", "served", Quantity::count, commands);
    add_statistic("longest_wait", "in the queue", Quantity::time_fs, longest_wait, Merge::maximum);
  }
  TraceSignal& busy;
  TraceSignal& depth;
  TraceSignal& stage;
  std::uint64_t busy_time = 0, bytes = 0, commands = 0, longest_wait = 0;
};

// sip0.pe0 {pe_dma, pe_gemm}, sip0.ucie-N.
class FakeMachine {
 public:
  FakeMachine() {
    Level sip("sip0");
    Level pe("pe0");
    dma = make("pe_dma", 0);
    gemm = make("pe_gemm", 1);
    pe.leave();
    port = make("ucie-N", 2);
  }

  std::unique_ptr<FakeEngine> dma, gemm, port;

 private:
  struct Scope : sc_core::sc_module {
    explicit Scope(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
  };
  class Level {
   public:
    explicit Level(const char* name) : module_(new Scope(name)) {
      sc_core::sc_get_curr_simcontext()->hierarchy_push(module_);
    }
    void leave() {
      if (inside_) sc_core::sc_get_curr_simcontext()->hierarchy_pop();
      inside_ = false;
    }
    ~Level() { leave(); }

   private:
    Scope* module_;  // lives as long as the child process
    bool inside_ = true;
  };

  std::unique_ptr<FakeEngine> make(const char* name, NodeId node) {
    return make_component<FakeEngine>(ComponentInit{name, node, attributes_, services_});
  }

  Attributes attributes_;
  FakeServices services_;
};

inline void run_ns(int ns) { sc_core::sc_start(ns, sc_core::SC_NS); }

}  // namespace kernbench::test
