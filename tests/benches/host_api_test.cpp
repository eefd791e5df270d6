// The host API on a machine: what takes time, and how much (spec 4.1, 7).
#include "models/data/elements.h"
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(host_api_test)

namespace {

constexpr Fs ns = fs_per_ns;

// Simulated time of `call`.
template <class Call>
Fs time_of(Torch& torch, Call call) {
  const Fs begun = torch.now();
  call();
  return torch.now() - begun;
}

void run_on_tiny(void (*body)(Torch&), bool with_data = true) {
  BenchRunOptions options;
  options.data = with_data ? DataMode::deferred : DataMode::off;
  const BenchOutcome outcome = run_function(body, options);
  BOOST_TEST(outcome.status == "completed", outcome.error);
}

void nothing(tl::Program&, tl::Tensor) {}

const DPPolicy one_row_per_pe{Placement::replicate, Placement::row_wise, 1, 8};

}  // namespace

// The single messages are derived in tests/host: a write of 256 bytes to PE 0's HBM takes 41.700006
// ns, a read 59.900012 ns. `empty` sends the mapping alone; `zeros` the same and then one write.
KERNBENCH_SYSTEMC_TEST(zeros_take_the_time_of_empty_and_of_one_write) {
  run_on_tiny([](Torch& torch) {
    const auto make = [&](bool zeros) {
      return time_of(torch, [&] {
        zeros ? torch.zeros({128}, f16, DPPolicy::on_one_pe())
              : torch.empty({128}, f16, DPPolicy::on_one_pe());
      });
    };
    const Fs empty = make(false);
    BOOST_TEST(empty > 0U);
    sc_core::wait(1, sc_core::SC_US);  // the unmapping that the reaper sends is over
    BOOST_TEST(make(true) == empty + 41'700'006);
    sc_core::wait(1, sc_core::SC_US);
    Tensor t = torch.full({128}, 3, f16, DPPolicy::on_one_pe());
    BOOST_TEST(time_of(torch, [&] { t.copy_(HostArray::full({128}, f16, 1)); }) == 41'700'006U);
    BOOST_TEST(time_of(torch, [&] { t.to_host(); }) == 59'900'012U);
    BOOST_TEST(time_of(torch, [&] { t.shape(), t.dtype(), t.va(), t.shards(), t.str(); }) == 0U);
  });
}

// All shards at once: 8 writes share the way into the cube and overlap; each alone would take at
// least 41.7 ns. A slice of one shard costs that shard alone.
KERNBENCH_SYSTEMC_TEST(shards_are_written_at_once_and_a_slice_costs_its_shards_only) {
  run_on_tiny([](Torch& torch) {
    Tensor t = torch.zeros({8, 128}, f16, one_row_per_pe, "t");
    const HostArray all = HostArray::full({8, 128}, f16, 1),
                    row = HostArray::full({1, 128}, f16, 2);
    const Fs whole = time_of(torch, [&] { t.copy_(all); });
    BOOST_TEST(whole < 8 * 41'700'006U / 2);
    BOOST_TEST(time_of(torch, [&] { t[{{0, 1}}].copy_(row); }) == 41'700'006U);
    BOOST_TEST(time_of(torch, [&] { t[{{0, 1}}].to_host(); }) == 59'900'012U);
    BOOST_TEST(time_of(torch, [&] { t[{{0, 8}}].copy_(all); }) == whole);
    BOOST_TEST(t.to_host().at({0, 5}) == 1);
  });
}

KERNBENCH_SYSTEMC_TEST(untimed_moves_data_without_time_and_everything_else_takes_it) {
  run_on_tiny([](Torch& torch) {
    torch.untimed([&] {
      Tensor t = torch.empty({8, 128}, f16, one_row_per_pe, "t");
      Tensor u = torch.empty({8, 128}, f16, one_row_per_pe, "u");
      const HostArray sent = torch.random({8, 128}, f16);
      BOOST_TEST(time_of(torch, [&] {
                   t.copy_(sent);
                   u.copy_(t);
                   u[{{3, 4}}].fill_(0.5);
                   BOOST_TEST(u.to_host().at({3, 9}) == 0.5);
                   BOOST_TEST(u.to_host().at({4, 9}) == sent.at({4, 9}));
                 }) == 0U);
      BOOST_TEST(time_of(torch, [&] { torch.launch("nothing", nothing, t); }) > 0U);
      BOOST_TEST(time_of(torch, [&] { torch.empty({4}, f16, DPPolicy::on_one_pe()); }) > 0U);
    });
  });
}

