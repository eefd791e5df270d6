#include "platform/export/timeline_resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

using Values = std::vector<std::uint64_t>;
struct Named {
  std::string name;
  const TimelineWindows::Series* series;
};

// Sum and maximum of several, window by window.
struct Merged {
  Values sum, most;
  void add(const Values& values) {
    sum.resize(std::max(sum.size(), values.size()));
    most.resize(sum.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum[i] += values[i];
      most[i] = std::max(most[i], values[i]);
    }
  }
};

void write_merged(const TimelineCounters& counters, const std::string& group,
                  const std::string& name, const char* one, const Merged& merged,
                  std::size_t count) {
  counters.share(group, fmt::format("{} mean", name), TimelineRank::busy, merged.sum, count);
  counters.share(group, fmt::format("{} busiest {}", name, one), TimelineRank::busy, merged.most,
                 1);
}

// The busiest first, ties by their order.
void write_hottest(const TimelineCounters& counters, const char* group, std::vector<Named> all) {
  std::stable_sort(all.begin(), all.end(), [](const Named& a, const Named& b) {
    return a.series->sum() > b.series->sum();
  });
  all.resize(std::min(all.size(), TimelineResources::most_hot));
  for (std::size_t i = 0; i < all.size(); ++i)
    counters.whole_share(group, all[i].name, static_cast<std::uint32_t>(i), all[i].series->values);
}

}  // namespace

TimelineResources::TimelineResources(Platform& platform, TimelineWindows& windows)
    : platform_(platform), windows_(windows), links_(platform.links().size()),
      passages_(platform.observation().link_passages, *this),
      bookings_(platform.observation().hbm_bookings, *this) {
  for (const auto& [edge, link] : platform.links())
    link_numbers_.emplace(link.get(), link_numbers_.size());
}

void TimelineResources::write(const LinkPassage& passage) {
  if (passage.start == passage.end) return;
  Series*& series = links_[link_numbers_.at(&passage.link)];
  if (series == nullptr) series = &windows_.add_times();
  windows_.add_time(*series, passage.start, passage.end);
}

void TimelineResources::write(const HbmBooking& booking) {
  Hbm& hbm = hbms_[booking.node.node()];
  if (hbm.channels.empty()) {
    hbm.name = name_in_machine(booking.node);
    for (const Statistic& statistic : booking.node.statistics()) {
      const std::string& name = statistic.name;
      if (name.size() > 7 && name.compare(0, 2, "pc") == 0 &&
          name.compare(name.size() - 5, 5, "_busy") == 0)
        hbm.channels.push_back(nullptr);
    }
  }
  if (hbm.channels.size() <= booking.channel) hbm.channels.resize(booking.channel + 1);
  Series*& series = hbm.channels[booking.channel];
  if (series == nullptr) series = &windows_.add_times();
  windows_.add_time(*series, booking.start, booking.finish);
}

TimelineResources::LinkClass TimelineResources::class_of(const Edge& edge) const {
  const Location& at = platform_.graph().node(edge.src).at;
  const std::string kind(name_of(edge.kind));
  if (at.sip < 0) return {"", kind};
  if (at.cube < 0) return {fmt::format("sip{}", at.sip), kind};
  return {fmt::format("sip{}.cube{}", at.sip, at.cube), kind};
}

void TimelineResources::write_counters(const TimelineCounters& counters) const {
  struct Class {
    Merged merged;
    std::size_t links = 0;
  };
  std::map<LinkClass, Class> classes;
  std::vector<Named> hot;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto& instance = platform_.links()[i];
    Class& of = classes[class_of(platform_.graph().edges()[instance.edge])];
    ++of.links;
    if (links_[i] == nullptr) continue;
    of.merged.add(links_[i]->values);
    hot.push_back({name_in_machine(*instance.link), links_[i]});
  }
  write_hottest(counters, "hot links", std::move(hot));
  for (const auto& [key, of] : classes) {
    const auto& [group, kind] = key;
    write_merged(counters, group,
                 fmt::format("{}{}{} links", group, group.empty() ? "" : ".", kind), "link",
                 of.merged, of.links);
  }
  std::vector<Named> channels;
  for (const auto& [node, hbm] : hbms_) {
    Merged merged;
    for (std::size_t i = 0; i < hbm.channels.size(); ++i) {
      if (hbm.channels[i] == nullptr) continue;
      merged.add(hbm.channels[i]->values);
      channels.push_back({fmt::format("{}.pc{}", hbm.name, i), hbm.channels[i]});
    }
    const Location& at = platform_.graph().node(node).at;
    write_merged(counters, fmt::format("sip{}.cube{}", at.sip, at.cube), hbm.name, "channel",
                 merged, hbm.channels.size());
  }
  write_hottest(counters, "hot HBM channels", std::move(channels));
}

}  // namespace kernbench
