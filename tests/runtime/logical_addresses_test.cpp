// Tensors in the address model LA (spec 3.3): segments instead of pages, one for each shard, where
// the shards are.
#include <rapidcheck/boost_test.h>

#include <map>

#include "models/address/phys_addr.h"
#include "models/address/virtual_space.h"
#include "tests/runtime/stub_host.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(logical_addresses)

namespace {

const DPPolicy by_columns{Placement::replicate, Placement::column_wise, 1, 4};

void use_logical_addresses(StubHost& host, HbmMapping mapping) {
  host.machine_.address_model = AddressModel::la;
  host.machine_.hbm_mapping = mapping;
}

std::uint64_t hbm(unsigned pe, std::uint64_t offset) {
  return PhysAddr::pe_hbm_addr(0, 0, pe, offset, std::uint64_t{6} << 30).encode();
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_tensor_is_one_segment_per_shard_and_they_go_as_they_came) {
  StubHost host;
  use_logical_addresses(host, HbmMapping::n_to_one);
  run_on(host, [&](Torch& torch, Runtime& runtime) {
    Tensor t = torch.empty({4, 8}, f16, by_columns, "t");  // four shards of 16 bytes
    BOOST_TEST(host.log == (Lines{"SegmentInstall 4 to 8"}));
    BOOST_TEST(host.maps.empty());
    const SegmentInstall& install = host.installs.at(0);
    for (std::size_t i = 0; i < 4; ++i) {
      const BaawSegment& segment = install.segments.at(i);
      BOOST_TEST(segment.la_base == va_base + 16 * i);
      BOOST_TEST(segment.la_size == 16U);
      BOOST_TEST((segment.mode == HbmMapping::n_to_one));
      BOOST_TEST(segment.pa_bases == (std::vector<std::uint64_t>{t.shards().at(i).pa}),
                 boost::test_tools::per_element());
    }
    BOOST_TEST(t.str() == "t f16{4, 8} in 4 shards at 0x10000000000000");
    host.log.clear();
    t = Tensor();
    sc_core::wait(1, sc_core::SC_NS);
    BOOST_TEST(host.log == (Lines{"SegmentRemove 4 to 8"}));
    BOOST_TEST(runtime.memory->used_virtual_bytes(0) == 0U);
  });
}

KERNBENCH_SYSTEMC_TEST(segments_of_replicas_are_installed_only_where_they_are) {
  StubHost host;
  use_logical_addresses(host, HbmMapping::n_to_one);
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor r =
        torch.empty({4, 8}, f16, {Placement::replicate, Placement::replicate, 2, 2}, "r");
    BOOST_REQUIRE(host.installs.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      BOOST_TEST(host.installs[i].targets.size() == 1U);
      BOOST_TEST((host.installs[i].targets.at(0) == r.shards().at(i).where));
      BOOST_TEST(host.installs[i].segments.at(0).la_base == r.va());
      BOOST_TEST(host.installs[i].segments.at(0).pa_bases.at(0) == r.shards().at(i).pa);
    }
  });
}

KERNBENCH_SYSTEMC_TEST(in_one_to_one_a_segment_has_the_first_byte_on_each_channel_that_it_touches) {
  StubHost host;
  use_logical_addresses(host, HbmMapping::one_to_one);
  run_on(host, [&](Torch& torch, Runtime&) {
    const Tensor small = torch.empty({100}, i8, DPPolicy::on_one_pe(), "small");
    const Tensor medium = torch.empty({600}, i8, DPPolicy::on_one_pe(), "medium");
    const Tensor large = torch.empty({5000}, i8, DPPolicy::on_one_pe(), "large");
    const auto bases = [&](std::size_t i) { return host.installs.at(i).segments.at(0).pa_bases; };
    // Shards begin at 256 B: bursts 0, 1 to 3, and from 4 on.
    BOOST_TEST(bases(0) == (std::vector<std::uint64_t>{hbm(0, 0)}),
               boost::test_tools::per_element());
    BOOST_TEST(bases(1) == (std::vector<std::uint64_t>{hbm(0, 256), hbm(0, 512), hbm(0, 768)}),
               boost::test_tools::per_element());
    std::vector<std::uint64_t> eight;
    for (std::uint64_t burst = 4; burst < 12; ++burst) eight.push_back(hbm(0, 256 * burst));
    BOOST_TEST(bases(2) == eight, boost::test_tools::per_element());
    BOOST_TEST((host.installs[2].segments[0].mode == HbmMapping::one_to_one));
    BOOST_TEST(large.va() ==
               va_base + 256 + 768);  // no pages: the ranges follow each other at flits
  });
}

// Whatever comes and goes, what lives shares neither memory nor, on any PE, a logical address.
RC_BOOST_PROP(living_tensors_never_overlap, (bool one_to_one)) {
  struct Action {
    bool make;
    int policy;
    std::int64_t rows, columns;
    std::size_t victim;
  };
  std::vector<Action> actions(static_cast<std::size_t>(*rc::gen::inRange(1, 25)));
  for (Action& action : actions)
    action = {*rc::gen::inRange(0, 3) > 0, *rc::gen::inRange(0, 5),
              *rc::gen::inRange<std::int64_t>(8, 40), *rc::gen::inRange<std::int64_t>(8, 200),
              *rc::gen::inRange<std::size_t>(0, 100)};
  const std::string overlap = forked_value([&]() -> std::string {
    StubHost host;
    use_logical_addresses(host, one_to_one ? HbmMapping::one_to_one : HbmMapping::n_to_one);
    std::string found;
    run_on(host, [&](Torch& torch, Runtime& runtime) {
      const std::vector<DPPolicy> policies{
          DPPolicy::on_one_pe(),
          by_columns,
          {Placement::replicate, Placement::replicate, 2, 2},
          {Placement::row_wise, Placement::column_wise, 2, 8},
          {Placement::column_wise, Placement::tiled_row_major, 2, 4}};
      std::vector<Tensor> live;
      for (const Action& action : actions) {
        if (action.make || live.empty()) {
          live.push_back(torch.empty({action.rows, action.columns}, f16,
                                     policies.at(static_cast<std::size_t>(action.policy))));
        } else {
          live.erase(live.begin() + static_cast<std::ptrdiff_t>(action.victim % live.size()));
          sc_core::wait(1, sc_core::SC_NS);
        }
        std::map<std::uint64_t, std::uint64_t> memory, logical;
        std::uint64_t bytes = 0;
        for (const Tensor& tensor : live) {
          logical[tensor.va()] = tensor.va() + tensor.nbytes();
          for (const Shard& shard : tensor.shards()) {
            memory[shard.pa] = shard.pa + shard.nbytes;
            bytes += shard.nbytes;
            if (shard.offset + shard.nbytes > tensor.nbytes())
              found += "a shard beyond its tensor; ";
          }
        }
        for (const auto* ranges : {&memory, &logical}) {
          std::uint64_t end = 0;
          for (const auto& [first, last] : *ranges) {
            if (first < end) found += "two ranges overlap; ";
            end = last;
          }
        }
        std::uint64_t used = 0;
        for (int cube = 0; cube < 16; ++cube) {
          for (int pe = 0; pe < 8; ++pe) used += runtime.memory->used_bytes({0, cube, pe});
        }
        if (used != bytes) found += "bytes are lost; ";
      }
      live.clear();
      sc_core::wait(1, sc_core::SC_NS);
      if (runtime.memory->used_virtual_bytes(0) != 0) found += "logical addresses are left; ";
    });
    return found;
  });
  RC_ASSERT(overlap == "");
}

BOOST_AUTO_TEST_SUITE_END()
