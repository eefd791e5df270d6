// PE_MMU (spec 3.3, ADR-0039): the page table, the messages, the address model PA.
#include <fmt/format.h>
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <vector>

#include "models/address/virtual_space.h"
#include "models/base/errors.h"
#include "models/pe/page_table.h"
#include "tests/pe/pe_testbench.h"
#include "tests/support/forked.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mmu_test)

namespace {

constexpr Fs ns = fs_per_ns;

std::string text(const PhysRanges& ranges) {
  std::string all;
  for (const PhysRange& range : ranges)
    all += (all.empty() ? "" : " ") + std::to_string(range.pa) + "+" + std::to_string(range.nbytes);
  return all;
}

// The source's page table, literally: page -> regions in the order of their mappings.
class NaivePageTable {
 public:
  explicit NaivePageTable(std::uint64_t page) : page_(page) {}
  void map(std::uint64_t va, std::uint64_t pa, std::uint64_t bytes) {
    for (std::uint64_t at = va; at < va + bytes;) {
      const std::uint64_t end = std::min(va + bytes, (at / page_ + 1) * page_);
      pages_[at / page_].push_back({at, end, pa + (at - va)});
      at = end;
    }
  }
  void unmap(std::uint64_t va, std::uint64_t bytes) {
    for (auto& [page, regions] : pages_) {
      regions.erase(
          std::remove_if(regions.begin(), regions.end(),
                         [&](const Region& r) { return r.begin >= va && r.end <= va + bytes; }),
          regions.end());
    }
  }
  // -1: no mapping.
  std::int64_t look_up(std::uint64_t va) const {
    const auto page = pages_.find(va / page_);
    if (page == pages_.end()) return -1;
    for (auto region = page->second.rbegin(); region != page->second.rend(); ++region) {
      if (va >= region->begin && va < region->end)
        return static_cast<std::int64_t>(region->pa + (va - region->begin));
    }
    return -1;
  }

