// Address mappings, presets and checks of HBM with banks (spec 2.5).
#include "models/timing/hbm_bank_timing.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <tuple>

#include "tests/timing/hbm_channel.h"
#include "tests/timing/hbm_command_checker.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_bank_timing)

namespace {

constexpr HbmFieldBits few_bits{3, 1, 2, 2, 1};  // row, bank, group, column, channel

HbmBankedParameters parameters(const std::map<std::string, std::string>& given = {}) {
  const ParameterSchema schema = schema_of<HbmBankedParameters>();
  Attributes attributes = defaults_of(schema);
  for (const Parameter& parameter : schema) {
    const auto found = given.find(parameter.name());
    if (found != given.end()) attributes.set(parameter.name(), parameter.parse(found->second));
  }
  return HbmBankedParameters(attributes);
}

HbmBankTiming times(const std::map<std::string, std::string>& given) {
  return bank_timing(parameters(given));
}

std::string fault(const std::map<std::string, std::string>& given) {
  const auto found = check_banked(parameters(given));
  return found ? found->parameter + ": " + found->message : "";
}

Fs ns(const char* decimal) { return ns_to_fs(Rational::parse(decimal)); }

}  // namespace

// --- Mapping

// Burst 0b110101101: row 110, bank 1, column 01, group 10, channel 1; bank number is group, bank.
BOOST_AUTO_TEST_CASE(fields_are_taken_from_the_most_significant_bit) {
  for (const char* mapping : {"RBCGP", "R3 B1 C2 G2 P1", "RRRBCCGGP"}) {
    const HbmPlace place = HbmAddressMap(mapping, few_bits).decode(0b110101101);
    BOOST_TEST(place.row == 0b110U);
    BOOST_TEST(place.bank == 0b101U);
    BOOST_TEST(place.column == 0b01U);
    BOOST_TEST(place.channel == 1U);
  }
}

BOOST_AUTO_TEST_CASE(a_field_may_be_split) {
  // R2 C1 P1 B1 C1 G2 R1: 11 0 1 1 1 10 0
  const HbmPlace place = HbmAddressMap("R2 C P B C G2 R", few_bits).decode(0b110111100);
  BOOST_TEST(place.row == 0b110U);
  BOOST_TEST(place.column == 0b01U);
  BOOST_TEST(place.channel == 1U);
  BOOST_TEST(place.bank == 0b101U);
}

BOOST_AUTO_TEST_CASE(every_burst_has_a_place_of_its_own) {
  for (const char* mapping : {"RBCGP", "P R C1 B G C1", "G1 P C R2 B G1 R1"}) {
    const HbmAddressMap map(mapping, few_bits);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> places;
    for (std::uint64_t burst = 0; burst < 512; ++burst) {
      const HbmPlace at = map.decode(burst);
      BOOST_TEST((at.row < 8 && at.bank < 8 && at.column < 4 && at.channel < 2));
      places.insert({at.row, at.bank, at.column, at.channel});
    }
    BOOST_TEST(places.size() == 512U);
  }
}

BOOST_AUTO_TEST_CASE(a_request_for_one_channel_counts_its_own_bursts) {
  const HbmAddressMap map("RBCGP", few_bits);
  BOOST_TEST(map.interleaves_channels());
  for (std::uint64_t burst = 0; burst < 512; ++burst) {
    const HbmPlace whole = map.decode(burst);
    const HbmPlace single = map.decode(burst >> 1, static_cast<std::uint16_t>(burst & 1));
    BOOST_TEST((whole.channel == single.channel && whole.bank == single.bank &&
                whole.row == single.row && whole.column == single.column));
  }
  BOOST_TEST(!HbmAddressMap("RBPCG", few_bits).interleaves_channels());
}

BOOST_AUTO_TEST_CASE(a_mapping_with_a_missing_or_repeated_bit_is_refused_with_the_bit) {
  const auto fault_of = [](const char* mapping) {
    return HbmAddressMap::fault(mapping, few_bits).value_or("");
  };
  BOOST_TEST(fault_of("RBCGP") == "");
  BOOST_TEST(fault_of("RBCG") == "bit P0 is missing: 0 bits of the pseudo-channel, needed are 1");
  BOOST_TEST(fault_of("RBC1GP") == "bit C1 is missing: 1 bits of the column, needed are 2");
  BOOST_TEST(fault_of("RB2CGP") == "bit B1 is repeated: 2 bits of the bank, needed are 1");
  BOOST_TEST(fault_of("R2BCGP") == "bit R2 is missing: 2 bits of the row, needed are 3");
  BOOST_TEST(
      fault_of("RBCGXP") ==
      "'X' is no field; allowed are R, B, G, C and P, each with or without a number of bits");
}

