// Statistics: key names carry units, sums are by kind, the text is the same for the same counts
// (spec 11.3).
#include "platform/observe/component_statistics.h"

#include "models/base/errors.h"
#include "platform/observe/object_tree.h"
#include "tests/observe/fake_machine.h"
#include "tests/support/forked.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(component_statistics_test)

namespace {

std::string kind_by_node(const Component& component) {
  return component.node() == 2 ? "ucie_port" : "pe_engine";
}

// A component that declares a share of its accesses.
class Buffer final : public Component {
 public:
  explicit Buffer(const ComponentInit& init) : Component(init) {
    add_statistic("accesses", "served", Quantity::count, accesses);
    add_ratio("hit_rate", "hits / accesses", [this](Fs) {
      return Ratio::Parts{static_cast<double>(hits), static_cast<double>(accesses)};
    });
  }
  using Component::add_ratio;
  std::uint64_t accesses = 0, hits = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(keys_name_their_unit_once) {
  const auto key = [](const char* name, Quantity quantity) {
    return key_of({name, "", quantity, nullptr, Merge::sum, {}, {}});
  };
  BOOST_TEST(key("busy", Quantity::time_fs) == "busy_ns");
  BOOST_TEST(key("busy_fs", Quantity::time_fs) == "busy_ns");
  BOOST_TEST(key("wait_ns", Quantity::time_fs) == "wait_ns");
  BOOST_TEST(key("read", Quantity::bytes) == "read_bytes");
  BOOST_TEST(key("bytes", Quantity::bytes) == "bytes");
  BOOST_TEST(key("bytes_read", Quantity::bytes) == "bytes_read");
  BOOST_TEST(key("commands", Quantity::count) == "commands");
}

KERNBENCH_SYSTEMC_TEST(statistics_of_components_are_listed_by_name) {
  FakeMachine machine;
  machine.gemm->busy_time = 12'345'678;  // 12.345678 ns
  machine.dma->bytes = 4096;
  machine.port->commands = 7;
  BOOST_TEST(
      statistics_json(objects_of<Component>(), kind_by_node).dump() ==
      R"([{"name":"sip0.pe0.pe_dma","kind":"pe_engine","stats":{"busy_ns":0.0,"transferred_bytes":4096,"commands":0,"longest_wait_ns":0.0}},)"
      R"({"name":"sip0.pe0.pe_gemm","kind":"pe_engine","stats":{"busy_ns":12.345678,"transferred_bytes":0,"commands":0,"longest_wait_ns":0.0}},)"
      R"({"name":"sip0.ucie-N","kind":"ucie_port","stats":{"busy_ns":0.0,"transferred_bytes":0,"commands":7,"longest_wait_ns":0.0}}])");
}

KERNBENCH_SYSTEMC_TEST(totals_add_up_the_components_of_a_kind) {
  FakeMachine machine;
  machine.gemm->busy_time = 1'500'000;
  machine.dma->busy_time = 2'000'000;
  machine.dma->bytes = 10;
  machine.dma->longest_wait = 4'000'000;
  machine.gemm->longest_wait = 3'000'000;  // the longest of all is no sum
  const auto totals = totals_by_kind(objects_of<Component>(), kind_by_node);
  BOOST_TEST(
      totals_json(totals).dump() ==
      R"({"pe_engine":{"components":2,"active":2,"busy_ns":3.5,"transferred_bytes":10,"commands":0,"longest_wait_ns":4.0},)"
      R"("ucie_port":{"components":1,"active":0,"busy_ns":0.0,"transferred_bytes":0,"commands":0,"longest_wait_ns":0.0}})");
  BOOST_REQUIRE(totals[0].find("busy") != nullptr);
  BOOST_TEST(totals[0].find("busy")->value == 3'500'000U);
}

// A share of several components is that of their sums: (3 + 1) / (4 + 4), not the mean of shares.
KERNBENCH_SYSTEMC_TEST(a_ratio_is_a_share_and_null_before_anything_is_counted) {
  Attributes attributes;
  FakeServices services;
  const auto a = make_component<Buffer>(ComponentInit{"a", 0, attributes, services});
  const auto b = make_component<Buffer>(ComponentInit{"b", 1, attributes, services});
  const std::vector<Component*> both{a.get(), b.get()};
  a->accesses = 4;
  a->hits = 3;
  BOOST_TEST(statistics_json(both, kind_by_node).dump() ==
             R"([{"name":"a","kind":"pe_engine","stats":{"accesses":4,"hit_rate":0.75}},)"
             R"({"name":"b","kind":"pe_engine","stats":{"accesses":0,"hit_rate":null}}])");
  b->accesses = 4;
  b->hits = 1;
  BOOST_TEST(totals_json(totals_by_kind(both, kind_by_node)).dump() ==
             R"({"pe_engine":{"components":2,"active":2,"accesses":8,"hit_rate":0.5}})");
  const auto catalogue = statistics_catalogue(both, kind_by_node);
  BOOST_TEST(catalogue[0].statistics.back().key == "hit_rate");
  BOOST_TEST(catalogue[0].statistics.back().unit == "share");
  BOOST_CHECK_THROW(a->add_ratio("accesses", "again", nullptr), ModelError);
}

BOOST_AUTO_TEST_SUITE_END()
