// `kernbench traffic`: requests from a file, or made by rule, on a machine.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <unordered_map>

#include "models/base/errors.h"
#include "platform/config/resolved_config.h"
#include "platform/observe/json_text.h"
#include "platform/observe/latency_breakdown.h"
#include "platform/observe/latency_parts.h"
#include "platform/observe/request_trace.h"
#include "platform/observe/statistics_file.h"
#include "platform/observe/text_table.h"
#include "platform/topology/build_graph.h"
#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_generator.h"
#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_rows.h"
#include "platform/traffic/traffic_summary.h"
#include "sc_main/command.h"
#include "sc_main/interrupt.h"
#include "sc_main/log_options.h"
#include "sc_main/machine_options.h"
#include "sc_main/option_values.h"
#include "sc_main/progress_line.h"
#include "sc_main/result_files.h"
#include "sc_main/timeline_option.h"
#include "sc_main/trace_options.h"

namespace kernbench {
namespace {

constexpr const char* everything = "*.*";  // of the machine: the default scope of a waveform

struct TrafficOptions {
  MachineOptions machine;
  std::string file, pattern, save, out, links, stats, trace_requests;
  TraceOptions trace;
  TrafficRecipe recipe;
  std::string rate_gbs = "0", read_share = "1";
  std::vector<std::string> initiators, targets;
  TimelineOption timeline;
  std::string until_ns, max_wall_s, deadlock_after_ns = "1000000";
  LogOptions log;
  bool csv = false, json = false, breakdown = false, check_protocol = false;
  const CLI::App* command = nullptr;

  void add_to(CLI::App& app);
  void check() const;
  TrafficRecipe resolved_recipe() const;
  std::optional<Fs> deadlock_after() const;

