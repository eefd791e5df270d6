// Another implementation of an engine, written against models/protocol only, is bound and routed to
// as the built-in one is (spec 5.2: replacing a component changes timing, never routing).
#include <boost/test/unit_test.hpp>
#include <deque>

#include "models/base/errors.h"
#include "models/protocol/service_socket.h"
#include "tests/pe/pe_testbench.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(replaced_engine_test)

namespace {

constexpr Fs ns = fs_per_ns;

// 5 ns per MATH stage, any number at once, no accel_slot; takes every task at the call.
class FixedMath final : public Component, private ServiceProvider<TaskOffer> {
 public:
  using Parameters = ParameterSet;
  explicit FixedMath(const ComponentInit& init) : Component(init), due_("due_event") {
    SC_HAS_PROCESS(FixedMath);
    SC_METHOD(serve);
    sensitive << due_;
    dont_initialize();
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(TaskOffer& offer, tlm::tlm_phase& phase) override {
    tasks_.push_back({now() + 5 * ns, offer.task});
    due_.notify(fs(tasks_.front().first - now()));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

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
      TaskOffer& offer = offers_.emplace_back();
      offer.task = &task;
      to_fetch_store_.nb_transport_fw(offer);
    }
    if (!tasks_.empty()) due_.notify(fs(tasks_.front().first - now()));
  }

  struct Ignore final : ServiceListener<TaskOffer> {
    void nb_transport_bw(TaskOffer&, const tlm::tlm_phase&) override {}
  } taken_;
  ServiceTarget<TaskOffer> inputs_{*this, *this};
  ServiceInitiator<TaskOffer> to_fetch_store_{&taken_, Role::pe_fetch_store, "pe_fetch_store"};
  std::deque<TaskOffer> offers_;
  std::deque<std::pair<Fs, TileTask*>> tasks_;
  sc_core::sc_event due_;
};

// Ranges of half the bytes, or a look-up that costs more than there is time.
template <bool Short>
class WrongMmu final : public FabricNode, private ServiceProvider<TranslationRequest> {
 public:
  using Parameters = ParameterSet;
  explicit WrongMmu(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward) {}

 private:
  Fs next_due() const override { return never_fs; }
  void serve() override {}
  void b_transport(TranslationRequest& request, sc_core::sc_time& delay) override {
    request.ranges = {{request.address, Short ? request.nbytes / 2 : request.nbytes}};
    if (!Short) delay = sc_core::sc_max_time();
  }
  ServiceTarget<TranslationRequest> translations_{*this, *this};
};

enum class Throw { error, model_error, number };

template <Throw What>
class ThrowingMmu final : public FabricNode, private ServiceProvider<TranslationRequest> {
 public:
  using Parameters = ParameterSet;
  explicit ThrowingMmu(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward) {}

 private:
  Fs next_due() const override { return never_fs; }
  void serve() override {}
  void b_transport(TranslationRequest&, sc_core::sc_time&) override {
    if (What == Throw::error) throw std::runtime_error("no licence");
    if (What == Throw::model_error) throw ModelError("no licence");
    throw 42;
  }
  ServiceTarget<TranslationRequest> translations_{*this, *this};
};

template <class Mmu>
std::string fault_of_a_load() {
  PeTestbench pe;
  pe.replace<Mmu>("pe_mmu");
  pe.at(0, [&] { pe.submit(DmaCommand{false, 0, 256}); });
  pe.expect_fault();
  pe.run();
  return pe.fault();
}

class Nothing final : public Component {
 public:
  explicit Nothing(const ComponentInit& init) : Component(init) {}
};

// Needs TCM accesses and the accel_slot.
class OutsideUser final : public Component, private ServiceListener<TcmRequest> {
 public:
  explicit OutsideUser(const ComponentInit& init) : Component(init) {}
  ServiceInitiator<TcmRequest> memory{this};
  ServiceInitiator<SlotRequest> accel_slot;
  int responses = 0;