// 4096 bytes of code to PE 0's HBM. One flit of 256 bytes takes 41.700006 ns (tests/host). The last
// of 16 leaves the last of the slow links (128 GB/s, 2 ns each) 15 x 2 ns behind the first; r0c0
// then holds the first one for 2 ns, while the others come up. Its burst is its pseudo-channel's
// second, which is free again. Later launches, and those of a kernel that is built in, take less by
// exactly that.
KERNBENCH_SYSTEMC_TEST(a_deployed_kernel_pays_for_its_code_before_its_first_launch_only) {
  run_on_tiny([](Torch& torch) {
    const Tensor t = torch.zeros({128}, f16, DPPolicy::on_one_pe(), "t");
    const LaunchSpec deployed = LaunchSpec("deployed").on_pe(0).deployed(4096);
    const Fs builtin =
        time_of(torch, [&] { torch.launch(LaunchSpec("builtin").on_pe(0), nothing, t); });
    const Fs first = time_of(torch, [&] { torch.launch(deployed, nothing, t); });
    const Fs second = time_of(torch, [&] { torch.launch(deployed, nothing, t); });
    BOOST_TEST(first - builtin == 41'700'006 + (15 * 2 - 2) * ns);
    BOOST_TEST(second == builtin);
  });
}

KERNBENCH_SYSTEMC_TEST(scalars_of_every_type_reach_the_kernel_bit_by_bit) {
  run_on_tiny([](Torch& torch) {
    const Tensor t = torch.zeros({4}, f32, DPPolicy::on_one_pe(), "t");
    static int seen = 0;
    const auto kernel = [](tl::Program&, tl::Ptr, std::int32_t a, std::int64_t b, tl::Half c,
                           float d, bool e) {
      BOOST_TEST(a == std::numeric_limits<std::int32_t>::min());
      BOOST_TEST(b == std::numeric_limits<std::int64_t>::max());
      BOOST_TEST(c.bits() == 0xfe01);            // NaN with sign and payload
      BOOST_TEST(float_bits(d) == 0x00000001U);  // the smallest subnormal
      BOOST_TEST(e);
      ++seen;
    };
    torch.launch(LaunchSpec("k").on_pe(0), kernel, t, std::numeric_limits<std::int32_t>::min(),
                 std::numeric_limits<std::int64_t>::max(), tl::Half::from_bits(0xfe01),
                 float_from_bits(1), true);
    BOOST_TEST(seen == 1);
  });
}

KERNBENCH_SYSTEMC_TEST(a_half_scalar_is_an_operand_like_any_number) {
  run_on_tiny([](Torch& torch) {
    const Tensor x = torch.full({64}, 8, f16, DPPolicy::on_one_pe(), "x"),
                 out = torch.empty({64}, f16, DPPolicy::on_one_pe(), "out");
    torch.launch(
        LaunchSpec("scale").on_pe(0),
        [](tl::Program& tl, tl::Tensor x, tl::Tensor out, tl::Half factor) {
          const tl::Handle block = tl.load(x, x.shape(), x.dtype());
          tl.store(out, factor * block + tl.add(block, factor));
        },
        x, out, tl::Half(0.25));
    torch.verify(out, [] { return std::vector<double>(64, 8 * 0.25 + 8 + 0.25); });
  });
}

