// What a fault says of an address without a mapping
// (docs/decisions/faults-and-misbehaving-programs.md): which tensor it is of, who has its shards,
// and what would map it where it is asked for; by every way to memory, in every address model.
#include "tests/benches/verified_runs.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(placement_fault_test)

namespace {

using Texts = std::vector<std::string>;

BenchRunOptions in_model(const std::string& model, const char* topology = "topology.yaml") {
  BenchRunOptions options;
  options.topology = topology;
  options.overrides.push_back({std::string("cube.memory_map.address_model"), model});
  return options;
}

// The error that the run ends with has each of `parts`.
void check_error(void (*run)(Torch&), const Texts& parts, const BenchRunOptions& options) {
  const std::string error = forked_value([&] {
    const BenchOutcome outcome = run_function(run, options);
    return outcome.status + ": " + outcome.error;
  });
  for (const std::string& part : parts) BOOST_TEST(contains(error, part), error);
}

// 64 rows over the PEs of cube 0; a launch that has PEs of cube 1 too, by the other tensor.
constexpr auto replicate = Placement::replicate;
const DPPolicy on_two_cubes{replicate, Placement::row_wise, 2, 8},
    on_one_cube{replicate, Placement::row_wise, 1, 8};

struct Pair {
  explicit Pair(Torch& torch, const DPPolicy& policy = on_one_cube)
      : w(torch.zeros({64, 64}, f16, policy, "w")),
        here(torch.zeros({64, 64}, f16, on_two_cubes, "here")) {}
  Tensor w, here;
};

const Texts of_w{
    "it is byte 512 of tensor 'w' f16{64, 64}, element {4, 0}; its shards by "
    "DPPolicy{replicate, row_wise, 1, 8} are on sip0.cube0.pe0 [0:8, 0:64], "
    "sip0.cube0.pe1 [8:16, 0:64], 5 more, sip0.cube0.pe7 [56:64, 0:64]; they are "
    "mapped on the PEs of sip0.cube0 alone, each cube its own copy; num_cubes of at "
    "least 2 gives sip0.cube1 a copy, and a cube placement and a PE placement that "
    "both cut an axis map the shards on every PE of the SIP",
    "8 PEs alike, sip0.cube1.pe0"};

template <class Body>
void on_cube_1(tl::Program& tl, Body body) {
  if (tl.program_id(1) == 1) body();
}

void loads(Torch& torch) {
  const Pair tensors(torch);
  torch.launch(
      LaunchSpec("k").failure_policy(FailurePolicy::collect_all),
      [](tl::Program& tl, tl::Tensor w, tl::Tensor) {
        on_cube_1(tl, [&] { tl.load(w + 512, {4, 64}, f16); });
      },
      tensors.w, tensors.here);
}

void stores(Torch& torch) {
  const Pair tensors(torch);
  torch.launch(
      LaunchSpec("k").failure_policy(FailurePolicy::collect_all),
      [](tl::Program& tl, tl::Tensor w, tl::Tensor) {
        on_cube_1(tl, [&] { tl.store(w + 512, tl.zeros({4, 64}, f16)); });
      },
      tensors.w, tensors.here);
}

void streams(Torch& torch) {
  const Pair tensors(torch);
  torch.launch(
      LaunchSpec("k").failure_policy(FailurePolicy::collect_all),
      [](tl::Program& tl, tl::Tensor w, tl::Tensor) {
        on_cube_1(tl, [&] {
          tl.wait(tl.composite(tl::gemm(tl.zeros({4, 4}, f16), tl.ref(w + 512, {4, 64}, f16))));
        });
      },
      tensors.w, tensors.here);
}

// A tensor on one PE, and the PE next to it.
void loads_of_a_neighbour(Torch& torch) {
  const Tensor one = torch.zeros({8}, f32, DPPolicy::on_one_pe(), "one");
  torch.launch(
      LaunchSpec("k").on_pes({0, 3}),
      [](tl::Program& tl, tl::Tensor one) { tl.load(one, {8}, f32); }, one);
}

// Both SIPs have a tensor at their first address; the one behind it is on SIP 0 alone.
void loads_of_another_sip(Torch& torch) {
  const Tensor a = torch.zeros({64, 64}, f16, on_one_cube, "a"),
               far = torch.zeros({64, 64}, f16, on_one_cube, "far");
  torch.ahbm.set_device(1);
  const Tensor b = torch.zeros({64, 64}, f16, on_one_cube, "b");
  torch.launch(
      "k", [](tl::Program& tl, tl::Tensor, tl::Ptr far) { tl.load(far, {64}, f16); }, b,
      tl::Ptr(far.va()));
}

// `bytes` from the beginning of a tensor of 8 rows of 96 bytes; a second tensor begins a page
// later.
template <std::int64_t bytes>
void loads_next_to_tensors(Torch& torch) {
  const Tensor x = torch.zeros({8, 48}, f16, {replicate, Placement::row_wise, 1, 8}, "x"),
               y = torch.zeros({8, 48}, f16, {replicate, Placement::row_wise, 1, 8}, "y");
  torch.launch(
      "k", [](tl::Program& tl, tl::Tensor, tl::Ptr address) { tl.load(address, {1}, f16); }, y,
      tl::Ptr(x.va()) + bytes);
}

void loads_of_a_freed_tensor(Torch& torch) {
  const Tensor kept = torch.zeros({8, 16}, f16, on_one_cube, "kept");
  Tensor old = torch.zeros({8, 16}, f16, on_one_cube, "old");
  const std::uint64_t va = old.va();
  old = Tensor();
  sc_core::wait(1, sc_core::SC_US);
  torch.launch(
      "k", [](tl::Program& tl, tl::Tensor, tl::Ptr address) { tl.load(address, {1}, f16); }, kept,
      tl::Ptr(va + 34));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_fault_names_the_tensor_where_its_shards_are_mapped_and_what_would_map_it) {
  for (const char* model : {"va", "la"}) {
    for (const auto run : {&loads, &stores, &streams}) {
      check_error(run, of_w, in_model(model));
      BenchRunOptions without_values = in_model(model);
      without_values.data = DataMode::off;
      check_error(run, of_w, without_values);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_copy_of_one_pe_is_mapped_there_alone_and_the_fault_says_so) {
  for (const char* model : {"va", "la"}) {
    check_error(
        &loads_of_a_neighbour,
        {"sip0.cube0.pe3.pe_cpu", "tl.load at one: ",
         "it is byte 0 of tensor 'one' f32{8}, element {0}; its shards by "
         "DPPolicy{replicate, replicate, 1, 1} are on sip0.cube0.pe0 [0:8]; a PE's copy is "
         "mapped on that PE alone; num_cubes of at least 1 with num_pes of at least 4 gives "
         "sip0.cube0.pe3 a copy, a PE placement that cuts an axis maps the shards on their "
         "whole cube"},
        in_model(model, "topology.tiny.yaml"));
  }
}

BOOST_AUTO_TEST_CASE(a_tensor_of_another_sip_is_named_with_its_sip) {
  for (const char* model : {"va", "la", "pa"}) {
    check_error(&loads_of_another_sip,
                {"sip1 has no tensor there; on sip0 it is byte 0 of tensor 'far' f16{64, 64}, and "
                 "tensors are mapped on their own SIP alone: torch.ahbm.set_device(1) makes one "
                 "here"},
                in_model(model));
  }
}

// Tensors begin at pages in VA, at flits of 256 bytes in LA: 768 bytes are a tensor there.
BOOST_AUTO_TEST_CASE(an_address_between_tensors_is_reported_with_its_neighbours) {
  check_error(
      &loads_next_to_tensors<768>,
      {"no mapping for virtual address 0x10000000000300",
       "no tensor of sip0 is there; tensor 'x' f16{8, 48} of 768 bytes ends 0 bytes before; "
       "tensor 'y' f16{8, 48} begins 3328 bytes behind"},
      in_model("va", "topology.tiny.yaml"));
  for (const char* model : {"va", "la", "pa"}) {
    check_error(&loads_next_to_tensors<1 << 20>,
                {"no tensor of sip0 is there; tensor 'y' f16{8, 48} of 768 bytes ends "},
                in_model(model, "topology.tiny.yaml"));
  }
}

BOOST_AUTO_TEST_CASE(a_freed_tensor_is_named_as_freed) {
  for (const char* model : {"va", "la", "pa"}) {
    check_error(&loads_of_a_freed_tensor,
                {"it is byte 34 of tensor 'old' f16{8, 16}, which has been freed: a tensor lives "
                 "as long as a handle to it or a launch with it as an argument"},
                in_model(model, "topology.tiny.yaml"));
  }
}

// In PA every tensor argument is visible from everywhere; others are not.
BOOST_AUTO_TEST_CASE(with_physical_addresses_a_tensor_has_to_be_an_argument) {
  check_error(&loads_next_to_tensors<16>,
              {"address 0x10000000000010 is in no tensor of the launch",
               "it is byte 16 of tensor 'x' f16{8, 48}, element {0, 8}; its shards by ",
               "in the address model pa a kernel reaches the tensors among the arguments of its "
               "launch alone"},
              in_model("pa", "topology.tiny.yaml"));
}

BOOST_AUTO_TEST_SUITE_END()
