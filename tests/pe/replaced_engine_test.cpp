// Another implementation of an engine, written against models/protocol only, is bound and routed to
// as the built-in one is (spec 5.2: replacing a component changes timing, never routing).
#include <boost/test/unit_test.hpp>
#include <deque>

#include "models/base/errors.h"
#include "platform/assembly/bind_pe_edge.h"
#include "tests/pe/pe_testbench.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

constexpr Fs ns = fs_per_ns;

// 5 ns per MATH stage, any number at once, no accel_slot; takes every task at the call.
class FixedMath final : public Component,
                        public TaskSender,
                        public TaskReceiver,
                        private TileTaskForward,
                        private TileTaskBackward {
 public:
  using Parameters = ParameterSet;
  explicit FixedMath(const ComponentInit& init) : Component(init), due_("due_event") {
    SC_HAS_PROCESS(FixedMath);
    SC_METHOD(serve);
    sensitive << due_;
    dont_initialize();
  }

  TileTaskInitiatorSocket& add_task_output(PeEngine to) override {
    const Scope scope(*this);
    auto& socket = outputs_[to];
    socket = std::make_unique<TileTaskInitiatorSocket>(
        ("out" + std::to_string(static_cast<int>(to))).c_str());
    socket->bind(static_cast<TileTaskBackward&>(*this));
    return *socket;
  }
  TileTaskTargetSocket& add_task_input(PeEngine) override {
    const Scope scope(*this);
    inputs_.push_back(
        std::make_unique<TileTaskTargetSocket>(("in" + std::to_string(inputs_.size())).c_str()));
    inputs_.back()->bind(static_cast<TileTaskForward&>(*this));
    return *inputs_.back();
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(TileTask& task, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) override {
    phase = tlm::END_REQ;
    tasks_.push_back({now() + 5 * ns, &task});
    due_.notify(fs(tasks_.front().first - now()));
    return tlm::TLM_UPDATED;
  }
  tlm::tlm_sync_enum nb_transport_bw(TileTask&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void b_transport(TileTask&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(TileTask&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(TileTask&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  void serve() {
    while (!tasks_.empty() && tasks_.front().first <= now()) {
      TileTask& task = *tasks_.front().second;
      tasks_.pop_front();
      task.completion->stage_ended(task);
      if (task.last_stage()) {
        task.completion->complete_tile(task);
        continue;
      }
      ++task.stage_index;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      (*outputs_.at(PeEngine::pe_fetch_store))
          ->nb_transport_fw(task, phase, delay);  // the store queue is never full in this test
    }
    if (!tasks_.empty()) due_.notify(fs(tasks_.front().first - now()));
  }

  std::map<PeEngine, std::unique_ptr<TileTaskInitiatorSocket>> outputs_;
  std::vector<std::unique_ptr<TileTaskTargetSocket>> inputs_;
  std::deque<std::pair<Fs, TileTask*>> tasks_;
  sc_core::sc_event due_;
};

class Nothing final : public Component {
 public:
  explicit Nothing(const ComponentInit& init) : Component(init) {}
};

// Needs TCM accesses through a port of SystemC under a name of its own, and the accel_slot.
class OutsideUser final : public Component {
 public:
  explicit OutsideUser(const ComponentInit& init) : Component(init) {}
  sc_core::sc_port<TcmAccess> memory{"memory"};
  ServicePort<AccelSlot> accel_slot;
};

// Provides TCM accesses by a part.
class OutsideMemory final : public Component {
 public:
  explicit OutsideMemory(const ComponentInit& init) : Component(init) { provided(part); }
  struct Part final : TcmAccess {
    void access_tcm(bool, std::uint64_t bytes, TcmListener&, std::uint32_t,
                    const WorkOrder&) override {
      accessed += bytes;
    }
    std::uint64_t accessed = 0;
  } part;
  sc_core::sc_export<TcmAccess> provided{"provided"};
};

struct IgnoringListener final : TcmListener {
  void tcm_access_began(std::uint32_t) override {}
  void tcm_access_ended(std::uint32_t) override {}
};

}  // namespace

// FETCH 1..17, GEMM 17..33, the other MATH 5 ns, STORE 4 ns.
KERNBENCH_SYSTEMC_TEST(a_replaced_engine_changes_timing_never_routing) {
  PeTestbench pe;
  pe.replace<FixedMath>("pe_math");
  CompositeGemm gemm;
  gemm.m = gemm.n = 32;
  gemm.k = 64;
  gemm.a.pinned = gemm.b.pinned = gemm.out.pinned = true;
  gemm.epilogue = {{MathOp::exp, EpilogueScope::output_tile, 0, 0}};
  pe.at(0, [&] { pe.submit(gemm); });
  pe.at(100 * ns, [&] { pe.submit(MathCommand{MathOp::add, 4096}); });
  pe.run();
  BOOST_TEST(pe.op("tile/GEMM").end == 33 * ns);
  BOOST_TEST(pe.op("tile/STORE").start == 38 * ns);
  BOOST_TEST(pe.done_at(1) == 42 * ns);
  BOOST_TEST(pe.done_at(2) == 106 * ns);
}

KERNBENCH_SYSTEMC_TEST(ports_and_exports_of_an_outside_engine_are_bound_by_their_types) {
  PeTestbench pe;
  const Attributes none;
  const auto user = make_component<OutsideUser>({"user", 0, none, pe});
  const auto memory = make_component<OutsideMemory>({"memory", 0, none, pe});
  bind_pe_edge(*user, PeEngine::pe_fetch_store, *memory, PeEngine::pe_tcm);
  bind_pe_edge(*memory, PeEngine::pe_tcm, *user, PeEngine::pe_fetch_store);
  IgnoringListener listener;
  pe.at(0, [&] { user->memory->access_tcm(false, 100, listener, 0, {}); });
  pe.run();
  BOOST_TEST(memory->part.accessed == 100U);
  BOOST_TEST(!user->accel_slot.connected());  // no edge to a PE_SCHEDULER
}

KERNBENCH_SYSTEMC_TEST(an_engine_that_lacks_what_its_neighbour_needs_is_refused) {
  PeTestbench pe;
  const Attributes none;
  const auto nothing = make_component<Nothing>({"nothing", 0, none, pe});
  const auto refused = [&](const std::string& source, PeEngine from, PeEngine to) {
    try {
      bind_pe_edge(pe.engine(source), from, *nothing, to);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("bound");
  };
  BOOST_TEST(refused("pe_scheduler", PeEngine::pe_scheduler, PeEngine::pe_gemm) ==
             "pe_scheduler needs tile tasks (TaskReceiver) of nothing, whose implementation does "
             "not provide it");
  BOOST_TEST(
      refused("pe_fetch_store", PeEngine::pe_fetch_store, PeEngine::pe_tcm) ==
      "pe_fetch_store needs tcm_access of nothing, whose implementation does not provide it");
  BOOST_TEST(refused("pe_scheduler", PeEngine::pe_scheduler, PeEngine::pe_ipcq) ==
             "bound");  // they have nothing in common
}
