// Figures of the Python system for all-reduce.
#include <fmt/format.h>

#include "platform/validate/case_machines.h"
#include "platform/validate/kernel_cases.h"
#include "platform/validate/source_collective_steps.h"

namespace kernbench {
namespace {

// Shipped six_sip.
std::vector<Override> six_sip() {
  const std::string io = "sip.io_chiplets.io0.", pe = "cube.pe_template.components.";
  return with(our_machine("{count: 6, topology: torus_2d, w: 3, h: 2}"),
              {{"system.switch.attrs.servers", "node"},
               {io + "cube_ports.2", "{cube: {xy: [2, 0]}, cube_side: N, phy: P2, distance_mm: 2}"},
               {pe + "pe_dma",
                "{impl: builtin.pe_dma, attrs: {overhead_ns: 1, tcm_slot_overhead_ns: 0, "
                "sram_slot_overhead_ns: 2, sram_slot_bw_gbs: 512, hbm_slot_overhead_ns: 6, "
                "hbm_slot_bw_gbs: 256}}"},
               {pe + "pe_scheduler.attrs.overhead_ns", "1"},
               {pe + "pe_math", "{impl: builtin.pe_math, attrs: {lanes: 128, clock_ghz: 1}}"},
               {pe + "pe_tcm.attrs.read_bw_gbs", "512"},
               {pe + "pe_tcm.attrs.write_bw_gbs", "512"}});
}

// Time with messages of 4 KiB, or with each block in one message, in slots that need not fit their
// memory.
double all_reduce_ns(Platform& platform, const RunBench& run, const SourceAllReduce& all_reduce,
                     bool chunking) {
  ReferenceRun bench{"ccl-allreduce",
                     {{"n_elem", std::to_string(all_reduce.bytes / 2)}, {"dtype", "f16"}},
                     "lrab_hierarchical_allreduce"};
  bench.ccl_defaults.set("buffer_kind", all_reduce.rings);
  bench.ccl_defaults.set("chunking", chunking);
  bench.ccl_defaults.set("ring_capacity_check", chunking);
  if (!chunking)
    bench.ccl_defaults.set("slot_size", Rational(static_cast<std::int64_t>(all_reduce.bytes)));
  if (all_reduce.corner) bench.ccl_of_algorithm.set("root_cube", Rational(15));
  return run(platform, bench).longest_kernel_ns;
}

struct Figure {
  std::string name;
  SourceAllReduce all_reduce;
  double published_us = 0;
};

ValidationCheck check_of(const Figure& figure, const std::string& kind, const SourceSteps& steps,
                         const std::string& reason, double simulated_ns) {
  constexpr double us = 1e-3;
  const SourceAllReduce& all_reduce = figure.all_reduce;
  return differing_check(
      fmt::format("{} KiB, rings in {}, root in the {}, {}", all_reduce.bytes / 1024,
                  all_reduce.rings, all_reduce.corner ? "corner" : "middle", kind),
      "us", figure.published_us, "0.001 * (" + text_of(steps) + ")", us * sum_ns(steps), reason,
      us * simulated_ns);
}

std::string source_text(const SourceAllReduce& all_reduce) {
  return fmt::format("{:.2f} us, {:.2f} with the bytes of the load",
                     sum_ns(source_steps(all_reduce, false)) / 1000,
                     sum_ns(source_steps(all_reduce, true)) / 1000);
}

std::vector<ValidationCheck> play_one_message(Platform& platform, const RunBench& run,
                                              const Figure& figure) {
  return {check_of(figure, "one message", one_message_steps(figure.all_reduce),
                   "the source charges the bytes of a message once, on its narrowest link, and "
                   "none that are added or stored: " +
                       source_text(figure.all_reduce),
                   all_reduce_ns(platform, run, figure.all_reduce, false))};
}

std::vector<ValidationCheck> play_chunks(Platform& platform, const RunBench& run,
                                         const Figure& figure) {
  return {bound_check(
      Relation::at_least,
      check_of(figure, "messages of 4 KiB", chunk_steps(figure.all_reduce),
               "two thirds are credits that receives wait for; above the bound: messages wait for "
               "one another on the way back",
               all_reduce_ns(platform, run, figure.all_reduce, true)))};
}

using Play = std::vector<ValidationCheck> (*)(Platform&, const RunBench&, const Figure&);

ValidationCase case_of(const std::string& prefix, const Figure& figure, const char* statement,
                       Play play, const RunBench& run) {
  return {prefix + figure.name,
          "source",
          statement,
          "Python system, milestone-1h-ccl (ADR-0032, ADR-0043, ADR-0054); its record of messages "
          "between PEs, ADR-0023, was not at hand",
          "six_sip",
          six_sip(),
          [play, run, figure](Platform& platform) { return play(platform, run, figure); }};
}

}  // namespace

std::vector<ValidationCase> source_collective_cases(const RunBench& run) {
  constexpr std::uint64_t small = 65536, large = 98304;
  const std::vector<Figure> figures{{"64k-tcm", {small, "tcm", false}, 12.0},
                                    {"64k-hbm", {small, "hbm", false}, 21.4},
                                    {"64k-sram", {small, "sram", false}, 24.3},
                                    {"96k-middle", {large, "tcm", false}, 17.2},
                                    {"96k-corner", {large, "tcm", true}, 22.0}};
  std::vector<ValidationCase> cases;
  for (const Figure& figure : figures) {
    cases.push_back(case_of("all-reduce-", figure,
                            "All-reduce by the source's algorithm on six SIPs, each step one "
                            "message: hops to the root, exchanges between the SIPs, hops back",
                            play_one_message, run));
    if (figure.all_reduce.bytes == large)
      cases.push_back(case_of("all-reduce-in-slots-", figure,
                              "The same in messages that fit the slots that ship", play_chunks,
                              run));
  }
  return cases;
}

}  // namespace kernbench
