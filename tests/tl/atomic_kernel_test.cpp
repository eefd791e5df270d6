// Atomic operations on a machine: who gets what, in every address model.
#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>

#include "tests/support/error_text.h"
#include "tests/support/torch_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(atomic_kernels)

namespace {

// On PE 0, mapped on all PEs of the cube.
const DPPolicy one_part{Placement::replicate, Placement::row_wise, 1, 1};

struct Model {
  const char* model;
  const char* mapping;
};
constexpr Model models[] = {
    {"pa", "n_to_one"}, {"va", "n_to_one"}, {"la", "n_to_one"}, {"la", "one_to_one"}};

std::vector<Override> with_model(const Model& each, std::vector<Override> overrides = {}) {
  overrides.push_back({"cube.memory_map.address_model", each.model});
  overrides.push_back({"cube.memory_map.hbm_mapping_mode", each.mapping});
  return overrides;
}

// The order in which an HBM has booked the requests of PEs.
struct ServiceOrder final : tlm::tlm_analysis_if<HbmBooking> {
  void write(const HbmBooking& booking) override {
    const RouteExtension& route = booking.transaction->route();
    if (route.atomic == nullptr) return;
    if (seen.emplace(route.key.initiator, requests.size()).second)
      requests.push_back(route.key.initiator);
  }
  std::map<NodeId, std::size_t> seen;
  std::vector<NodeId> requests;
};

// By PE; filled by the kernels of a forked child.
std::map<PeId, double>& answers() {
  static std::map<PeId, double> values;
  return values;
}
PeId here(tl::Program& tl) { return tl.pe_id(); }

void ticket_kernel(tl::Program& tl, tl::Tensor counter) {
  answers()[here(tl)] = tl.atomic_add(counter, 1).item();
}

// Every number once, in the order of service.
void check_tickets(const Model& model, const std::vector<Override>& overrides, int cubes) {
  forked([&] {
    TorchMachine m("topology.tiny.yaml", with_model(model, overrides));
    ServiceOrder order;
    m.platform->observation().hbm_bookings.bind(order);
    const int pes = 8 * cubes;
    m.run([&](Torch& torch) {
      const DPPolicy spread{cubes > 1 ? Placement::row_wise : Placement::replicate,
                            Placement::row_wise, cubes, 8};
      torch.launch("ticket", ticket_kernel, torch.zeros({pes, 1}, i32, spread, "counter"));
    });
    m.platform->observation().hbm_bookings.unbind(order);
    BOOST_TEST(answers().size() == static_cast<std::size_t>(pes));
    std::vector<double> tickets;
    for (const auto& [pe, ticket] : answers()) {
      tickets.push_back(ticket);
      const NodeId dma = m.platform->machine().engine(pe, PeEngine::pe_dma);
      BOOST_TEST(order.seen.at(dma) == static_cast<std::size_t>(ticket));
    }
    std::sort(tickets.begin(), tickets.end());
    for (int i = 0; i < pes; ++i) BOOST_TEST(tickets[static_cast<std::size_t>(i)] == i);
    BOOST_TEST(m.failures() == "");
    BOOST_TEST(m.statistic("sip0.cube0.hbm_ctrl.pe0", "atomics") ==
               static_cast<std::uint64_t>(pes));
  });
}

// Integers in [low, low + count), the same in every run.
HostArray integers(const Shape& shape, DType dtype, std::int64_t low, std::int64_t count) {
  std::vector<double> values;
  std::uint32_t state = 7;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    state = state * 1664525 + 1013904223;
    values.push_back(static_cast<double>(low + (state >> 16) % count));
  }
  return HostArray(shape, dtype, values);
}

void histogram_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor bins) {
  const tl::Handle values = tl.load(x.local(), x.local_shape(), i32);
  tl.atomic_add(bins, tl.ravel(values), 1);
}

// A counter that only who holds the lock may touch; its values are computed.
void lock_kernel(tl::Program& tl, tl::Tensor lock, tl::Tensor count) {
  while (tl.atomic_cas(lock, 0, 1).item() != 0) {
  }
  tl.store(count, tl.load(count, {1}, f32) * 2.0 + (1.0 + tl.program_id(0)));
  answers()[here(tl)] = static_cast<double>(answers().size());
  tl.atomic_xchg(lock, 0);
}

void float_kernel(tl::Program& tl, tl::Tensor sum) {
  const double mine = tl.program_id(0) % 2 == 0 ? 1e8 : 3.0 + tl.program_id(0);
  answers()[here(tl)] = tl.atomic_add(sum, mine).item();
}

