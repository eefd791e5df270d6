// transport_dbg inside the fabric (spec 2.1): it runs along the routes, reaches every memory, and
// takes no time.
#include <boost/test/unit_test.hpp>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "tests/support/forked.h"
#include "tests/tlm/boundary_machine.h"

using namespace kernbench;
using namespace kernbench::test;
using plain_tlm::LtInitiator;

BOOST_AUTO_TEST_SUITE(debug_transport)

namespace {

constexpr std::uint64_t slice = std::uint64_t{6} << 30;

// Runs the program on a plain initiator 5 ns after the start.
void debug_session(BoundaryMachine& m, const std::function<void(LtInitiator&)>& program,
                   const BoundaryMachine::Setting& setting = {}) {
  m.play(setting, [program](LtInitiator& i) {
    sc_core::wait(fs(5 * ns));
    program(i);
    BOOST_TEST(sc_core::sc_time_stamp().value() == 5 * ns);
  });
}

unsigned write(LtInitiator& i, std::uint64_t address, std::vector<unsigned char> data) {
  return i.debug(tlm::TLM_WRITE_COMMAND, address, data);
}
std::vector<unsigned char> read(LtInitiator& i, std::uint64_t address, std::size_t nbytes) {
  std::vector<unsigned char> data(nbytes);
  data.resize(i.debug(tlm::TLM_READ_COMMAND, address, data));
  return data;
}

struct Place {
  MemoryArea area;
  unsigned pes;
};
constexpr std::array<Place, 5> places{{{MemoryArea::hbm, 8},
                                       {MemoryArea::pe_tcm, 8},
                                       {MemoryArea::cube_sram, 1},
                                       {MemoryArea::mcpu_sram, 1},
                                       {MemoryArea::io_sram, 1}}};

void reaches_every_memory(const std::string& attach) {
  BoundaryMachine m;
  BoundaryMachine::Setting setting;
  setting.attach = attach;
  debug_session(
      m,
      [&](LtInitiator& i) {
        unsigned char first = 1;
        for (const Place& place : places) {
          for (unsigned pe = 0; pe < place.pes; ++pe) {
            BOOST_TEST_CONTEXT(name_of(place.area) << " " << pe) {
              const std::uint64_t address = m.address(place.area, pe, 0x123);
              BOOST_TEST(write(i, address, pattern(1000, first)) == 1000U);
              BOOST_TEST((m.stored(address, 1000) == pattern(1000, first)));
              const std::vector<unsigned char> other = pattern(1000, ++first);
              m.data().memory().write_bytes(address, other.data(), other.size());
              BOOST_TEST((read(i, address, 1000) == other));
            }
          }
        }
      },
      setting);
  for (const LinkInstance& edge : m.platform().links())
    BOOST_REQUIRE(edge.link->statistics().control_messages == 0U);
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(reads_and_writes_every_memory_without_time) {
  reaches_every_memory("sip0.cube0.r0c0");
}
KERNBENCH_SYSTEMC_TEST(reads_and_writes_every_memory_from_the_io_chiplet) {
  reaches_every_memory("sip0.io0.io_noc");
}

KERNBENCH_SYSTEMC_TEST(goes_on_in_the_next_memory) {
  BoundaryMachine m;
  debug_session(m, [&](LtInitiator& i) {
    BOOST_TEST(write(i, m.hbm(2, slice - 10), pattern(40)) == 40U);
    BOOST_TEST((read(i, m.hbm(2, slice - 10), 40) == pattern(40)));
  });
}

KERNBENCH_SYSTEMC_TEST(ends_where_there_is_no_memory) {
  BoundaryMachine m;
  debug_session(m, [&](LtInitiator& i) {
    BOOST_TEST(write(i, ~std::uint64_t{0}, pattern(4)) == 0U);
    BOOST_TEST(write(i, PhysAddr::hbm_addr(9, 0, 0).encode(), pattern(4)) == 0U);
  });
}

KERNBENCH_SYSTEMC_TEST(a_read_ends_before_the_first_byte_that_only_phase_2_knows) {
  BoundaryMachine m;
  debug_session(m, [&](LtInitiator& i) {
    m.data().memory().write_value(m.hbm(0, 64), {1, 0, 32});
    BOOST_TEST(read(i, m.hbm(0), 200).size() == 64U);
    BOOST_TEST(read(i, m.hbm(0, 64), 4).empty());
    BOOST_TEST(write(i, m.hbm(0, 64), pattern(32)) == 32U);  // a write replaces it
    BOOST_TEST(read(i, m.hbm(0), 200).size() == 200U);
  });
}

KERNBENCH_SYSTEMC_TEST(with_data_off_there_are_no_bytes) {
  BoundaryMachine m;
  BoundaryMachine::Setting setting;
  setting.data = false;
  debug_session(
      m, [&](LtInitiator& i) { BOOST_TEST(write(i, m.hbm(0), pattern(4)) == 0U); }, setting);
}

KERNBENCH_SYSTEMC_TEST(reaches_a_plain_memory_by_its_own_transport_dbg) {
  BoundaryMachine m;
  m.add_lt_memory(4096);
  debug_session(m, [&](LtInitiator& i) {
    BOOST_TEST(write(i, m.sram(0x80), pattern(64)) == 64U);
    BOOST_TEST((m.stored(m.sram(0x80), 64) == pattern(64)));
    m.lt_memory->contents.bytes()[0x82] = 9;
    BOOST_TEST(read(i, m.sram(0x82), 1).at(0) == 9);
    BOOST_TEST(read(i, m.sram(4090), 100).size() == 6U);  // its own end
  });
  BOOST_TEST(m.lt_memory->contents.bytes()[0x80] == pattern(1)[0]);
  BOOST_TEST(m.lt_memory->requests.empty());
}

KERNBENCH_SYSTEMC_TEST(an_access_longer_than_max_length_bytes_moves_nothing) {
  BoundaryMachine m;
  BoundaryMachine::Setting setting;
  setting.bridge_attrs = "max_length_bytes: 16";
  debug_session(
      m,
      [&](LtInitiator& i) {
        const std::uint64_t address = m.address(MemoryArea::hbm, 0, 0);
        BOOST_TEST(write(i, address, pattern(17, 1)) == 0U);
        BOOST_TEST(write(i, address, pattern(16, 1)) == 16U);
        BOOST_TEST(read(i, address, 17).empty());
        BOOST_TEST(read(i, address, 16).size() == 16U);
      },
      setting);
}

BOOST_AUTO_TEST_SUITE_END()
