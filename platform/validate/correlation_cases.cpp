// The controller of HBM with banks (spec 2.5) against Ramulator 2.1 and DRAMSys 5.1: bandwidth and
// mean latency of reads of one channel of two pseudo-channels (docs/correlation.md).
#include <fmt/format.h>

#include <random>

#include "models/timing/hbm_bank_timing.h"
#include "platform/validate/case_machines.h"
#include "platform/validate/hbm_pattern.h"
#include "platform/validate/validation_case.h"

namespace kernbench {
namespace {

enum class Pattern : std::uint8_t { stream, random, conflict };

constexpr double goal = 5;  // percent

// A run of the other simulator. Rates in GB/s, times in ns.
struct Figure {
  Pattern pattern;
  bool third_writes;
  double interval_ns;  // between accesses; 0: saturation
  double gbs, read_ns;
  double gbs_percent = goal, read_percent = goal;  // tolerances; 0: not compared
  const char* reason = "";                         // reason of a tolerance above the goal
};

struct Simulator {
  const char* name;
  HbmPlaces places;
  double cycle_ns = 0;  // from the arrival of a request to the first command for it
  const char* cycle = "";
  unsigned banks = 32, rows = 16384;  // banks of the channel, rows of a bank
  bool by_address = false;            // stream by address: rows of all banks change together
  std::vector<Figure> figures;
};

// Pseudo-channel, bank group and bank of a number in ascending order of its bits.
HbmPlace place_in(std::uint64_t bank, std::uint64_t row, std::uint64_t column) {
  const std::uint64_t group = (bank >> 5) * 4 + (bank >> 1) % 4;
  HbmPlace place;
  place.channel = static_cast<std::uint32_t>(bank % 2);
  place.bank = static_cast<std::uint32_t>(group * 4 + (bank >> 3) % 4);
  place.row = static_cast<std::uint32_t>(row);
  place.column = static_cast<std::uint32_t>(column);
  return place;
}

constexpr std::uint64_t columns = 32;  // bursts of a row

std::function<HbmPlace(std::uint64_t)> places_of(Pattern pattern, const Simulator& simulator) {
  const std::uint64_t banks = simulator.banks, rows = simulator.rows;
  // The draws of the driver that has produced the figures.
  const auto draw = std::make_shared<std::mt19937_64>(12345);
  switch (pattern) {
    case Pattern::stream:
      if (simulator.by_address)
        return [=](std::uint64_t i) {
          return place_in(i % banks, i / banks / columns, i / banks % columns);
        };
      return [=](std::uint64_t i) {  // banks are ahead of each other by columns
        const std::uint64_t at = i / banks + i % banks * columns / banks;
        return place_in(i % banks, at / columns % rows, at % columns);
      };
    case Pattern::random:
      return [=](std::uint64_t) {
        const std::uint64_t bank = (*draw)() % banks, row = (*draw)() % rows;
        return place_in(bank, row, (*draw)() % columns);
      };
    case Pattern::conflict:
      break;
  }
  return [=](std::uint64_t i) { return place_in(0, i % rows, (*draw)() % columns); };
}

std::string text_of(const Figure& figure) {
  const char* const patterns[] = {"stream", "random", "rows of one bank"};
  return fmt::format(
      "{}, {}, {}", patterns[static_cast<int>(figure.pattern)],
      figure.third_writes ? "a third writes" : "reads",
      figure.interval_ns == 0 ? "saturated" : fmt::format("each {:g} ns", figure.interval_ns));
}

ValidationCheck check_of(const Figure& figure, const char* what, double published, double less,
                         double simulated, double percent, const Simulator& simulator) {
  const double expected = published - less;
  ValidationCheck check = differing_check(
      fmt::format("{}: {}", text_of(figure), what), less == 0 ? "GB/s" : "ns", published,
      less == 0 ? fmt::format("{:g}", published) : fmt::format("{:g} - {:g}", published, less),
      expected, less == 0 ? "" : simulator.cycle, simulated);
  check.tolerance = expected * percent / 100;
  check.allowance = percent <= goal ? "the goal, 5 %" : figure.reason;
  return check;
}

std::vector<ValidationCheck> play(Platform& platform, const Simulator& simulator) {
  const HbmBankedParameters parameters(
      platform.component(platform.machine().hbm({0, 0, 0})).attributes());
  const HbmBankTiming timing = bank_timing(parameters);
  std::vector<ValidationCheck> checks;
  for (const Figure& figure : simulator.figures) {
    HbmPattern pattern;
    pattern.place = places_of(figure.pattern, simulator);
    pattern.interval = static_cast<Fs>(figure.interval_ns * 1e6);
    pattern.third_writes = figure.third_writes;
    pattern.accesses = 40000;
    if (figure.pattern == Pattern::conflict || figure.interval_ns >= 100) {
      pattern.warm_up = 300;
      pattern.accesses = 4000;
    }
    const HbmPatternResult result =
        play_hbm_pattern(timing, parameters.queue_policy(), simulator.places, pattern);
    checks.push_back(
        check_of(figure, "rate", figure.gbs, 0, result.gbs, figure.gbs_percent, simulator));
    if (figure.read_percent == 0) continue;
    checks.push_back(check_of(figure, "latency of reads", figure.read_ns, simulator.cycle_ns,
                              result.read_latency_ns, figure.read_percent, simulator));
  }
  return checks;
}

ValidationCase case_of(const char* statement, const char* source, const std::string& attributes,
                       const Simulator& simulator) {
  return {simulator.name,
          "correlation",
          statement,
          source,
          "tiny",
          with(hbm_machine({}),
               {{"cube.components.hbm_ctrl",
                 "{impl: builtin.hbm_banked, attrs: {max_row_hits: 65536, " + attributes + "}}"}}),
          [simulator](Platform& platform) { return play(platform, simulator); }};
}

constexpr Pattern stream = Pattern::stream, random = Pattern::random, conflict = Pattern::conflict;

// Found by the same policy here: 100.0 and 125.1 ns, within 1 % of it.
const char* const one_direction =
    "there both pseudo-channels are in one direction, that of one read and one write buffer; here "
    "each is in its own and writes while it has no read";

HbmPlaces ramulator_places(std::size_t reads) { return {reads, 64, ~std::size_t{0}, true}; }

std::vector<ValidationCase> ramulator_cases() {
  const char* const statement =
      "One channel of two pseudo-channels takes accesses of 32 B at the same rate and answers "
      "reads in the same mean time, with the same times, buffers and places";
  const char* const hbm2 =
      "Ramulator 2.1, commit c5b1c3a: HBM2_2Gb, HBM2_2000Mbps, HBM12, FRFCFSRowHit, open rows; run "
      "with a driver of its own that plays the same places (docs/correlation.md)";
  const char* const hbm3 =
      "Ramulator 2.1, commit c5b1c3a: HBM3_8Gb_8hi, HBM3_6400Mbps, HBM34, FRFCFSRowHit, open rows; "
      "run with a driver of its own that plays the same places (docs/correlation.md)";
  const char* const cycle = "there a request is seen a cycle after it has arrived";
  const std::string queues2 =
      "preset: HBM2, read_queue: 64, write_queue: 64, write_high: 26, write_low: 6, refresh: ";
  const std::string queues3 =
      "preset: HBM3, bank_groups: 8, t_rfc_ns: 260, read_queue: 128, write_queue: 64, "
      "write_high: 26, write_low: 6, refresh: ";
  const auto simulator2 = [&](const char* name, std::vector<Figure> figures) {
    return Simulator{name, ramulator_places(64), 1, cycle, 32, 16384, false, std::move(figures)};
  };
  const auto simulator3 = [&](const char* name, std::vector<Figure> figures) {
    return Simulator{name,  ramulator_places(128), 0.3125, cycle, 64, 8192,
                     false, std::move(figures)};
  };
  return {case_of(statement, hbm2, queues2 + "none",
                  simulator2("ramulator-hbm2",
                             {{stream, false, 0, 32.002, 80.50},
                              {stream, false, 2, 16.000, 17.97},
                              {stream, true, 0, 26.507, 133.18},
                              {stream, true, 2, 16.000, 33.42},
                              {random, false, 0, 10.667, 222.98},
                              {random, false, 4, 8.000, 62.82},
                              {random, true, 0, 10.568, 321.46},
                              {random, true, 4, 8.000, 100.35, goal, 9, one_direction},
                              {conflict, false, 0, 0.667, 3103.00},
                              {conflict, false, 96, 0.333, 45.00}})),
          case_of(statement, hbm2, queues2 + "all_bank",
                  simulator2("ramulator-hbm2-refresh",
                             {{stream, false, 0, 30.250, 84.29},
                              {stream, false, 2, 16.000, 27.29},
                              {stream, true, 0, 24.957, 140.24},
                              {stream, true, 2, 16.000, 47.29},
                              {random, false, 0, 10.165, 232.48},
                              {random, false, 4, 8.000, 80.97},
                              {random, true, 0, 10.057, 336.71},
                              {random, true, 4, 8.000, 126.72, goal, 8, one_direction},
                              {conflict, false, 0, 0.639, 3234.17},
                              {conflict, false, 96, 0.333, 51.33}})),
          case_of(statement, hbm3, queues3 + "none",
                  simulator3("ramulator-hbm3", {{stream, false, 0, 50.990, 95.63},
                                                {stream, false, 1.25, 25.600, 15.26},
                                                {stream, true, 0, 38.572, 174.38},
                                                {stream, true, 1.25, 25.600, 30.81},
                                                {random, false, 0, 16.747, 278.31},
                                                {random, false, 2.5, 12.800, 61.03},
                                                {random, true, 0, 16.235, 411.81},
                                                {random, true, 2.5, 12.800, 96.62},
                                                {conflict, false, 0, 0.711, 5793.75},
                                                {conflict, false, 90, 0.356, 49.69}})),
          case_of(statement, hbm3, queues3 + "all_bank",
                  simulator3("ramulator-hbm3-refresh", {{stream, false, 0, 46.709, 103.44},
                                                        {stream, false, 1.25, 25.600, 35.65},
                                                        {stream, true, 0, 35.376, 189.11},
                                                        {stream, true, 1.25, 25.600, 68.27},
                                                        {random, false, 0, 15.316, 301.16},
                                                        {random, false, 2.5, 12.800, 111.56},
                                                        {random, true, 0, 14.918, 444.74},
                                                        {random, true, 2.5, 12.800, 163.56},
                                                        {conflict, false, 0, 0.664, 6205.08},
                                                        {conflict, false, 90, 0.356, 66.86}}))};
}

// Found by the same choice here: random reads at saturation 10.45 GB/s instead of 10.66, streams
// 31.7 instead of 32.0. Not the cause of the rest: reads and writes alike (mixed random 10.62),
// buffers that are checked for the bank of the previous request (10.65).
const char* const shorter_first =
    "there the row command that ends first is chosen, so that an activate gives way to a precharge "
    "that is ready up to a cycle later; the cause of the rest was not found";
// Found by the same here: random 10.07 GB/s and 79.0 ns instead of 10.12 and 76.4.
const char* const blocked =
    "there a refresh that is due closes rows that have just been opened, here it waits for their "
    "access; the cause of the rest was not found";
const char* const unknown = "the cause was not found";

std::vector<ValidationCase> dramsys_cases() {
  const char* const statement =
      "With the times of its HBM2.json one channel takes accesses of 32 B at the same rate; "
      "latencies where the queues are not full";
  const char* const source =
      "DRAMSys 5.1: configs/memspec/HBM2.json, mcconfig fr_fcfs.json (open page, FrFcfs, 8 "
      "requests "
      "of a bank, 128 in all), traces of the same places (docs/correlation.md)";
  const std::string times =
      "preset: HBM2, bank_groups: 8, t_rcd_rd_ns: 12, t_rcd_wr_ns: 6, t_ras_ns: 28, t_rc_ns: 42, "
      "t_cl_ns: 18, t_cwl_ns: 7, t_ccd_l_ns: 3, t_rrd_l_ns: 6, t_faw_ns: 16, t_wtr_s_ns: 4, "
      "t_wtr_l_ns: 9, t_rtw_ns: 18, t_wr_ns: 14, t_rfc_ns: 220, read_queue: 128, "
      "write_queue: 128, write_high: 26, write_low: 6, refresh: ";
  const auto simulator = [](const char* name, std::vector<Figure> figures) {
    // 9: the 8 places of a bank, and the request that waits for one
    return Simulator{
        name, {128, 128, 9, false}, 1, "there a request takes a cycle to enter", 64, 32768,
        true, std::move(figures)};
  };
  return {
      case_of(statement, source, times + "none",
              simulator("dramsys-hbm2", {{stream, false, 200, 0.160, 21.00},
                                         {random, false, 200, 0.160, 46.98},
                                         {stream, false, 0, 30.326, 246.65, 6, 0, shorter_first},
                                         {stream, false, 2, 16.000, 22.17},
                                         {stream, true, 0, 24.204, 261.09, 7, 0, shorter_first},
                                         {stream, true, 2, 15.994, 52.11, goal, 0},
                                         {random, false, 0, 10.329, 332.44, goal, 0},
                                         {random, false, 4, 8.003, 60.95, goal, 12, unknown},
                                         {random, true, 0, 9.706, 281.91, 10, 0, shorter_first},
                                         {random, true, 4, 8.002, 76.80, goal, 6, unknown},
                                         {conflict, false, 0, 0.762, 397.00},
                                         {conflict, false, 84, 0.381, 47.00}})),
      case_of(
          statement, source, times + "all_bank",
          simulator("dramsys-hbm2-refresh", {{stream, false, 0, 28.953, 185.13, goal, 0},
                                             {stream, false, 2, 16.088, 38.85},
                                             {stream, true, 0, 22.600, 225.66, 6, 0, shorter_first},
                                             {random, false, 0, 9.619, 340.62, 6, 0, blocked},
                                             {random, false, 4, 8.013, 89.85, goal, 15, blocked},
                                             {random, true, 0, 8.849, 295.40, 15, 0, blocked},
                                             {random, true, 4, 8.025, 122.49, goal, 13, blocked},
                                             {conflict, false, 0, 0.716, 421.14},
                                             {conflict, false, 84, 0.381, 60.65}}))};
}

}  // namespace

std::vector<ValidationCase> correlation_cases() {
  std::vector<ValidationCase> cases = ramulator_cases();
  for (ValidationCase& each : dramsys_cases()) cases.push_back(std::move(each));
  return cases;
}

}  // namespace kernbench