 private:
  void check_that_none_is_idle() const;
};

void TrafficOptions::add_to(CLI::App& app) {
  command = &app;
  app.add_option("FILE", file,
                 "Requests: a CSV file with the header at_ns,initiator,op,target,offset,bytes");
  app.add_flag("--csv", csv,
               "One row per request on standard output, the summary on standard error");
  app.add_flag("--json", json, "Requests and summary as one JSON object");
  app.add_flag("--breakdown", breakdown,
               "What each latency is made of: PE setup, NoC, UCIe, fabric, link transfer, HBM, "
               "contention; see below");
  app.add_option("--out", out, "Where the rows go instead of standard output")->type_name("F");
  app.add_option("--links", links,
                 "Every link, what it carried since the first request: CSV, or JSON if the name "
                 "ends in .json")
      ->type_name("F");
  app.add_option("--stats", stats, "Writes the statistics of every component and link")
      ->type_name("F.json");
  app.add_option("--trace-requests", trace_requests,
                 "Where every request was and when, one per line")
      ->type_name("F.jsonl");
  trace.add_to(app, "Waveform", "everything");
  log.add_to(app);
  timeline.add_to(app, "Options");
  add_check_protocol_to(app, check_protocol);
  app.add_option("--until", until_ns, "Stop at this simulated time")->type_name("NS");
  app.add_option("--max-wall", max_wall_s, "Stop after this many seconds")->type_name("S");
  app.add_option("--deadlock-after", deadlock_after_ns,
                 "Simulated time with nothing but polling and clocks, and nothing to come, while "
                 "requests are under way, that "
                 "counts as a livelock; 0: never")
      ->type_name("NS")
      ->capture_default_str();
  const std::string group = "Generated traffic";
  app.add_option("--generate", pattern,
                 "Make requests by rule: stream, random, stride, hotspot or closed-loop")
      ->type_name("PATTERN")
      ->group(group);
  app.add_option("--save", save, "Write the requests to a file instead of playing them")
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
  app.add_option("--requests", recipe.requests, "Of each initiator")
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
  app.add_option("--rate", rate_gbs, "GB/s that each initiator offers; 0: everything at once")
      ->capture_default_str()
      ->group(group);
  app.add_option("--read-share", read_share, "Share of reads, 0 to 1")
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-outstanding", recipe.max_outstanding, "Of each initiator; closed-loop only")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", recipe.seed, "Of what is drawn")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  machine.add_to(app);
  app.footer(fmt::format(
      "Patterns:\n"
      "  stream       consecutive addresses of the initiator's own HBM partition\n"
      "  stride       the same memory, --stride bytes apart\n"
      "  random       HBM partitions of the initiator's SIP, memory and address drawn\n"
      "  hotspot      everybody at one memory (sip0.cube0.hbm_ctrl.pe0), addresses drawn\n"
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

// An option that would change nothing is a mistake.
void TrafficOptions::check_that_none_is_idle() const {
  const auto needs = [this](bool met, std::initializer_list<const char*> options,
                            const std::string& with) {
    for (const char* option : options) {
      if (!met && command->count(option) > 0)
        throw UsageError(fmt::format("traffic: {} changes nothing {}", option, with));
    }
  };
  needs(!pattern.empty(),
        {"--initiators", "--targets", "--requests", "--size", "--stride", "--rate", "--read-share",
         "--max-outstanding", "--seed"},
        "for requests from a file; it goes with --generate");
  needs(pattern == "stride", {"--stride"}, "but for --generate stride");
  needs(pattern == "closed-loop", {"--max-outstanding"}, "but for --generate closed-loop");
  needs(pattern != "closed-loop", {"--rate"},
        "for closed-loop traffic, whose times come from the simulation");
  needs(save.empty(),
        {"--csv", "--json", "--breakdown", "--out", "--links", "--stats", "--trace",
         "--trace-requests", "--timeline", "--log", "--until", "--max-wall", "--deadlock-after"},
        "with --save, which plays nothing");
}

void TrafficOptions::check() const {
  if (file.empty() == pattern.empty())
    throw UsageError("traffic: give a FILE of requests or --generate PATTERN, one of the two");
  if (csv && json) throw UsageError("traffic: --csv and --json exclude each other");
  if (!save.empty() && pattern.empty()) throw UsageError("traffic: --save goes with --generate");
  check_that_none_is_idle();
  if (!until_ns.empty()) time_option("--until", until_ns);
  seconds_option("--max-wall", max_wall_s);
  deadlock_after();
  log.requests();
  timeline.check();
  machine.memory_bytes();
  if (!out.empty() && !csv && !json) throw UsageError("traffic: --out goes with --csv or --json");
  std::vector<FileInUse> in_use = machine.files_in_use();
  if (!file.empty()) in_use.push_back({file, "the input"});
  trace.check();
  std::vector<std::string> results = trace.files();
  results.insert(results.end(), {out, links, stats, save, trace_requests, timeline.file});
  check_result_files(in_use, results);
}

std::optional<Fs> TrafficOptions::deadlock_after() const {
  const Fs after = time_option("--deadlock-after", deadlock_after_ns);
  return after == 0 ? std::nullopt : std::optional<Fs>(after);
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

// Rows to where they go, everything to the summary; on the console a table of the first requests.
class Report final : public TrafficListener {
 public:
  static constexpr std::size_t most_listed = 40;

  // `breakdown` may be null.
  Report(Platform& platform, std::ostream& out, TrafficRows::Format format,
         LatencyBreakdown* breakdown)
      : platform_(platform), breakdown_(breakdown),
        rows_(platform, out, format, breakdown != nullptr), summary_(platform),
        listing_(format == TrafficRows::Format::none) {
    rows_.begin();
  }
  void began() override { summary_.begin(); }
  void ended(const TrafficResult& result) override {
    summary_.add(result);
    if (breakdown_ == nullptr) return;
    const TrafficRequest& request = result.request;
    const LatencyParts parts = breakdown_->take(traffic_key(request.issue, request.id),
                                                request.issue, result.grant, result.end);
    summary_.add_parts(result, parts);
    parts_.emplace(request.id, parts);
  }
  void in_order(const TrafficResult& result) override {
    LatencyParts parts;
    if (const auto known = parts_.extract(result.request.id)) parts = known.mapped();
    rows_.row(result, parts);
    ++seen_;
    if (!listing_ || seen_ > most_listed) return;
    const TrafficRequest& request = result.request;
    table_.add({std::to_string(request.id), platform_.machine().name(request.initiator),
                request.write ? "write" : "read", platform_.machine().name(request.target),
                std::to_string(request.bytes), fixed_ns(request.issue), fixed_ns(result.grant),
                fixed_ns(result.end), fixed_ns(result.latency())});
  }
  std::string text() const {
    std::string text =
        listing_
            ? fmt::format("{}{}\n", table_.text(),
                          seen_ > most_listed
                              ? fmt::format("... {} more; --csv lists all\n", seen_ - most_listed)
                              : "")
            : "";
    return text + summary_.text();
  }
  TrafficRows& rows() { return rows_; }
  const TrafficSummary& summary() const { return summary_; }

 private:
  using Align = TextTable::Align;
  Platform& platform_;
  LatencyBreakdown* breakdown_;
  std::unordered_map<std::uint32_t, LatencyParts> parts_;  // of requests that wait for earlier ones
  TrafficRows rows_;
  TrafficSummary summary_;
  bool listing_;
  std::size_t seen_ = 0;
  TextTable table_{{{"id", Align::right},
                    {"initiator"},
                    {"op"},
                    {"target"},
                    {"bytes", Align::right},
                    {"issue ns", Align::right},
                    {"grant ns", Align::right},
                    {"end ns", Align::right},
                    {"latency ns", Align::right}}};
};

int save_requests(const TrafficOptions& options, TrafficGenerator& generator,
                  const Platform& platform, const std::string& configuration) {
  if (!generator.times_are_known())
    throw UsageError(
        "--save: the times of closed-loop traffic come from the simulation; they cannot be written "
        "beforehand");
  ResultFile file = open_result(options.save, configuration);
  file.out() << "at_ns,initiator,op,target,offset,bytes\n";
  TrafficRequest request;
  while (generator.next(request)) {
    file.out() << fmt::format(
        "{},{},{},{},{},{}\n", fixed_ns(request.issue), platform.machine().name(request.initiator),
        request.write ? "write" : "read", platform.machine().name(request.target), request.offset,
        request.bytes);
  }
  file.close();
  return exit_done;
}

void write_links(const TrafficLinks& links, const std::string& path, ResultFile& file) {
  if (std::filesystem::path(path).extension() == ".json") {
    links.write_json(file.out());
  } else {
    links.write_csv(file.out());
  }
  file.close();
}

int play(const TrafficOptions& options, const Invocation& invocation) {
  options.check();
  const Catalogue catalogue = options.machine.load_catalogue();
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  platform_options.check_protocol = options.check_protocol;
  const MachineSpec spec = options.machine.load_spec(catalogue.components);
  std::vector<std::pair<std::string, std::string>> facts{
      {"topology", options.machine.topology_path()}};
  if (!catalogue.plugins().empty()) facts.emplace_back("plug-ins", catalogue.plugins_text());
  const std::string configuration =
      configuration_text(invocation, facts, resolved_config(spec, catalogue.components));
  Platform platform(build_graph(spec), catalogue.components, platform_options);

  std::optional<TrafficFile> file;
  std::optional<TrafficGenerator> generator;
  if (options.pattern.empty()) {
    file.emplace(options.file, platform).check();
  } else {
    generator.emplace(options.resolved_recipe(), platform);
    if (!options.save.empty()) return save_requests(options, *generator, platform, configuration);
  }
  TrafficSource& source = file ? static_cast<TrafficSource&>(*file) : *generator;

  Tracing tracing(options.trace, platform, {everything});
  std::optional<ResultFile> out_file;
  if (!options.out.empty()) out_file = open_result(options.out, configuration);
  std::ostream& out = out_file ? out_file->out() : std::cout;
  const auto format = options.csv    ? TrafficRows::Format::csv
                      : options.json ? TrafficRows::Format::json
                                     : TrafficRows::Format::none;
  std::optional<LatencyBreakdown> breakdown;
  if (options.breakdown) breakdown.emplace(platform);
  std::optional<ResultFile> links_file;
  if (!options.links.empty()) links_file = open_result(options.links, configuration);
  std::optional<StatisticsFile> stats;
  if (!options.stats.empty()) stats.emplace(open_result(options.stats, configuration), platform);
  std::optional<ResultFile> requests_file;
  std::optional<RequestTrace> requests;
  if (!options.trace_requests.empty()) {
    requests_file = open_result(options.trace_requests, configuration);
    requests.emplace(platform, requests_file->out());
  }
  tracing.open(configuration);
  const std::unique_ptr<Timeline> timeline = options.timeline.observe(platform, configuration);
  Report report(platform, out, format, breakdown ? &*breakdown : nullptr);
  TrafficPlayer player("traffic", platform, source, report);
  if (requests)
    requests->number_by([&player](const TieKey& key, NodeId initiator) {
      return player.request_of(key, initiator);
    });

  const RunLog log(options.log, platform, std::nullopt);
  const Interrupt interrupt;  // before that a signal ends the program at once
  ProgressLine progress;
  RunLimits limits;
  if (!options.until_ns.empty()) limits.until = time_option("--until", options.until_ns);
  limits.deadlock_after = options.deadlock_after();
  limits.max_wall_s = seconds_option("--max-wall", options.max_wall_s);
  limits.interrupted = &stop_requested;
  limits.progress = [&](const RunProgress& at) {
    progress.show(at);
    tracing.rest();
  };
  const RunResult result = platform.run(limits);
  progress.clear();

  tracing.close(result.status == RunStatus::until_reached ? *limits.until : result.simulated);
  player.hand_on_ended();
  report.rows().end();
  if (options.json) {
    nlohmann::ordered_json summary = report.summary().json();
    summary["status"] = name_of(result.status);
    summary["issued"] = player.issued();
    out << ",\n\"summary\": " << json_text(summary, 1) << "}\n";
  }
  if (out_file) out_file->close();
  if (links_file) write_links(report.summary().links(), options.links, *links_file);
  if (stats)
    stats->close(RunStatistics(platform, ActivityWindows(), result.simulated),
                 StatisticsRegions(platform));
  if (requests) {
    requests->close();
    requests_file->close();
  }
  options.timeline.close(timeline.get());
  std::cout << std::flush;
  if (!options.json) (options.csv ? std::cerr : std::cout) << report.text();
  if (result.status == RunStatus::deadlock)
    throw DeadlockError(fmt::format("{}\n{}", result.error, player.waiting()));
  if (result.cause) std::rethrow_exception(result.cause);
  if (result.status == RunStatus::completed) return exit_done;
  if (result.status == RunStatus::interrupted) check_memory_limit();
  std::cerr << fmt::format(
      "kernbench: {} at {} of simulated time: {} requests issued, {} ended{}\n",
      name_of(result.status), format_ns(result.simulated), player.issued(), player.ended(),
      result.stuck.empty() ? "" : fmt::format("; {}", result.stuck));
  return result.status == RunStatus::until_reached ? exit_done : exit_failed;
}

}  // namespace

void add_traffic_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<TrafficOptions>();
  CLI::App* command = app.add_subcommand(
      "traffic", "Plays memory requests, from a file or by rule, and reports their times");
  options->add_to(*command);
  command->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return play(*options, invocation); };
  });
}

}  // namespace kernbench
