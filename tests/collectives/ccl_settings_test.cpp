// What holds of ccl.yaml (spec 8.2): changes of the program before the algorithm's own entry, this
// before the defaults of the file, these before the defaults of the keys.
#include "sw/collectives/ccl_settings.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "sw/collectives/algorithm_registry.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(ccl_settings)

namespace {

CclSettings resolved(const CclFile& file, const CclChanges& changes = {}) {
  return resolve(file, shipped_algorithms(), changes);
}

}  // namespace

// The values of spec 8.1 and 8.2.
BOOST_AUTO_TEST_CASE(without_a_file_every_key_has_its_default) {
  BOOST_TEST(
      resolved({}).str() ==
      "algorithm=lrab_hierarchical_allreduce buffer_kind=tcm backpressure=sleep poll_ns=10 "
      "n_slots=4 slot_size=4096 "
      "ipcq_credit_size_bytes=16 chunking=true ring_capacity_check=true n_elem=8 rank_unit=sip");
  BOOST_TEST(!resolved({}).world_size.has_value());
  BOOST_TEST(!resolved({}).rings.vc_chunk_size.has_value());
  BOOST_TEST(!resolved({}).own.has("root_cube"));
}

BOOST_AUTO_TEST_CASE(what_is_nearer_to_the_call_goes_before) {
  CclFile file;
  file.defaults.set("n_slots", std::int64_t{8});
  file.defaults.set("slot_size", std::int64_t{1024});
  file.defaults.set("n_elem", std::int64_t{64});
  file.algorithms["ring_allreduce"].set("slot_size", std::int64_t{2048});
  file.algorithms["ring_allreduce"].set("n_elem", std::int64_t{65});
  file.algorithms["tree_allreduce"].set("n_slots", std::int64_t{2});
  const CclSettings settings = resolved(file, {{"algorithm", "ring_allreduce"}, {"n_elem", "66"}});
  BOOST_TEST(settings.rings.n_slots == 8U);
  BOOST_TEST(settings.rings.slot_size == 2048U);
  BOOST_TEST(settings.n_elem == 66);
  BOOST_TEST(settings.rings.ipcq_credit_size_bytes == 16U);
}

BOOST_AUTO_TEST_CASE(every_key_can_be_changed) {
  const CclSettings settings = resolved({}, {{"buffer_kind", "hbm"},
                                             {"backpressure", "poll"},
                                             {"poll_ns", "2.5"},
                                             {"n_slots", "3"},
                                             {"slot_size", "64"},
                                             {"vc_chunk_size", "512"},
                                             {"ipcq_credit_size_bytes", "32"},
                                             {"chunking", "off"},
                                             {"ring_capacity_check", "off"},
                                             {"n_elem", "9"},
                                             {"world_size", "6"},
                                             {"rank_unit", "pe"},
                                             {"root_cube", "5"}});
  BOOST_TEST(settings.str() ==
             "algorithm=lrab_hierarchical_allreduce buffer_kind=hbm backpressure=poll poll_ns=2.5 "
             "n_slots=3 slot_size=64 "
             "vc_chunk_size=512 ipcq_credit_size_bytes=32 chunking=false ring_capacity_check=false "
             "n_elem=9 world_size=6 rank_unit=pe "
             "root_cube=5");
}

// root_cube is lrab's: another algorithm does not know it.
BOOST_AUTO_TEST_CASE(
    a_key_that_the_algorithm_does_not_know_is_an_error_that_lists_those_that_it_knows) {
  BOOST_CHECK_EXCEPTION(
      resolved({}, {{"algorithm", "ring_allreduce"}, {"root_cube", "1"}}), UsageError,
      with_text("algorithm 'ring_allreduce' knows no key 'root_cube'; it knows algorithm, "
                "buffer_kind, backpressure, "
                "poll_ns, n_slots, pipelined_n_slots, slot_size, vc_chunk_size, "
                "ipcq_credit_size_bytes, chunking, "
                "ring_capacity_check, n_elem, world_size, rank_unit"));
}

BOOST_AUTO_TEST_CASE(values_that_are_not_allowed_name_the_key_and_what_is) {
  for (const auto& [key, value, part] :
       {std::tuple("buffer_kind", "dram", "tcm"), std::tuple("slot_size", "8", "16"),
        std::tuple("n_slots", "0", "1"), std::tuple("poll_ns", "0", "poll_ns"),
        std::tuple("chunking", "maybe", "true"), std::tuple("n_elem", "many", "n_elem"),
        std::tuple("rank_unit", "cube", "sip"), std::tuple("root_cube", "-1", "0")}) {
    try {
      resolved({}, {{key, value}});
      BOOST_TEST(false, key << "=" << value << " was accepted");
    } catch (const UsageError& error) {
      check_contains(
          error.what(),
          {std::string("algorithm 'lrab_hierarchical_allreduce': ") + key + ": ", part, value});
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_chosen_reduces_everywhere) {
  BOOST_CHECK_EXCEPTION(
      resolved({}, {{"algorithm", "ring_reduce"}}), UsageError,
      with_text(
          "algorithm 'ring_reduce' carries out reduce; the choice is that of all_reduce: auto, "
          "hierarchical_allreduce, lrab_hierarchical_allreduce, ring_allreduce, tree_allreduce"));
  CclFile file;
  file.algorithm = "rings";
  BOOST_CHECK_EXCEPTION(resolved(file), UsageError,
                        with_text("unknown algorithm 'rings'; there are "));
}

BOOST_AUTO_TEST_CASE(settings_that_differ_are_reported_by_key) {
  const AlgorithmRegistry algorithms = shipped_algorithms();
  const auto with = [&](const CclChanges& changes) { return resolve({}, algorithms, changes); };
  const CclSettings plain = with({}), changed = with({{"buffer_kind", "hbm"}, {"root_cube", "3"}});
  BOOST_TEST(differing_values(plain, with({{"buffer_kind", "tcm"}})) == "");
  BOOST_TEST(differing_values(changed, plain) == "buffer_kind=hbm, root_cube=3");
  BOOST_TEST(differing_values(plain, changed) == "buffer_kind=tcm, no root_cube");
}

BOOST_AUTO_TEST_SUITE_END()
