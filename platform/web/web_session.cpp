#include "platform/web/web_session.h"

#include <fmt/format.h>

#include "models/base/quote.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/machine_layout.h"

namespace kernbench {
namespace {

constexpr std::size_t most_differences = 1000, most_matches = 200;
constexpr std::uint64_t most_route_bytes = std::uint64_t{1} << 30;  // as of `route`

[[noreturn]] void refuse_path() { throw WebError(404, "there is no such request"); }

}  // namespace

std::size_t WebSession::add_machine(const std::string& title, MachineSpec spec) {
  std::string configuration = resolved_config(spec, registry_);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (machines_[i]->configuration() == configuration) return i;
  }
  machines_.push_back(
      std::make_unique<ServedMachine>(title, std::move(configuration), std::move(spec), registry_));
  return machines_.size() - 1;
}

void WebSession::add_problem(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  problems_.push_back(text);
}

WebAnswer WebSession::answer(const WebRequest& request) {
  const std::vector<std::string> parts = request.parts();
  if (parts.size() < 2 || parts[0] != "api") refuse_path();
  if (request.method != "GET" && request.method != "HEAD")
    throw WebError(405, "only GET is answered here");
  const std::string& what = parts[1];
  if (what == "session" && parts.size() == 2) return json_answer(session_json());
  if (what == "machine" && (parts.size() == 3 || parts.size() == 4))
    return machine_answer(machine_of(parts[2]), parts.size() == 4 ? parts[3] : "", request);
  if (what == "machines" && parts.size() == 3 && parts[2] == "difference")
    return json_answer(machine_of(request.required("a"))
                           .difference(machine_of(request.required("b")), most_differences));
  refuse_path();
}

WebSession::Json WebSession::session_json() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Json machines = Json::array();
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    Json machine{{"id", i}, {"title", machines_[i]->title()}};
    machine.update(machines_[i]->summary());
    machines.push_back(std::move(machine));
  }
  return {{"version", version_},   {"read_only", false},      {"machines", machines},
          {"runs", Json::array()}, {"sweeps", Json::array()}, {"problems", problems_}};
}

ServedMachine& WebSession::machine_of(const std::string& number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto index = parse_number(number, UINT32_MAX);
  if (!index || *index >= machines_.size())
    throw WebError(404, fmt::format("there is no machine {}", quote(number)));
  return *machines_[*index];
}

WebAnswer WebSession::machine_answer(ServedMachine& machine, const std::string& what,
                                     const WebRequest& request) {
  if (what.empty()) return json_answer(machine_layout(machine.graph()));
  if (what == "node") return json_answer(machine.place(request.required("name")));
  if (what == "search")
    return json_answer(
        machine.search(request.text("q"), request.number("limit", 20, 1, most_matches)));
  if (what == "route")
    return json_answer(machine.route(request.required("from"), request.required("to"),
                                     request.number("bytes", 4096, 1, most_route_bytes)));
  refuse_path();
}

}  // namespace kernbench