 private:
  struct Region {
    std::uint64_t begin, end, pa;
  };
  std::uint64_t page_;
  std::map<std::uint64_t, std::vector<Region>> pages_;
};

std::shared_ptr<KernelLaunch> launch_with(TensorArgument tensor) {
  auto launch = std::make_shared<KernelLaunch>();
  launch->args = {std::move(tensor)};
  return launch;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_mapping_is_looked_up_by_offset) {
  PageTable table(4096);
  table.map(0x10000, 0x500, 8192);
  BOOST_TEST(text(table.look_up(0x10010, 16)) == "1296+16");
  BOOST_TEST(text(table.look_up(0x10000, 8192)) ==
             "1280+8192");  // pages that continue each other are one range
}

BOOST_AUTO_TEST_CASE(several_shards_may_share_a_page) {
  PageTable table(4096);
  table.map(0, 1000, 128);
  table.map(128, 5000, 128);
  BOOST_TEST(text(table.look_up(0, 256)) == "1000+128 5000+128");
  BOOST_TEST(text(table.look_up(100, 56)) == "1100+28 5000+28");
}

BOOST_AUTO_TEST_CASE(the_last_map_wins) {
  PageTable table(4096);
  table.map(0, 1000, 300);
  table.map(100, 9000, 100);
  BOOST_TEST(text(table.look_up(0, 300)) == "1000+100 9000+100 1200+100");
  table.map(0, 2000, 300);
  BOOST_TEST(text(table.look_up(0, 300)) == "2000+300");
}

BOOST_AUTO_TEST_CASE(unmap_removes_only_regions_wholly_inside) {
  PageTable table(4096);
  table.map(0, 10000, 3 * 4096);
  table.unmap(100, 2 * 4096);  // the region of page 1 is inside, those of pages 0 and 2 are not
  BOOST_TEST(text(table.look_up(0, 4096)) == "10000+4096");
  BOOST_CHECK_THROW(table.look_up(4096, 1), AccessFault);
  BOOST_CHECK_THROW(table.look_up(8191, 1), AccessFault);
  BOOST_TEST(text(table.look_up(8192, 4096)) == "18192+4096");
  table.unmap(0, 3 * 4096);
  BOOST_TEST(table.extents() == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_mapped_before_shows_again) {
  PageTable table(4096);
  table.map(0, 1000, 300);
  table.map(100, 9000, 100);
  table.unmap(100, 100);
  BOOST_TEST(text(table.look_up(0, 300)) == "1000+300");
}

BOOST_AUTO_TEST_CASE(a_look_up_that_is_asked_again_sees_what_has_changed) {
  PageTable table(4096);
  table.map(0, 1 << 20, 65536);
  for (const bool again : {false, true}) {
    static_cast<void>(again);
    for (std::uint64_t va = 0; va < 65536; va += 4096)
      BOOST_TEST(text(table.look_up(va, 64)) == std::to_string((1 << 20) + va) + "+64");
  }
  table.map(4096, 1 << 21, 4096);
  BOOST_TEST(text(table.look_up(4096, 64)) == "2097152+64");
  BOOST_TEST(text(table.look_up(4096, 128)) == "2097152+128");
  table.unmap(4096, 4096);  // both regions of that page
  BOOST_CHECK_THROW(table.look_up(4096, 64), AccessFault);
  BOOST_TEST(text(table.look_up(8192, 64)) == std::to_string((1 << 20) + 8192) + "+64");
  table.unmap(0, 65536);
  BOOST_CHECK_THROW(table.look_up(8192, 64), AccessFault);
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_first_address_without_a_mapping) {
  PageTable table(4096);
  table.map(0x1000, 0, 256);
  BOOST_CHECK_EXCEPTION(table.look_up(0x1080, 256), AccessFault, [](const AccessFault& fault) {
    return std::string(fault.what()) ==
           "no mapping for virtual address 0x1100 (access of 256 bytes at 0x1080)";
  });
}

RC_BOOST_PROP(the_page_table_behaves_as_lists_of_sub_page_regions, ()) {
  constexpr std::uint64_t page = 16;
  constexpr std::uint64_t space = 100;
  PageTable table(page);
  NaivePageTable naive(page);
  const int steps = *rc::gen::inRange(1, 25);
  const int longest = *rc::gen::element(6, 60);  // short ranges seldom overlap
  for (int step = 0; step < steps; ++step) {
    const auto va = static_cast<std::uint64_t>(*rc::gen::inRange(0, 90));
    const auto bytes = static_cast<std::uint64_t>(*rc::gen::inRange(1, longest));
    if (*rc::gen::inRange(0, 3) == 0) {
      table.unmap(va, bytes);
      naive.unmap(va, bytes);
    } else {
      const std::uint64_t pa = 1000 * static_cast<std::uint64_t>(step + 1);
      table.map(va, pa, bytes);
      naive.map(va, pa, bytes);
    }
  }
  for (std::uint64_t va = 0; va < space + page * 4; ++va) {
    std::int64_t found = -1;
    try {
      found = static_cast<std::int64_t>(table.look_up(va, 1).at(0).pa);
    } catch (const AccessFault&) {
    }
    RC_ASSERT(found == naive.look_up(va));
  }
  // A range is the concatenation of its bytes.
  const auto begin = static_cast<std::uint64_t>(*rc::gen::inRange(0, 100));
  const auto bytes = static_cast<std::uint64_t>(*rc::gen::inRange(1, 50));
  try {
    std::uint64_t va = begin;
    for (const PhysRange& range : table.look_up(begin, bytes)) {
      for (std::uint64_t i = 0; i < range.nbytes; ++i, ++va)
        RC_ASSERT(naive.look_up(va) == static_cast<std::int64_t>(range.pa + i));
    }
    RC_ASSERT(va == begin + bytes);
  } catch (const AccessFault&) {
    bool hole = false;
    for (std::uint64_t va = begin; va < begin + bytes; ++va) hole = hole || naive.look_up(va) < 0;
    RC_ASSERT(hole);
  }
}

// The message takes one link, 4 ns overhead, and one link back; the mapping holds from the moment
// between.
KERNBENCH_SYSTEMC_TEST(a_map_message_takes_effect_after_its_overhead_and_is_answered_then) {
  PeTestbench pe({{"pe_mmu", {{"overhead_ns", "4"}}}});
  std::size_t request = 0;
  std::vector<std::string> seen;
  const auto signal = [&] {
    try {
      seen.push_back(text(pe.translate(va_base, 256).ranges));
    } catch (const AccessFault&) {
      seen.emplace_back("fault");
    }
  };
  pe.at(0, [&] {
    auto map = std::make_shared<MmuMap>();
    map->entries = {{va_base, 4096, 256}};
    request = pe.send_control("pe_mmu", map);
  });
  pe.at(4 * ns, signal);
  pe.at(4 * ns + 2, signal);
  pe.at(10 * ns, [&] {
    auto unmap = std::make_shared<MmuUnmap>();
    unmap->entries = {{va_base, 0, 256}};
    pe.send_control("pe_mmu", unmap);
  });
  pe.at(20 * ns, signal);
  pe.run();
  const std::vector<std::string> expected{"fault", "4096+256", "fault"};
  BOOST_TEST(seen == expected, boost::test_tools::per_element());
  BOOST_TEST(pe.answer(request).time == 4 * ns + 2);
  BOOST_TEST(pe.response(request).completion.ok);
}

KERNBENCH_SYSTEMC_TEST(shows_messages_and_look_ups) {
  PeTestbench pe({{"pe_mmu", {{"overhead_ns", "4"}}}});
  std::optional<SignalLog> log;
  pe.at(0, [&] {
    log.emplace(pe.engine("pe_mmu"));
    auto map = std::make_shared<MmuMap>();
    map->entries = {{va_base, 4096, 256}};
    pe.send_control("pe_mmu", map);  // comes at 1 fs
  });
  pe.at(2 * ns, [&] { BOOST_CHECK_THROW(pe.translate(va_base, 256), AccessFault); });
  pe.at(8 * ns, [&] { pe.translate(va_base + 128, 64); });
  pe.run();
  BOOST_TEST(log->of("serving") == "0 at 0, 1 at 1, 0 at 4000001");
  BOOST_TEST(log->of("kind") == "idle at 0, message at 1, idle at 4000001");
  BOOST_TEST(log->of("mappings") == "0 at 0, 1 at 4000001");
  BOOST_TEST(log->of("look_ups") == "0 at 0, 1 at 2000000, 2 at 8000000");
  BOOST_TEST(log->of("misses") == "0 at 0, 1 at 2000000");
  BOOST_TEST(log->of("look_up_address") ==
             fmt::format("x at 0, {} at 2000000, {} at 8000000", va_base, va_base + 128));
}

KERNBENCH_SYSTEMC_TEST(an_address_below_the_virtual_space_is_physical) {
  PeTestbench pe;
  pe.at(0, [&] {
    BOOST_TEST(text(pe.translate(va_base - 1, 1).ranges) == std::to_string(va_base - 1) + "+1");
  });
  pe.run();
}

// Spec 3.3, PA: through the launch's shard table, split at shard boundaries, the nearest copy; no
// time.
KERNBENCH_SYSTEMC_TEST(in_the_address_model_pa_addresses_resolve_through_the_shards_of_the_launch) {
  PeTestbench pe({{"pe_mmu", {{"tlb_overhead_ns", "3"}}}}, 0, AddressModel::pa);
  TensorArgument tensor;
  tensor.va_base = va_base;
  tensor.nbytes = 512;
  tensor.shards = {
      {{0, 1, 0}, 70000, 256, 0}, {{0, 0, 0}, 1000, 256, 0}, {{1, 0, 0}, 5000, 256, 256}};
  pe.at(0, [&] {
    const auto launch = launch_with(tensor);
    TranslationRequest tensors;
    tensors.launch = &launch->args;
    pe.user().to_mmu.transport_dbg(tensors);
    const auto found = pe.translate(va_base + 128, 256);
    BOOST_TEST(text(found.ranges) == "1128+128 5000+128");
    BOOST_TEST(found.cost == 0u);
    BOOST_CHECK_THROW(pe.translate(va_base + 400, 200), AccessFault);
    BOOST_CHECK_THROW(pe.translate(va_base + 4096, 1), AccessFault);
  });
  pe.run();
}

BOOST_AUTO_TEST_SUITE_END()
