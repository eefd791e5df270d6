#include "platform/observe/log_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/elaborated_part.h"
#include "platform/assembly/machine_root.h"
#include "platform/config/glob.h"
#include "platform/config/nearest_name.h"
#include "platform/observe/object_tree.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

// Modules of a machine, including foreign ones behind its bridges.
std::vector<sc_core::sc_object*> modules_of(const Platform& platform) {
  std::vector<sc_core::sc_module*> found;
  collect_objects({&platform.host()}, found);
  for (Component* component : platform.components()) collect_objects({component}, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()),
              found.end());  // may also be below another node
  return {found.begin(), found.end()};
}

// Candidates for a plain COMPONENT.
std::vector<std::string> names_and_scopes(const std::vector<sc_core::sc_object*>& objects) {
  std::set<std::string> names{LogRequest::collectives};
  for (const sc_core::sc_object* object : objects) {
    std::string name = name_in_machine(*object);
    while (names.insert(name).second && name.find('.') != std::string::npos)
      name.resize(name.rfind('.'));
  }
  return {names.begin(), names.end()};
}

// "flits 0 to 3 of the write of 1024 B by sip0.cube0.pe0.pe_dma".
std::string text_of(const Platform& platform, const NodeTraversal& traversal) {
  const Arrival& arrival = traversal.arrival;
  const Transaction& transaction = *arrival.transaction;
  const RouteExtension& route = transaction.route();
  const bool memory = transaction.accesses_memory();
  const std::string what =
      memory ? fmt::format("{} of {} B", access_name(transaction), transaction.get_data_length())
             : std::string("control message");
  return fmt::format(
      "{}{}{} by {} served since {}",
      route.is_control() ? "" : fmt::format("flit {} of {} of the ", arrival.flit + 1, route.flits),
      route.leg == Leg::response ? "answer to " : "", what,
      platform.machine().name(route.request_path().source()), format_ns(traversal.start));
}

}  // namespace

void print_report_line(const ReportLine& line) {
  std::cerr << "kernbench: " << name_of(line.level) << ": " << line.text << std::endl;
}

LogRequest parse_log_request(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) return {text, LogLevel::info};
  const std::string level = text.substr(equals + 1);
  const auto known = parse_log_level(level);
  if (!known)
    throw UsageError(fmt::format(
        "--log {}: {} is not a level; allowed are error, warning, info, debug and trace",
        quote(text), quote(level)));
  return {text.substr(0, equals), *known};
}

LogSelection::LogSelection(std::vector<LogRequest> requests, Platform& platform,
                           const NameOfRank& name_of_rank)
    : requests_(std::move(requests)), platform_(platform),
      verbosity_before_(sc_core::sc_report_handler::get_verbosity_level()),
      traced_(platform.graph().nodes().size(), false) {
  const std::vector<sc_core::sc_object*> modules = modules_of(platform);
  check(modules);
  for (sc_core::sc_object* module : modules) {
    const auto level = level_of_component(name_in_machine(*module));
    if (!level) continue;
    if (Log* log = Log::find(*module)) {
      log->set_level(*level);
      logs_.push_back(log);
    }
    const auto* component = dynamic_cast<const Component*>(module);
    if (*level == LogLevel::trace && component != nullptr && component->node() != no_node)
      traced_[component->node()] = true;
  }
  set_collectives(name_of_rank);
  int verbosity = verbosity_before_;
  for (const LogRequest& request : requests_)
    verbosity = std::max(verbosity, verbosity_of(request.level));
  sc_core::sc_report_handler::set_verbosity_level(verbosity);
  if (std::find(traced_.begin(), traced_.end(), true) == traced_.end()) return;
  tlm::tlm_analysis_if<NodeTraversal>& traversals = *this;
  tlm::tlm_analysis_if<TraceEvent>& events = *this;
  traversals_.emplace(platform.observation().node_traversals, traversals);
  events_.emplace(platform.observation().trace_events, events);
}

