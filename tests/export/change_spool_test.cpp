// The spool of a waveform: what goes in comes out, in order, also beyond its memory.
#include "platform/export/change_spool.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::test;
using Tag = ChangeSpool::Tag;

BOOST_AUTO_TEST_SUITE(change_spool_test)

namespace {

void check_next(ChangeSpool& spool, Tag tag, std::uint32_t variable, std::uint64_t number,
                const std::string& text = "") {
  ChangeSpool::Record record;
  BOOST_TEST_REQUIRE(spool.next(record));
  BOOST_TEST((record.tag == tag));
  BOOST_TEST(record.variable == variable);
  if (tag == Tag::time || tag == Tag::bits) BOOST_TEST(record.number == number);
  BOOST_TEST(record.text == text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(records_come_back_as_they_went_in) {
  const TemporaryFolder folder;
  ChangeSpool spool(folder.file("w.vcd"));
  spool.time(0);
  spool.bits(0, 0);
  spool.bits(300, UINT64_MAX);
  spool.time(UINT64_MAX - 1);
  spool.unknown(1'000'000);
  spool.text(7, "DMA READ");
  spool.text(8, "");
  spool.comment("said");
  check_next(spool, Tag::time, 0, 0);
  check_next(spool, Tag::bits, 0, 0);
  check_next(spool, Tag::bits, 300, UINT64_MAX);
  check_next(spool, Tag::time, 0, UINT64_MAX - 1);
  check_next(spool, Tag::unknown, 1'000'000, 0);
  check_next(spool, Tag::text, 7, 0, "DMA READ");
  check_next(spool, Tag::text, 8, 0, "");
  check_next(spool, Tag::comment, 0, 0, "said");
  ChangeSpool::Record record;
  BOOST_TEST(!spool.next(record));
  BOOST_TEST(spool.error() == 0);
}

// Two million changes are 12 MB; the folder shows no file meanwhile.
BOOST_AUTO_TEST_CASE(many_records_go_through_a_file_without_a_name) {
  const TemporaryFolder folder;
  ChangeSpool spool(folder.file("w.vcd"));
  constexpr std::uint32_t instants = 1'000'000;
  for (std::uint32_t i = 0; i < instants; ++i) {
    spool.time(std::uint64_t{i} * 1000);
    spool.bits(i % 5000, std::uint64_t{i} << (i % 32));
  }
  BOOST_TEST(std::filesystem::is_empty(folder.root));
  ChangeSpool::Record record;
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < instants; ++i) {
    if (!spool.next(record) || record.number != std::uint64_t{i} * 1000) ++wrong;
    if (!spool.next(record) || record.variable != i % 5000 ||
        record.number != std::uint64_t{i} << (i % 32))
      ++wrong;
  }
  BOOST_TEST(wrong == 0U);
  BOOST_TEST(!spool.next(record));
  BOOST_TEST(spool.error() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
