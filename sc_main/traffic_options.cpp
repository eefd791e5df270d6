#include "sc_main/traffic_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/base/errors.h"
#include "platform/observe/transfer_path.h"
#include "platform/report/option_values.h"
#include "sc_main/completion.h"
#include "sc_main/result_files.h"

namespace kernbench {
namespace {

Candidates pattern_candidates(const std::string& /*typed*/) {
  Candidates candidates;
  for (int pattern = 0; pattern <= static_cast<int>(TrafficPattern::closed_loop); ++pattern)
    candidates.push_back({std::string(name_of(static_cast<TrafficPattern>(pattern)))});
  return candidates;
}

}  // namespace

void TrafficOptions::add_to(CLI::App& app) {
  command = &app;
  app.add_option("FILE", file,
                 "Requests: a CSV file with the header at_ns,initiator,op,target,offset,bytes");
  app.add_flag("--csv", csv,
               "One row per request on standard output, the summary on standard error");
  app.add_flag("--json", json, "Requests and summary as one JSON object");
  app.add_flag("--breakdown", breakdown,
               "Components of each latency: PE setup, NoC, UCIe, fabric, link transfer, HBM, "
               "contention; see below");
  app.add_option("--out", out, "File for the rows instead of standard output")->type_name("F");
  app.add_option("--links", links,
                 "Write the traffic of every link since the first request: CSV, or JSON if the "
                 "name ends in .json")
      ->type_name("F");
  reports.declare(app, ReportSource::traffic);
  add_check_protocol_to(app, check_protocol);
  add_fabric_to(app, fabric);
  app.add_option("--until", until_ns, "Stop at this simulated time")->type_name("NS");
  app.add_option("--max-wall", max_wall_s, "Stop after this many seconds")->type_name("S");
  app.add_option("--deadlock-after", deadlock_after_ns,
                 "Report a livelock after this much simulated time without progress of outstanding "
                 "requests; 0 disables the check")
      ->type_name("NS")
      ->capture_default_str();
  const std::string group = "Generated traffic";
  completes(
      app.add_option("--generate", pattern,
                     "Generate requests by pattern: stream, random, stride, hotspot or closed-loop")
          ->type_name("PATTERN")
          ->group(group),
      &pattern_candidates);
  app.add_option("--save", save, "Write the requests to a file instead of running them")
      ->type_name("F.csv")
      ->group(group);
  app.add_option("--initiators", initiators,
                 "pe_dma or pcie_ep nodes by glob; repeatable. Default: sip0.cube0.pe*.pe_dma")
      ->type_name("GLOB")
      ->group(group);
  app.add_option("--targets", targets,
                 "Memories by glob; repeatable. Default: by pattern, see below")
      ->type_name("GLOB")
      ->group(group);
  app.add_option("--requests", recipe.requests, "Number of requests of each initiator")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--size", recipe.size_bytes, "Bytes of a request")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--stride", recipe.stride_bytes,
                 "Bytes between the requests of the stride pattern")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--rate", rate_gbs,
                 "Offered load of each initiator in GB/s; 0: all requests at once")
      ->capture_default_str()
      ->group(group);
  app.add_option("--read-share", read_share, "Share of reads, 0 to 1")
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-outstanding", recipe.max_outstanding,
                 "Maximum outstanding requests of each initiator; closed-loop only")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", recipe.seed, "Seed of the random values")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  machine.add_to(app);
  machine.add_energy_to(app);
  app.footer(fmt::format(
      "Patterns:\n"
      "  stream       consecutive addresses of the initiator's own HBM partition\n"
      "  stride       the same memory, --stride bytes apart\n"
      "  random       HBM partitions of the initiator's SIP, random memory and address\n"
      "  hotspot      all initiators access one memory (sip0.cube0.hbm_ctrl.pe0), random "
      "addresses\n"
      "  closed-loop  random, a request when one of --max-outstanding has ended\n\n"
      "{}Examples:\n"
      "  kernbench traffic requests.csv --csv > times.csv\n"
      "  kernbench traffic --generate hotspot --initiators 'sip0.*.pe_dma' --requests 16\n"
      "  kernbench traffic requests.csv --breakdown --csv\n"
      "  kernbench traffic requests.csv --links links.csv\n"
      "  kernbench traffic requests.csv --trace traffic.fst --trace-changed\n"
      "  kernbench traffic --generate hotspot --stats stats.json\n"
      "  kernbench traffic --generate random --rate 64 --read-share 0.5 --save requests.csv\n",
      latency_parts_help()));
}

// An option without effect is an error.
void TrafficOptions::check_that_none_is_idle() const {
  const auto needs = [this](bool met, const std::vector<std::string>& options,
                            const std::string& with) {
    for (const std::string& option : options) {
      if (!met && command->count(option) > 0)
        throw UsageError(fmt::format("traffic: {} has no effect {}", option, with));
    }
  };
  needs(!pattern.empty(),
        {"--initiators", "--targets", "--requests", "--size", "--stride", "--rate", "--read-share",
         "--max-outstanding", "--seed"},
        "for requests from a file; it requires --generate");
  needs(pattern == "stride", {"--stride"}, "without --generate stride");
  needs(pattern == "closed-loop", {"--max-outstanding"}, "without --generate closed-loop");
  needs(pattern != "closed-loop", {"--rate"},
        "for closed-loop traffic, whose times come from the simulation");
  std::vector<std::string> of_run = reports.options();
  of_run.insert(of_run.end(), {"--csv", "--json", "--breakdown", "--out", "--links", "--until",
                               "--max-wall", "--deadlock-after"});
  needs(save.empty(), of_run, "with --save, which runs no requests");
}

void TrafficOptions::check() const {
  if (file.empty() == pattern.empty())
    throw UsageError("traffic: give a FILE of requests or --generate PATTERN, one of the two");
  if (csv && json) throw UsageError("traffic: --csv and --json exclude each other");
  if (!save.empty() && pattern.empty()) throw UsageError("traffic: --save requires --generate");
  if (!save.empty() && pattern == name_of(TrafficPattern::closed_loop))
    throw UsageError(
        "--save: the times of closed-loop traffic come from the simulation; they cannot be written "
        "beforehand");
  check_that_none_is_idle();
  limits();
  machine.memory_bytes();
  if (!out.empty() && !csv && !json) throw UsageError("traffic: --out requires --csv or --json");
  std::vector<FileInUse> in_use = machine.files_in_use();
  if (!file.empty()) in_use.push_back({file, "the input"});
  reports.check();
  std::vector<std::string> results = reports.files();
  results.insert(results.end(), {out, links, save});
  check_result_files(in_use, results);
}

std::optional<Fs> TrafficOptions::deadlock_after() const {
  const Fs after = time_option("--deadlock-after", deadlock_after_ns);
  return after == 0 ? std::nullopt : std::optional<Fs>(after);
}

RunLimits TrafficOptions::limits() const {
  RunLimits limits;
  if (!until_ns.empty()) limits.until = time_option("--until", until_ns);
  limits.max_wall_s = seconds_option("--max-wall", max_wall_s);
  limits.deadlock_after = deadlock_after();
  return limits;
}

TrafficRecipe TrafficOptions::resolved_recipe() const {
  TrafficRecipe resolved = recipe;
  resolved.pattern = parse_traffic_pattern(pattern);
  if (!initiators.empty()) resolved.initiators = initiators;
  resolved.targets = targets;
  resolved.rate_gbs = decimal_option("--rate", rate_gbs);
  resolved.most_memory_bytes = machine.memory_bytes();
  resolved.read_share = decimal_option("--read-share", read_share);
  return resolved;
}

}  // namespace kernbench
