// Texts of faults of addresses: which tensor, whose mappings, what would give one.
#include "sw/runtime/tensor_addresses.h"

#include <boost/test/unit_test.hpp>

#include "models/address/virtual_space.h"
#include "sw/tl/dtypes.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using kernbench::test::contains;

BOOST_AUTO_TEST_SUITE(tensor_addresses_test)

namespace {

constexpr auto replicate = Placement::replicate, row_wise = Placement::row_wise;
constexpr std::uint64_t page = 4096;

struct Fixture {
  MachineDescription machine;
  TensorAddresses addresses{machine};

  tl::TensorInfo add(const std::string& name, std::uint64_t pages, const Shape& shape,
                     const DPPolicy& policy, int sip = 0) {
    tl::TensorInfo info;
    info.name = name;
    info.va_base = va_base + pages * page;
    info.shape = shape;
    info.dtype = f16;
    info.nbytes = bytes_of(shape, f16);
    info.blocks = place(name, shape, f16, policy, sip, 4, 8);
    addresses.add(info, policy, sip);
    return info;
  }
  std::string at(std::uint64_t offset, PeId where) const {
    return addresses.explain(va_base + offset, where);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(an_address_is_an_element_of_a_shard_of_a_tensor, Fixture) {
  add("x", 0, {2, 9, 4}, {replicate, Placement::cut(1), 1, 4});
  // Blocks of 3, 2, 2 and 2 times 8 elements along axis 1: {2, 3, 4}, then {2, 2, 4} at {0, 3, 0}.
  // Byte 48 + 2 * 13 is element 13 of the second: {1, 1, 1} in it.
  BOOST_TEST(contains(at(48 + 26, {0, 1, 0}),
                      "it is byte 74 of tensor 'x' f16{2, 9, 4}, element {1, 4, 1}; its shards by "
                      "DPPolicy{replicate, cut(1), 1, 4} are on sip0.cube0.pe0 [0:2, 0:3, 0:4], "
                      "sip0.cube0.pe1 [0:2, 3:5, 0:4], 1 more, sip0.cube0.pe3 [0:2, 7:9, 0:4]; "),
             at(48 + 26, {0, 1, 0}));
}

BOOST_FIXTURE_TEST_CASE(each_kind_of_policy_says_who_has_its_mappings, Fixture) {
  add("one", 0, {8}, DPPolicy::on_one_pe());
  add("cube", 1, {8}, {replicate, row_wise, 2, 8});
  add("sip", 2, {32}, {row_wise, row_wise, 4, 8});
  BOOST_TEST(
      contains(at(0, {0, 0, 5}),
               "a PE's copy is mapped on that PE alone; num_cubes of at least 1 with num_pes "
               "of at least 6 gives sip0.cube0.pe5 a copy"));
  BOOST_TEST(contains(at(page, {0, 3, 1}),
                      "mapped on the PEs of sip0.cube0 to cube1 alone, each cube its own copy; "
                      "num_cubes of at least 4 gives sip0.cube3 a copy"));
  BOOST_TEST(contains(at(2 * page, {0, 3, 1}), "they are mapped on every PE of sip0"));
  machine.address_model = AddressModel::pa;
  BOOST_TEST(contains(at(page, {0, 3, 1}), "among the arguments of its launch alone"));
}

BOOST_FIXTURE_TEST_CASE(a_freed_tensor_keeps_its_name_until_a_new_one_replaces_it, Fixture) {
  const tl::TensorInfo old = add("old", 0, {8192}, DPPolicy::on_one_pe());  // four pages
  addresses.freed(old, 0);
  BOOST_TEST(contains(at(2, {0, 0, 0}),
                      "it is byte 2 of tensor 'old' f16{8192}, which has been "
                      "freed"));
  add("new", 1, {8}, DPPolicy::on_one_pe());
  BOOST_TEST(!contains(at(2, {0, 0, 0}), "old"));
  BOOST_TEST(contains(at(page, {0, 0, 1}), "tensor 'new'"));
}

BOOST_FIXTURE_TEST_CASE(an_address_of_no_tensor_has_neighbours_or_another_sip, Fixture) {
  BOOST_TEST(at(0, {0, 0, 0}) == "sip0 has no tensor");
  add("a", 0, {8}, DPPolicy::on_one_pe());
  const tl::TensorInfo b = add("b", 4, {8}, DPPolicy::on_one_pe());
  BOOST_TEST(
      at(20, {0, 0, 0}) ==
      "no tensor of sip0 is there; tensor 'a' f16{8} of 16 bytes ends 4 bytes before; tensor "
      "'b' f16{8} begins 16364 bytes behind");
  addresses.freed(b, 0);
  BOOST_TEST(at(5 * page, {0, 0, 0}) ==
             "no tensor of sip0 is there; tensor 'b' f16{8} (freed) of 16 bytes ends 4080 "
             "bytes before");
  BOOST_TEST(contains(at(6, {1, 2, 3}),
                      "sip1 has no tensor there; on sip0 it is byte 6 of tensor 'a' f16{8}"));
}

BOOST_AUTO_TEST_CASE(faults_are_explained_while_there_is_a_host_program) {
  MachineDescription machine;
  const MappingFault fault(va_base, "no mapping");
  BOOST_TEST(machine.address_book->text_of(fault, {0, 0, 0}) == "no mapping");
  {
    const TensorAddresses addresses(machine);
    BOOST_TEST(machine.address_book->text_of(fault, {0, 0, 0}) == "no mapping: sip0 has no tensor");
  }
  BOOST_TEST(machine.address_book->text_of(fault, {0, 0, 0}) == "no mapping");
}

BOOST_AUTO_TEST_SUITE_END()
