#include "platform/web/served_run.h"

#include <fmt/format.h>

#include <cmath>

#include "platform/web/web_request.h"

namespace kernbench {

using Json = nlohmann::ordered_json;

Json share_json(double share) { return std::round(share * 1e6) / 1e6; }

Json ServedRun::UsedWindow::json() const {
  return {{"name", name}, {"begin_fs", begin}, {"end_fs", end}, {"length_fs", length}};
}

std::shared_ptr<const ServedRun::Use> ServedRun::kept_utilisation(const WebInterval& interval) {
  constexpr std::size_t most = 4;
  const std::lock_guard<std::mutex> lock(kept_mutex_);
  for (const auto& [of, use] : kept_)
    if (of == interval) return use;
  kept_.emplace_front(interval, std::make_shared<const Use>(utilisation(interval)));
  if (kept_.size() > most) kept_.pop_back();
  return kept_.front().second;
}

Json ServedRun::uses(const std::vector<std::string>& scopes, const WebInterval& interval) {
  const std::shared_ptr<const Use> kept = kept_utilisation(interval);
  const Use& use = *kept;
  Json json{{"window", use.window.json()},
            {"highest", share_json(use.utilisation.highest())},
            {"scopes", Json::object()}};
  for (const std::string& scope : scopes) {
    const MachineViews::Parts& parts = machine_.view(scope);
    Json blocks = Json::array(), links = Json::array();
    for (const std::vector<NodeId>& nodes : parts.blocks) {
      const std::optional<double> share = use.utilisation.of_nodes(nodes);
      blocks.push_back(share ? share_json(*share) : Json());
    }
    for (const MachineViews::Parts::Directions& link : parts.links)
      links.push_back({share_json(use.utilisation.of_edges(link.forward)),
                       share_json(use.utilisation.of_edges(link.backward))});
    json["scopes"][scope] = {{"blocks", std::move(blocks)}, {"links", std::move(links)}};
  }
  return json;
}

void ServedRun::refuse(const std::string& what) const {
  throw WebError(404,
                 fmt::format("statistics have no {}: it is in the operation log of the run", what));
}

Json ServedRun::timeline(const std::string&, const WebInterval&, std::size_t, std::uint64_t) {
  refuse("timeline");
}
Json ServedRun::overview(std::size_t) { refuse("activity over time"); }
Json ServedRun::critical_path(std::uint64_t) { refuse("critical path"); }
Json ServedRun::roofline() { refuse("roofline"); }

}  // namespace kernbench