 private:
  void nb_transport_bw(TcmRequest&, const tlm::tlm_phase&) override { ++responses; }
};

// Provides TCM accesses by a part.
class OutsideMemory final : public Component {
 public:
  explicit OutsideMemory(const ComponentInit& init) : Component(init) {}
  struct Part final : ServiceProvider<TcmRequest> {
    tlm::tlm_sync_enum nb_transport_fw(TcmRequest& request, tlm::tlm_phase& phase) override {
      accessed += request.bytes;
      phase = tlm::BEGIN_RESP;
      request.respond(phase);
      return tlm::TLM_ACCEPTED;
    }
    std::uint64_t accessed = 0;
  } part;
  ServiceTarget<TcmRequest> accesses{*this, part};
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

KERNBENCH_SYSTEMC_TEST(sockets_of_an_outside_engine_are_bound_by_their_payloads) {
  PeTestbench pe;
  const Attributes none;
  const auto user = make_component<OutsideUser>({"user_of_tcm", 0, none, pe});
  const auto memory = make_component<OutsideMemory>({"memory", 0, none, pe});
  bind_services(*user, *memory, Role::pe_tcm, nullptr);
  bind_services(*memory, *user, Role::pe_fetch_store, nullptr);
  TcmRequest request;
  request.bytes = 100;
  pe.at(0, [&] { user->memory.nb_transport_fw(request); });
  pe.run();
  BOOST_TEST(memory->part.accessed == 100U);
  BOOST_TEST(user->responses == 1);
  BOOST_TEST(std::string(user->memory.name()) == "user_of_tcm.to_pe_tcm_access");
  BOOST_TEST(sc_core::sc_find_object("memory.from_user_of_tcm_access") != nullptr);
  BOOST_TEST(!user->accel_slot.connected());  // no edge to a PE_SCHEDULER
}

KERNBENCH_SYSTEMC_TEST(a_translation_of_fewer_bytes_than_asked_for_ends_the_run) {
  BOOST_TEST(fault_of_a_load<WrongMmu<true>>() ==
             "pe_dma: the translation of 256 bytes at 0 has ranges of 128 bytes");
}

KERNBENCH_SYSTEMC_TEST(a_translation_that_costs_more_than_there_is_time_ends_the_run) {
  BOOST_TEST(fault_of_a_load<WrongMmu<false>>() ==
             std::string("pe_dma: ") + Component::end_of_time);
}

KERNBENCH_SYSTEMC_TEST(an_exception_of_a_service_names_who_has_thrown) {
  BOOST_TEST(fault_of_a_load<ThrowingMmu<Throw::error>>() == "other_pe_mmu: no licence");
}
KERNBENCH_SYSTEMC_TEST(a_model_error_of_a_service_names_who_has_thrown) {
  BOOST_TEST(fault_of_a_load<ThrowingMmu<Throw::model_error>>() == "other_pe_mmu: no licence");
}
KERNBENCH_SYSTEMC_TEST(a_service_that_throws_a_number_is_named) {
  BOOST_TEST(fault_of_a_load<ThrowingMmu<Throw::number>>() ==
             "other_pe_mmu: an exception that is not a std::exception");
}

KERNBENCH_SYSTEMC_TEST(an_engine_that_lacks_what_its_neighbour_needs_is_refused) {
  PeTestbench pe;
  const Attributes none;
  const auto nothing = make_component<Nothing>({"nothing", 0, none, pe});
  const auto refused = [&](const std::string& source, Role to) {
    try {
      bind_services(pe.engine(source), *nothing, to, nullptr);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("bound");
  };
  BOOST_TEST(refused("pe_scheduler", Role::pe_gemm) ==
             "pe_scheduler needs the service tasks of nothing, whose implementation does not "
             "provide it");
  BOOST_TEST(refused("pe_fetch_store", Role::pe_tcm) ==
             "pe_fetch_store needs the service access of nothing, whose implementation does not "
             "provide it");
  BOOST_TEST(refused("pe_scheduler", Role::pe_ipcq) == "bound");  // they have nothing in common
}

BOOST_AUTO_TEST_SUITE_END()