// Partial products, which phase 2 computes, are added where they belong.
void split_k_kernel(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor c) {
  const std::int64_t part = 4, k = tl.program_id(0) * part;
  const tl::Handle left = tl.load(tl.make_block_ptr(a, {4, 32}, {32, 1}, {0, k}, {4, part}));
  const tl::Handle right = tl.load(tl.make_block_ptr(b, {32, 4}, {4, 1}, {k, 0}, {part, 4}));
  tl.atomic_add(c, tl.dot(left, right, f32));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_counter_gives_8_pes_every_number_once_in_the_order_of_service) {
  for (const Model& model : models) check_tickets(model, {}, 1);
}

BOOST_AUTO_TEST_CASE(and_32_pes_of_4_cubes) {
  for (const Model& model : {models[0], models[1], models[3]})
    check_tickets(model, {{"sip.cube_mesh.w", "2"}, {"sip.cube_mesh.h", "2"}}, 4);
}

BOOST_AUTO_TEST_CASE(a_histogram_counts_what_all_pes_have) {
  for (const Model& model : models) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", with_model(model));
      m.run([](Torch& torch) {
        const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
        const HostArray x = integers({64, 5}, i32, 0, 40);
        // 40 bins over all memories: an access is split over them.
        const Tensor bins = torch.zeros({40, 1}, i32, spread, "bins");
        torch.launch("histogram", histogram_kernel, torch.from_host(x, spread, "x"), bins);
        torch.verify(bins, [x] {
          std::vector<double> counts(40, 0.0);
          for (const double value : x.values()) ++counts[static_cast<std::size_t>(value)];
          return counts;
        });
      });
      BOOST_TEST(m.failures() == "", model.model << " " << model.mapping << m.failures());
    });
  }
}

// What the lock orders is no race, and is in the order in which it was held.
BOOST_AUTO_TEST_CASE(a_lock_by_cas_orders_what_it_guards) {
  for (const Model& model : {models[0], models[1]}) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", with_model(model));
      m.run([](Torch& torch) {
        const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
        const Tensor count = torch.zeros({1}, f32, one_part, "count");
        torch.launch("lock", lock_kernel, torch.zeros({8, 1}, i32, spread, "lock"), count);
        torch.verify(count, [] {
          std::map<double, int> by_turn;
          for (const auto& [pe, turn] : answers()) by_turn[turn] = pe.pe;
          double value = 0;
          for (const auto& [turn, pe] : by_turn) value = value * 2 + 1 + pe;
          return std::vector<double>{value};
        });
      });
      BOOST_TEST(answers().size() == 8U);
      BOOST_TEST(m.failures() == "", m.failures());
    });
  }
}

// Sums of f32 depend on the order: it is that of service. Each answer is the sum so far.
BOOST_AUTO_TEST_CASE(floats_are_added_in_the_order_of_service) {
  forked([] {
    TorchMachine m;
    ServiceOrder order;
    m.platform->observation().hbm_bookings.bind(order);
    m.run([](Torch& torch) {
      const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
      torch.launch("sum", float_kernel, torch.zeros({8, 1}, f32, spread, "sum"));
    });
    m.platform->observation().hbm_bookings.unbind(order);
    float sum = 0;
    for (const NodeId dma : order.requests) {
      for (const auto& [pe, old] : answers()) {
        if (m.platform->machine().engine(pe, PeEngine::pe_dma) != dma) continue;
        BOOST_TEST(old == static_cast<double>(sum));
        sum += pe.pe % 2 == 0 ? 1e8F : 3.0F + static_cast<float>(pe.pe);
      }
    }
    BOOST_TEST(order.requests.size() == 8U);
  });
}

BOOST_AUTO_TEST_CASE(computed_blocks_are_added_up) {
  for (const Model& model : models) {
    forked([&] {
      TorchMachine m("topology.tiny.yaml", with_model(model));
      m.run([](Torch& torch) {
        const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8}, one = one_part;
        const HostArray a = integers({4, 32}, f16, -3, 7), b = integers({32, 4}, f16, -3, 7);
        const Tensor c = torch.zeros({4, 4}, f32, one, "c");
        torch.launch("split_k", split_k_kernel, torch.from_host(a, one, "a"),
                     torch.from_host(b, spread, "b"), c);
        torch.verify(c, [a, b] {
          std::vector<double> expected;
          for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j < 4; ++j) {
              double sum = 0;
              for (std::size_t k = 0; k < 32; ++k)
                sum += a.values()[i * 32 + k] * b.values()[k * 4 + j];
              expected.push_back(sum);
            }
          }
          return expected;
        });
      });
      BOOST_TEST(m.failures() == "", m.failures());
    });
  }
}

