#include "platform/traffic/traffic_links.h"

#include <algorithm>

#include "platform/output/json_text.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Link::Statistics between(const Link::Statistics& before, const Link::Statistics& now) {
  return {now.bytes - std::min(before.bytes, now.bytes), now.flits - before.flits,
          now.control_messages - before.control_messages, now.busy_fs - before.busy_fs};
}

// Names of nodes need no quotes.
std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace

double rate_gbs(std::uint64_t bytes, Fs time) {
  return time == 0 ? 0.0 : static_cast<double>(bytes) / to_ns(time);
}

void TrafficLinks::begin() {
  begun_ = true;
  begin_ = Component::now();
  for (const LinkInstance& entry : platform_.links()) at_begin_.push_back(entry.link->statistics());
}

std::vector<TrafficLinks::LinkRow> TrafficLinks::links() const {
  std::vector<LinkRow> links;
  auto before = at_begin_.begin();
  if (!begun_) return links;
  for (const LinkInstance& entry : platform_.links())
    links.push_back(
        {&platform_.graph().edges()[entry.edge], between(*before++, entry.link->statistics())});
  return links;
}

std::vector<TrafficLinks::LinkRow> TrafficLinks::busiest(std::size_t most) const {
  std::vector<LinkRow> list = links();
  list.erase(std::remove_if(list.begin(), list.end(),
                            [](const LinkRow& link) { return link.carried.busy_fs == 0; }),
             list.end());
  std::stable_sort(list.begin(), list.end(), [](const LinkRow& a, const LinkRow& b) {
    return a.carried.busy_fs > b.carried.busy_fs;
  });
  if (list.size() > most) list.resize(most);
  return list;
}

Json TrafficLinks::json_of(const LinkRow& link) const {
  const Fs time = elapsed();
  const Link::Statistics& carried = link.carried;
  return {{"src", platform_.graph().node(link.edge->src).name},
          {"dst", platform_.graph().node(link.edge->dst).name},
          {"kind", name_of(link.edge->kind)},
          {"bw_gbs", link.edge->bw_gbs ? Json(link.edge->bw_gbs->to_double()) : Json()},
          {"bytes", carried.bytes},
          {"gbs", rate_gbs(carried.bytes, time)},
          {"utilisation",
           time == 0 ? 0.0 : static_cast<double>(carried.busy_fs) / static_cast<double>(time)},
          {"flits", carried.flits},
          {"control_messages", carried.control_messages},
          {"busy_ns", ns_json(carried.busy_fs)}};
}

void TrafficLinks::write_csv(std::ostream& out) const {
  out << "src,dst,kind,bw_gbs,bytes,gbs,utilisation,flits,control_messages,busy_ns\n";
  for (const LinkRow& link : links()) {
    bool first = true;
    for (const Json& cell : json_of(link)) {
      out << (first ? "" : ",") << csv_cell(cell);
      first = false;
    }
    out << '\n';
  }
}

void TrafficLinks::write_json(std::ostream& out) const {
  out << "{\"elapsed_ns\": " << json_text(ns_json(elapsed())) << ",\n\"links\": [";
  bool first = true;
  for (const LinkRow& link : links()) {
    out << (first ? "\n " : ",\n ") << json_text(json_of(link));
    first = false;
  }
  out << "\n]}\n";
}

}  // namespace kernbench