// The unmapping goes through the fabric to every PE, in each address model; then nothing leads to
// the bytes, and the next tensor gets the same addresses.
BOOST_AUTO_TEST_CASE(a_freed_tensor_is_unmapped_everywhere_and_its_addresses_are_used_again) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"va", "no mapping for virtual address"},
      {"la", "no segment for logical address"},
      {"pa", "is in no tensor of the launch"}};
  for (const auto& [model, fault] : faults) {
    forked([&model = model, &fault = fault] {
      static std::string error;
      BenchRunOptions options;
      options.overrides.push_back({std::string("cube.memory_map.address_model"), model});
      const BenchOutcome outcome = run_function(
          [](Torch& torch) {
            const auto make = [&](const char* name) {
              return torch.zeros({8, 16}, f16, one_row_per_pe, name);
            };
            const Tensor kept = make("kept");
            Tensor freed = make("freed");
            const std::uint64_t va = freed.va(), pa = freed.shards().at(5).pa;
            freed = Tensor();
            sc_core::wait(1, sc_core::SC_US);
            const auto touch = [](tl::Program& tl, tl::Tensor, tl::Ptr address) {
              tl.load(address, {1}, f16);
            };
            const LaunchSpec spec = LaunchSpec("touch").failure_policy(FailurePolicy::collect_all);
            error = torch.join(torch.launch_async(spec, touch, kept, tl::Ptr(va))).error_message;
            const Tensor next = make("next");
            BOOST_TEST(next.va() == va);
            BOOST_TEST(next.shards().at(5).pa == pa);
            torch.launch(spec, touch, next, tl::Ptr(va));
          },
          options);
      BOOST_TEST(outcome.status == "completed", outcome.error);
      BOOST_TEST(contains(error,
                          "8 PEs alike, sip0.cube0.pe0, sip0.cube0.pe1, sip0.cube0.pe2, "
                          "sip0.cube0.pe3 and 4 more: "),
                 error);
      BOOST_TEST(count(error, fault) == 1U, error);
    });
  }
}

// Launches run on while new tensors are made; a user of old ones waits for them.
KERNBENCH_SYSTEMC_TEST(new_tensors_are_made_while_a_kernel_runs) {
  run_on_tiny([](Torch& torch) {
    const Tensor t = torch.zeros({128}, f16, DPPolicy::on_one_pe(), "t");
    const auto long_kernel = [](tl::Program& tl, tl::Tensor) { tl.cycles(100'000); };
    const LaunchHandle h = torch.launch_async(LaunchSpec("long").on_pe(0), long_kernel, t);
    const Tensor next =
        torch.from_host(HostArray::full({128}, f16, 1), DPPolicy::on_one_pe(), "next");
    BOOST_TEST(!h.done());
    t.to_host();
    BOOST_TEST(h.done());
    BOOST_TEST(h.metrics().merged.pe_exec == 100'000 * ns);
  });
}

BOOST_AUTO_TEST_CASE(printing_takes_the_time_of_a_read_with_and_without_data) {
  for (const bool with_data : {false, true}) {
    forked([with_data] {
      static bool data;
      data = with_data;
      run_on_tiny(
          [](Torch& torch) {
            const Tensor t = torch.full({128}, 2, f16, DPPolicy::on_one_pe(), "t");
            std::ostringstream text;
            BOOST_TEST(time_of(torch, [&] { text << t; }) == 59'900'012U);
            BOOST_TEST(contains(text.str(), data ? "= f16{128} [2, 2, 2, ..., 2, 2, 2]"
                                                 : "= (no values: this run has no data)"),
                       text.str());
            if (!data) return;
            torch.launch(
                LaunchSpec("square").on_pe(0),
                [](tl::Program& tl, tl::Tensor t) {
                  const tl::Handle x = tl.load(t, t.shape(), t.dtype());
                  tl.store(t, x * x);
                },
                t);
            text.str("");
            text << t;
            BOOST_TEST(contains(text.str(), "(values pending until phase 2)"), text.str());
          },
          with_data);
    });
  }
}

// The compiled machine, read only.
KERNBENCH_SYSTEMC_TEST(the_spec_tells_of_the_machine) {
  run_on_tiny([](Torch& torch) {
    const MachineDescription& spec = torch.spec();
    BOOST_TEST(spec.sips == 1);
    BOOST_TEST(spec.cubes() == 1);
    BOOST_TEST(spec.pes == 8);
    BOOST_TEST(spec.flit_bytes == 256U);
    const NodeId gemm = spec.engine({0, 0, 3}, PeEngine::pe_gemm);
    BOOST_TEST(spec.name(gemm) == "sip0.cube0.pe3.pe_gemm");
    BOOST_TEST(spec.nodes[gemm].kind == "pe_gemm");
    BOOST_TEST(spec.attributes(gemm).integer("macs_per_cycle") == 4096);
    BOOST_TEST(spec.find("sip0.cube0.pe3.pe_gemm") == gemm);
    BOOST_TEST(spec.find("sip9.cube0.pe3.pe_gemm") == no_node);
    torch.empty({4}, f16, DPPolicy::on_one_pe());
  });
}

BOOST_AUTO_TEST_SUITE_END()