LogSelection::~LogSelection() {
  for (Log* log : logs_) log->set_level(LogLevel::error);
  sc_core::sc_report_handler::set_verbosity_level(verbosity_before_);
}

std::optional<LogLevel> LogSelection::level_of_component(const std::string& name) const {
  for (auto request = requests_.rbegin(); request != requests_.rend(); ++request) {
    if (!request->is_of_collectives() && glob_matches_scope(request->component, name))
      return request->level;
  }
  return std::nullopt;
}

void LogSelection::check(const std::vector<sc_core::sc_object*>& objects) const {
  for (const LogRequest& request : requests_) {
    const auto matches = [&](const sc_core::sc_object* object) {
      return glob_matches_scope(request.component, name_in_machine(*object));
    };
    if (request.is_of_collectives() || std::any_of(objects.begin(), objects.end(), matches))
      continue;
    for (NodeId node = 0; node < platform_.graph().nodes().size(); ++node) {
      if (!platform_.part().has(node) &&
          glob_matches_scope(request.component, platform_.machine().name(node)))
        throw UsageError(fmt::format(
            "--log {} matches only components that have not been elaborated, {}; run with "
            "--elaborate all",
            quote(request.component), platform_.machine().name(node)));
    }
    const bool plain = request.component.find_first_of("*?[") == std::string::npos;
    const std::string nearest =
        plain ? did_you_mean(request.component, names_and_scopes(objects)) : "";
    throw UsageError(fmt::format(
        "--log {} matches no component of this machine{}", quote(request.component),
        nearest.empty() ? "; they are listed by 'kernbench topology', in addition to host and ccl"
                        : nearest));
  }
}

void LogSelection::set_collectives(const NameOfRank& name_of_rank) {
  const auto last =
      std::find_if(requests_.rbegin(), requests_.rend(),
                   [](const LogRequest& request) { return request.is_of_collectives(); });
  if (last == requests_.rend()) return;
  if (name_of_rank == nullptr)
    throw UsageError("--log ccl requires --bench: only a bench runs collectives");
  const auto set = [&](sc_core::sc_object& owner, const std::string& name) {
    Log* log = Log::find(owner, LogRequest::collectives);
    if (log == nullptr) return;  // implementation without a log
    log->set_level(last->level);
    log->set_name(name);
    logs_.push_back(log);
  };
  set(platform_.host(), LogRequest::collectives);
  for (NodeId node = 0; node < platform_.graph().nodes().size(); ++node) {
    const Node& place = platform_.graph().node(node);
    if (place.kind != Role::pe_ipcq) continue;
    const PeId pe{place.at.sip, place.at.cube, place.at.pe};
    if (Component* ipcq = platform_.find_component(node))
      set(*ipcq, fmt::format("{} {} ({})", LogRequest::collectives, name_of_rank(pe), pe.str()));
  }
}

bool LogSelection::shows(const ReportLine& line) const {
  if (line.is_of_log) return true;  // its level was checked at its origin
  const LogLevel level = level_of_component(line.where).value_or(LogLevel::info);
  return line.level <= level;
}

void LogSelection::write(const NodeTraversal& traversal) {
  if (!traced_[traversal.node.node()]) return;
  report_log_line(LogLevel::trace, traversal.node.name(), text_of(platform_, traversal));
}

void LogSelection::write(const TraceEvent& event) {
  const auto* component = dynamic_cast<const Component*>(event.node);
  if (component == nullptr || component->node() == no_node || !traced_[component->node()]) return;
  report_log_line(
      LogLevel::trace, component->name(),
      fmt::format("command {}{}: {}{}{}", event.command_id,
                  event.tile_id < 0 ? "" : fmt::format(", tile {}", event.tile_id),
                  name_of(event.kind), *event.stage == '\0' ? "" : fmt::format(" {}", event.stage),
                  event.bytes == 0 ? "" : fmt::format(", {} B", event.bytes)));
}

}  // namespace kernbench