// --- Presets

BOOST_AUTO_TEST_CASE(a_parameter_overrides_its_preset) {
  BOOST_TEST(times({}).rp == ns("14"));
  BOOST_TEST(times({{"preset", "HBM3"}}).rp == ns("16.25"));
  BOOST_TEST(times({{"preset", "HBM3"}, {"t_rp_ns", "12"}}).rp == ns("12"));
  BOOST_TEST(times({{"preset", "HBM3"}, {"t_rp_ns", "12"}}).cl == ns("12.5"));
}

// HBM2: nRTW is 14 + 2 + 2 - 5 = 13 clocks of 1 ns. HBM3: nRTW 20, nRRDS 4, nRRDL 5, nRCDRD 31 and
// nRCDWR 15 clocks of 0.625 ns.
BOOST_AUTO_TEST_CASE(times_are_those_of_the_published_tables) {
  BOOST_TEST(times({}).rtw == ns("13"));
  const HbmBankTiming hbm3 = times({{"preset", "HBM3"}});
  BOOST_TEST(hbm3.rtw == ns("12.5"));
  BOOST_TEST(hbm3.rrd_s == ns("2.5"));
  BOOST_TEST(hbm3.rrd_l == ns("3.125"));
  BOOST_TEST(hbm3.rcd_rd == ns("19.375"));
  BOOST_TEST(hbm3.rcd_wr == ns("9.375"));
}

// Clocks of two transfers (HBM2) or four (HBM3): an activate takes 2 or 1.5, a precharge 1 or 0.5,
// a read or write 1.
BOOST_AUTO_TEST_CASE(commands_take_clocks_of_the_data_rate_on_their_buses) {
  const auto check = [](const std::map<std::string, std::string>& given, const char* activate,
                        const char* precharge, const char* column) {
    const HbmBankTiming t = times(given);
    BOOST_TEST(t.activate_bus == ns(activate));
    BOOST_TEST(t.precharge_bus == ns(precharge));
    BOOST_TEST(t.column_bus == ns(column));
  };
  check({}, "2", "1", "1");
  check({{"data_rate_gbps", "4"}}, "1", "0.5", "0.5");
  check({{"preset", "HBM3"}}, "0.9375", "0.3125", "0.625");
  check({{"pcs_per_bus", "0"}}, "0", "0", "0");
}

// burst_length / data rate; 32 B in it are 16, 25.6 and 25.6 GB/s of a pseudo-channel.
BOOST_AUTO_TEST_CASE(the_time_of_a_burst_is_its_length_over_the_data_rate) {
  BOOST_TEST(times({{"preset", "HBM2"}}).burst == ns("2"));
  BOOST_TEST(times({{"preset", "HBM2E"}}).burst == ns("1.25"));
  BOOST_TEST(times({{"preset", "HBM3"}}).burst == ns("1.25"));
  BOOST_TEST(times({{"data_rate_gbps", "4"}}).burst == ns("1"));
  BOOST_TEST(times({{"data_rate_gbps", "4"}}).ccd_l == ns("2"));
  BOOST_TEST(times({{"burst_length", "8"}}).burst == ns("4"));
}

BOOST_AUTO_TEST_CASE(each_bank_is_refreshed_once_in_tREFI) {
  BOOST_TEST(times({{"refresh", "per_bank"}}).refi == ns("243.75"));  // 3900 / 16
  BOOST_TEST(times({{"refresh", "per_bank"}}).rfc == ns("160"));
  BOOST_TEST(times({{"refresh", "all_bank"}}).refi == ns("3900"));
}

// --- Checks

BOOST_AUTO_TEST_CASE(every_preset_is_consistent) {
  for (const char* preset : {"HBM2", "HBM2E", "HBM3"}) {
    for (const char* refresh : {"none", "all_bank", "per_bank"})
      BOOST_TEST(fault({{"preset", preset}, {"refresh", refresh}}) == "");
  }
}

