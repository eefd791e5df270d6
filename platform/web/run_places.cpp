#include "platform/web/run_places.h"

#include <algorithm>

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_scopes = 64;  // of a target: above, those one level out

// Scope that contains both; "": the machine.
std::string common_scope(const std::string& a, const std::string& b) {
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  const auto ends = [same](const std::string& name) {
    return same == name.size() || name[same] == '.';
  };
  if (ends(a) && ends(b)) return a.substr(0, same);
  const std::size_t dot = a.rfind('.', same);
  return dot == std::string::npos ? "" : a.substr(0, dot);
}

}  // namespace

std::string first_parts(const std::string& name, int parts) {
  std::size_t at = 0;
  for (; parts > 0; --parts) {
    at = name.find('.', at);
    if (at == std::string::npos) return name;
    ++at;
  }
  return name.substr(0, at - 1);
}

RunPlaces::RunPlaces(const ServedMachine& machine) : machine_(machine) {
  // Kinds without activity: their first place.
  const Graph& graph = machine.graph();
  const auto add = [this](std::string_view kind, const auto& name_of_place) {
    if (busiest_.find(kind) == busiest_.end()) busiest_[std::string(kind)] = {-1, name_of_place()};
  };
  for (const Node& node : graph.nodes()) add(name_of(node.kind), [&] { return node.name; });
  for (const Edge& edge : graph.edges())
    add(name_of(edge.kind), [&] { return machine.link_name(edge); });
}

void RunPlaces::add_run(const std::string& name, const std::string& pe, Fs start, Fs end) {
  for (Run* run : {&runs_[name], &all_}) {
    const bool is_first = run->pes.empty();
    run->pes.insert(pe);
    run->start = is_first ? start : std::min(run->start, start);
    run->end = std::max(run->end, end);
  }
}

void RunPlaces::add_use(const std::string& place, const std::string& resource, double share) {
  std::vector<std::string> kinds{resource, resource.substr(0, resource.find(' '))};
  if (const auto node = machine_.graph().find(place)) {
    kinds.emplace_back(name_of(machine_.graph().node(*node).kind));
  } else if (const Edge* const edge = machine_.find_link(place)) {
    kinds.emplace_back(name_of(edge->kind));
  }
  for (const std::string& kind : kinds) {
    auto& busiest = busiest_.try_emplace(kind, -1, place).first->second;
    if (share > busiest.first) busiest = {share, place};
  }
}

Json RunPlaces::target_of(const Run& run) {
  if (run.pes.empty()) return nullptr;
  std::string common = *run.pes.begin();
  for (const std::string& pe : run.pes) common = common_scope(common, pe);
  std::set<std::string> scopes = run.pes;
  for (int parts = 2; parts > 0 && scopes.size() > most_scopes; --parts) {
    scopes.clear();
    for (const std::string& pe : run.pes) scopes.insert(first_parts(pe, parts));
  }
  Json target{{"place", common}, {"scopes", scopes}};
  if (run.end > run.start) {
    target["from_fs"] = run.start;
    target["to_fs"] = run.end;
  }
  return target;
}

Json RunPlaces::of_text(const std::string& text) const {
  if (text.empty()) return nullptr;
  if (std::string place = machine_.place_of(text); !place.empty()) return place;
  if (const auto run = runs_.find(text); run != runs_.end()) return target_of(run->second);
  // "host > sip0.cube0.pe0"
  const std::size_t arrow = text.find(" > ");
  if (arrow == std::string::npos) return nullptr;
  for (const std::string& end : {text.substr(0, arrow), text.substr(arrow + 3)})
    if (std::string place = machine_.place_of(end); !place.empty()) return place;
  return nullptr;
}

std::string RunPlaces::of_kind(const std::string& text) const {
  const auto find = [this](std::string_view kind) {
    const auto found = busiest_.find(kind);
    return found == busiest_.end() ? std::string() : found->second.second;
  };
  if (std::string place = find(text); !place.empty()) return place;
  const std::string_view word = std::string_view(text).substr(0, text.find(' '));
  if (std::string place = find(word); !place.empty()) return place;
  // Parts of a key, the innermost first.
  for (std::size_t end = word.size(), dot = word.rfind('.'); dot != std::string_view::npos;
       end = dot, dot = dot == 0 ? std::string_view::npos : word.rfind('.', dot - 1))
    if (std::string place = find(word.substr(dot + 1, end - dot - 1)); !place.empty()) return place;
  return "";
}

Json RunPlaces::of_row(const std::vector<Json>& cells) const {
  const auto first = [&cells](const auto& target_of_text) {
    for (const Json& cell : cells) {
      if (!cell.is_string()) continue;
      if (Json target = target_of_text(cell.get_ref<const std::string&>()); !target.is_null())
        return target;
    }
    return Json();
  };
  // Source and destination of a link.
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    if (!cells[i].is_string() || !cells[i + 1].is_string()) continue;
    const std::string name = cells[i].get<std::string>() + " > " + cells[i + 1].get<std::string>();
    if (const Edge* const link = machine_.find_link(name)) return machine_.link_name(*link);
  }
  if (Json target = first([this](const std::string& text) { return of_text(text); });
      !target.is_null())
    return target;
  Json target = first([this](const std::string& text) {
    std::string place = of_kind(text);
    return place.empty() ? Json() : Json(std::move(place));
  });
  return target.is_null() ? target_of(all_) : target;
}

}  // namespace kernbench
