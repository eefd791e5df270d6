#include "platform/web/web_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "platform/output/json_text.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;
using Parameters = std::map<std::string, std::string>;

constexpr std::size_t most_bins = 32, most_cubes = 64, most_pes = 64, most_places = 50,
                      most_exported_launches = 8, most_timelines = 32, overview_bins = 512,
                      timeline_bins = 1000;

// Text as encodeURIComponent() encodes it.
std::string encoded(const std::string& text) {
  static const std::string plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  std::string result;
  for (const char c : text)
    result += plain.find(c) != std::string::npos
                  ? std::string(1, c)
                  : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

class Export {
 public:
  explicit Export(WebSession& session) : session_(session) {}

  std::string data() {
    Json session = ask("session");
    Json runs = Json::array();
    for (const Json& machine : session["machines"])
      keep(fmt::format("machine/{}", machine["id"].get<int>()));
    for (const Json& run : session["runs"]) runs.push_back(add_run(run));
    add_comparisons(session["runs"]);
    for (const Json& sweep : session["sweeps"])
      keep(fmt::format("sweep/{}", sweep["id"].get<int>()));
    session["read_only"] = true;
    for (Json& run : session["runs"]) run["files"] = Json::array();
    session["export"] = {{"timeline_bins", timeline_bins}, {"runs", std::move(runs)}};
    answers_["/api/session"] = std::move(session);
    return json_text(answers_);
  }

 private:
  // Null: there is no such answer.
  Json ask(const std::string& path, const Parameters& parameters = {}) {
    WebRequest request;
    request.path = "/api/" + path;
    request.parameters = parameters;
    try {
      const WebAnswer answer = session_.answer(request);
      if (answer.status == 200) return Json::parse(answer.body, nullptr, false);
    } catch (const Error&) {  // a log without the data
    }
    return nullptr;
  }
  Json keep(const std::string& path, const Parameters& parameters = {},
            const std::string& shown_path = "") {
    Json answer = ask(path, parameters);
    if (!answer.is_null() && !answer.is_discarded()) {
      std::string address = "/api/" + (shown_path.empty() ? path : shown_path);
      char mark = '?';
      for (const auto& [name, value] : parameters) {
        if (value.empty()) continue;
        address += mark + encoded(name) + '=' + encoded(value);
        mark = '&';
      }
      answers_[address] = answer;
    }
    return answer;
  }

  // Scopes with activity, by their busiest server.
  static std::vector<std::string> active(const Json& servers, int parts, std::size_t most) {
    std::vector<std::string> scopes;
    std::set<std::string> known;
    for (const Json& server : servers) {
      const std::string place = server["place"];
      std::size_t at = 0;
      for (int i = 0; i < parts && at != std::string::npos; ++i)
        at = place.find('.', at == 0 ? 0 : at + 1);
      const std::string scope = at == std::string::npos ? place : place.substr(0, at);
      if (std::count(scope.begin(), scope.end(), '.') != parts - 1) continue;
      const std::size_t last = scope.rfind('.') == std::string::npos ? 0 : scope.rfind('.') + 1;
      const char* const word = parts == 1 ? "sip" : parts == 2 ? "cube" : "pe";
      if (scope.compare(last, std::char_traits<char>::length(word), word) != 0) continue;
      if (scopes.size() < most && known.insert(scope).second) scopes.push_back(scope);
    }
    return scopes;
  }

  Json add_run(const Json& run) {
    const std::string path = fmt::format("run/{}", run["id"].get<int>());
    keep(path + "/summary");
    for (const Json& table : keep(path + "/tables")) {
      const std::string name = table["name"];
      keep(path + "/table/" + name, {}, path + "/table/" + encoded(name));
    }
    keep(path + "/roofline");
    const Json overview = keep(path + "/overview", {{"bins", std::to_string(overview_bins)}});
    const Json path_of_longest = keep(path + "/critical-path");
    if (path_of_longest.is_object()) {
      std::size_t count = 0;
      for (const Json& launch : path_of_longest["launches"])
        if (count++ < most_exported_launches)
          keep(path + "/critical-path", {{"launch", std::to_string(launch["launch"].get<int>())}});
    }
    Json intervals = Json::array();
    if (overview.is_object()) {
      const Json& bins = overview["bins"];
      const std::size_t count = std::min(most_bins, bins.size());
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = i * bins.size() / count, last = (i + 1) * bins.size() / count;
        intervals.push_back({bins[first]["begin_fs"], bins[last - 1]["end_fs"]});
      }
    }
    const Json all = ask(path + "/place", {{"limit", "5000"}});
    const Json servers = all.is_object() ? all["servers"] : Json::array();
    const int machine = run["machine"];
    std::vector<std::string> scopes{""};
    const Json session_machine = answers_[fmt::format("/api/machine/{}", machine)];
    for (const Json& sip : session_machine["sips"]) scopes.push_back(sip.get<std::string>());
    for (const std::string& cube : active(servers, 2, most_cubes)) scopes.push_back(cube);
    for (const std::string& pe : active(servers, 3, most_pes)) scopes.push_back(pe);
    for (const std::string& scope : scopes) {
      const Parameters whole{{"scope", scope}};
      keep(path + "/use", whole);
      for (const Json& interval : intervals) {
        Parameters part = whole;
        part["from_fs"] = std::to_string(interval[0].get<std::uint64_t>());
        part["to_fs"] = std::to_string(interval[1].get<std::uint64_t>());
        keep(path + "/use", part);
      }
    }
    for (std::size_t i = 0; i < std::min(most_timelines, scopes.size()); ++i)
      keep(path + "/timeline", {{"bins", std::to_string(timeline_bins)}, {"scope", scopes[i]}});
    std::size_t places = 0;
    for (const Json& server : servers) {
      if (places++ == most_places) break;
      const Parameters name{{"name", server["place"].get<std::string>()}};
      keep(path + "/place", name);
      keep(fmt::format("machine/{}/node", machine), name);
    }
    return {{"id", run["id"]}, {"intervals", intervals}};
  }

  void add_comparisons(const Json& runs) {
    for (const Json& a : runs) {
      for (const Json& b : runs) {
        if (a["id"] == b["id"]) continue;
        keep("compare", {{"a", std::to_string(a["id"].get<int>())},
                         {"b", std::to_string(b["id"].get<int>())}});
        if (a["machine"] != b["machine"])
          keep("machines/difference", {{"a", std::to_string(a["machine"].get<int>())},
                                       {"b", std::to_string(b["machine"].get<int>())}});
      }
    }
  }

  WebSession& session_;
  Json answers_ = Json::object();
};

}  // namespace

std::string exported_data(WebSession& session) { return Export(session).data(); }

}  // namespace kernbench