BOOST_AUTO_TEST_CASE(times_that_contradict_each_other_are_refused) {
  const std::string preset = "; times that are not given are those of preset HBM2";
  const std::string write =
      ", and a write between two refreshes of a bank: t_rc_ns, the larger of t_rcd_rd_ns and "
      "t_rcd_wr_ns, t_cwl_ns, a burst, t_wr_ns)";
  BOOST_TEST(fault({{"t_ras_ns", "15"}}) ==
             "t_ras_ns: found 15 ns, allowed is at least 16 ns (t_rcd_rd_ns and a burst)" + preset);
  BOOST_TEST(fault({{"t_rc_ns", "40"}}) ==
             "t_rc_ns: found 40 ns, allowed is at least 48 ns (t_ras_ns + t_rp_ns)" + preset);
  BOOST_TEST(fault({{"t_faw_ns", "11"}}) ==
             "t_faw_ns: found 11 ns, allowed is at least 12 ns (3 t_rrd_s_ns: four activates are "
             "no closer than that)" +
                 preset);
  BOOST_TEST(fault({{"t_ccd_s_ns", "1"}}) ==
             "t_ccd_s_ns: found 1 ns, allowed is at least 2 ns (the time of a burst)" + preset);
  BOOST_TEST(fault({{"t_rtw_ns", "10"}}) ==
             "t_rtw_ns: found 10 ns, allowed is at least 11 ns (t_cl_ns and a burst less t_cwl_ns: "
             "the data of the write follow those of the read)" +
                 preset);
  BOOST_TEST(fault({{"t_refi_ns", "150"}}) ==
             "t_refi_ns: found 150 ns, allowed is at least 245 ns (t_rfc_ns" + write +
                 preset);  // 160 + tRC 48 + tRCD 14 + tCWL 5 + 2 + tWR 16
  BOOST_TEST(fault({{"refresh", "per_bank"}, {"t_rfc_pb_ns", "300"}}) ==
             "t_refi_pb_ns: found 243.75 ns, allowed is at least 300 ns (t_rfc_pb_ns" + write +
                 preset);
}

BOOST_AUTO_TEST_CASE(watermarks_are_ordered_and_within_the_queue) {
  BOOST_TEST(fault({{"write_high", "33"}}) ==
             "write_high: found 33, allowed is at most write_queue = 32");
  BOOST_TEST(fault({{"write_low", "26"}}) ==
             "write_low: found 26, allowed is below write_high = 26");
}

// 48 GiB / 8 partitions of 32 B bursts need 28 bits: 16 of the row.
BOOST_AUTO_TEST_CASE(a_mapping_fits_the_partition) {
  BOOST_TEST(fault({{"mapping", "R16 B2 C5 G2 P3"}}) == "");
  BOOST_TEST(fault({{"mapping", "R15 B2 C5 G2 P3"}}) ==
             "mapping: found 'R15 B2 C5 G2 P3' for a partition of 48 GiB / 8: bit R15 is missing: "
             "15 bits of the row, needed are 16");
  BOOST_TEST(fault({{"banks_per_group", "16"}, {"bank_groups", "8"}}) ==
             "banks_per_group: found 16, allowed are at most 64 banks in 8 bank groups");
  BOOST_TEST(fault({{"row_bytes", "16"}}) ==
             "row_bytes: found 16, allowed is at least burst_bytes = 32");
}

BOOST_AUTO_TEST_CASE(rates_and_presets_are_those_that_exist) {
  const auto refusal = [](const char* name, const char* text) -> std::string {
    try {
      parameters({{name, text}});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  BOOST_TEST(refusal("preset", "HBM9") == "found 'HBM9', allowed is one of HBM2, HBM2E, HBM3");
  BOOST_TEST(refusal("data_rate_gbps", "-1") == "found -1, allowed is a number, 0 to 1000");
  BOOST_TEST(fault({{"data_rate_gbps", "0.0001"}}) ==
             "data_rate_gbps: found 0.0001, allowed is 0 (that of the preset) or 0.001 to 1000");
}

// --- The checker of the properties

BOOST_AUTO_TEST_CASE(the_checker_finds_what_it_looks_for) {
  using Commands = std::vector<HbmCommandRecord>;
  const auto violation = [](const Commands& commands) {
    return HbmCommandChecker(round_times(), commands).violation();
  };
  const HbmCommandRecord activate{0, HbmCommand::activate, 0, 5};
  BOOST_TEST(violation({activate, {14, HbmCommand::read, 0, 5}}) == "");
  BOOST_TEST(violation({activate, {13, HbmCommand::read, 0, 5}}) ==
             "command 2 of bank 0 at 13 is less than 14 after 0 of bank 0 at 0");
  BOOST_TEST(violation({activate, {14, HbmCommand::read, 0, 6}}) == "access to a closed row at 14");
  BOOST_TEST(violation({activate, {6, HbmCommand::activate, 4, 5}}) != "");
  BOOST_TEST(violation({activate,
                        {9, HbmCommand::activate, 4, 5},
                        {18, HbmCommand::activate, 8, 5},
                        {27, HbmCommand::activate, 12, 5},
                        {39, HbmCommand::activate, 1, 5}}) == "tFAW at 39");
  BOOST_TEST(violation({activate, {60, HbmCommand::refresh, 0, 0}}) != "");
}

BOOST_AUTO_TEST_SUITE_END()
