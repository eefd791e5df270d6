// Which accesses count as data races (spec 9).
#include "models/data/race_counter.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_CASE(a_write_and_a_read_of_one_instant_by_two_pes_is_a_race) {
  RaceCounter races;
  races.note_access(0, 16, true, 0, 5);
  races.note_access(15, 1, false, 1, 5);
  BOOST_TEST(races.data_races() == 1u);
  races.note_access(0, 16, true, 0, 6);
  BOOST_TEST(races.data_races() == 1u);
}

BOOST_AUTO_TEST_CASE(reads_disjoint_bytes_and_one_pe_alone_are_none) {
  RaceCounter races;
  races.note_access(0, 16, false, 0, 5);
  races.note_access(0, 16, false, 1, 5);
  races.note_access(16, 16, true, 2, 5);
  races.note_access(16, 16, true, 2, 5);
  races.note_access(20, 0, true, 3, 5);
  races.note_access(0, 16, true, 3, 6);
  BOOST_TEST(races.data_races() == 0u);
}

BOOST_AUTO_TEST_CASE(every_conflicting_pair_counts) {
  RaceCounter races;
  races.note_access(0, 100, true, 0, 1);
  races.note_access(10, 10, true, 1, 1);
  races.note_access(15, 10, false, 2, 1);
  races.note_access(0, 1, false, 2, 2);
  BOOST_TEST(races.data_races() == 3u);
}