BOOST_AUTO_TEST_CASE(the_shared_scratchpad_of_a_cube_serves_them) {
  forked([] {
    TorchMachine m;
    static std::uint64_t sram = 0;
    sram = m.address(MemoryArea::cube_sram, {0, 0, 0}, 4096);
    const auto kernel = [](tl::Program& tl, tl::Tensor /*on all*/) {
      answers()[here(tl)] = tl.atomic_add(tl::Ptr(sram).as(i32), 2).item();
    };
    m.run([&](Torch& torch) {
      const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
      torch.launch("ticket", kernel, torch.zeros({8, 1}, i32, spread, "x"));
    });
    std::vector<double> tickets;
    for (const auto& [pe, ticket] : answers()) tickets.push_back(ticket);
    std::sort(tickets.begin(), tickets.end());
    BOOST_TEST(tickets == (std::vector<double>{0, 2, 4, 6, 8, 10, 12, 14}),
               boost::test_tools::per_element());
    BOOST_TEST(m.statistic("sip0.cube0.sram", "atomics") == 8U);
    BOOST_TEST(m.statistic("sip0.cube0.sram", "bytes_written") == 32U);
  });
}

BOOST_AUTO_TEST_CASE(a_tcm_is_refused_by_name) {
  forked([] {
    TorchMachine m;
    static std::uint64_t tcm = 0;
    tcm = m.tcm({0, 0, 1}, 4096);
    const auto kernel = [](tl::Program& tl, tl::Tensor /*on one*/) {
      tl.atomic_add(tl::Ptr(tcm).as(i32), 2);
    };
    check_contains(m.error([&](Torch& torch) {
      torch.launch("k", kernel, torch.zeros({1}, i32, DPPolicy::on_one_pe(), "x"));
    }),
                   {"tl.atomic_add at 0x", "it lies in sip0.cube0.pe1.pe_tcm",
                    "HBM and SRAM serve atomic operations"});
  });
}

// All answers and the times at which they come, of tickets and a lock that all PEs want.
std::string contention(const Model& model) {
  return forked_value([&] {
    TorchMachine m("topology.tiny.yaml", with_model(model));
    static std::string record;
    const auto kernel = [](tl::Program& tl, tl::Tensor counter, tl::Tensor lock) {
      const auto note = [&tl](double answer) {
        record += fmt::format("pe{} {} at {}; ", tl.program_id(0), answer,
                              sc_core::sc_time_stamp().value());
      };
      for (int i = 0; i < 3; ++i) note(tl.atomic_add(counter, 1).item());
      while (tl.atomic_cas(lock, 0, 1).item() != 0) note(-1);
      note(tl.atomic_add(counter, 0).item());
      tl.atomic_xchg(lock, 0);
    };
    m.run([&](Torch& torch) {
      const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
      torch.launch("contend", kernel, torch.zeros({8, 1}, i32, spread, "counter"),
                   torch.zeros({8, 1}, i32, spread, "lock"));
    });
    return record;
  });
}

BOOST_AUTO_TEST_CASE(contended_accesses_are_the_same_in_every_run) {
  for (const Model& model : models) {
    const std::string once = contention(model);
    BOOST_TEST(std::count(once.begin(), once.end(), ';') > 8 * 4);  // some had to try again
    BOOST_TEST(contention(model) == once);
  }
}

// Who loads what others change by atomics is ordered by nothing.
BOOST_AUTO_TEST_CASE(a_plain_load_concurrent_with_atomics_is_a_race) {
  forked([] {
    TorchMachine m;
    const auto kernel = [](tl::Program& tl, tl::Tensor x) {
      if (tl.program_id(0) == 0) {
        tl.load(x, {1}, i32);
      } else {
        tl.atomic_add(x, 1);
      }
    };
    m.run([&](Torch& torch) {
      const DPPolicy spread{Placement::replicate, Placement::row_wise, 1, 8};
      torch.launch("race", kernel, torch.zeros({8, 1}, i32, spread, "x"));
    });
    check_contains(m.failures(), {"data race on 4 bytes from 'x' + 0", "tl.atomic_add", "tl.load"});
  });
}

BOOST_AUTO_TEST_SUITE_END()
