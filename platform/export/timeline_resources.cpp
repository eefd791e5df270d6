// Links and HBM pseudo-channels as counters of a timeline: for each cube (or SIP) and kind of link
// the mean and the busiest link, for each HBM controller the same over its channels. Links and
// channels with the most busy time have counters of their own.
#include <fmt/format.h>

#include <algorithm>

#include "models/noc/link.h"
#include "models/protocol/fabric_node.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/machine_root.h"
#include "platform/export/timeline.h"
#include "platform/topology/graph.h"

namespace kernbench {
namespace {

constexpr std::size_t most_hot = 32;

using Series = TimelineWindows::Series;
struct Named {
  std::string name;
  const Series* series;
};

// Sum and maximum of several series, window by window.
struct Merged {
  TimelineWindows::Values sum, most;
  std::size_t count = 0;  // including unused ones
  void add(const Series* series) {
    ++count;
    if (series == nullptr) return;
    const TimelineWindows::Values& values = series->values;
    sum.resize(std::max(sum.size(), values.size()));
    most.resize(sum.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum[i] += values[i];
      most[i] = std::max(most[i], values[i]);
    }
  }
};

// "sip0.cube0"
std::string group_of(const Location& at) {
  if (at.sip < 0) return "";
  if (at.cube < 0) return fmt::format("sip{}", at.sip);
  return fmt::format("sip{}.cube{}", at.sip, at.cube);
}

class TimelineResources final : public TimelineObserver,
                                private tlm::tlm_analysis_if<LinkTraversal>,
                                private tlm::tlm_analysis_if<HbmBooking> {
 public:
  TimelineResources(Platform& platform, TimelineRecorder& out)
      : platform_(platform), out_(out), links_(platform.links().size()),
        traversals_(platform.observation().link_traversals, *this),
        bookings_(platform.observation().hbm_bookings, *this) {
    for (const auto& [edge, link] : platform.links())
      link_numbers_.emplace(link.get(), link_numbers_.size());
  }

  void write_counters() const override {
    write_links();
    write_channels();
  }

 private:
  struct Hbm {
    std::string name;
    std::vector<Series*> channels;
  };

  void write(const LinkTraversal& traversal) override {
    if (traversal.start == traversal.end) return;
    add_time(links_[link_numbers_.at(&traversal.link)], traversal.start, traversal.end);
  }

  void write(const HbmBooking& booking) override {
    Hbm& hbm = hbms_[booking.node.node()];
    if (hbm.channels.empty()) {
      hbm.name = name_in_machine(booking.node);
      hbm.channels.resize(channels_of(booking.node));
    }
    if (hbm.channels.size() <= booking.channel) hbm.channels.resize(booking.channel + 1);
    add_time(hbm.channels[booking.channel], booking.start, booking.finish);
  }

  void add_time(Series*& series, Fs start, Fs end) {
    if (series == nullptr) series = &out_.windows.add_times();
    out_.windows.add_time(*series, start, end);
  }

  // Number of channels, from the statistics pc0_busy, pc1_busy, ...
  static std::size_t channels_of(const Component& hbm) {
    const auto& statistics = hbm.statistics();
    return static_cast<std::size_t>(
        std::count_if(statistics.begin(), statistics.end(), [](const Statistic& statistic) {
          const std::string& name = statistic.name;
          return name.size() > 7 && name.compare(0, 2, "pc") == 0 &&
                 name.compare(name.size() - 5, 5, "_busy") == 0;
        }));
  }

  void write_links() const {
    std::map<std::pair<std::string, std::string>, Merged> classes;  // by group and kind
    std::vector<Named> hot;
    const Graph& graph = platform_.graph();
    std::size_t next = 0;  // index of the next elaborated link
    for (std::size_t i = 0; i < graph.edges().size(); ++i) {
      const FabricEdges::Edge& link = platform_.fabric_edges()[i];
      if (link.binding != EdgeBinding::link) continue;
      Series* const series = link.is_elaborated ? links_[next] : nullptr;
      const Edge& edge = graph.edges()[i];
      classes[{group_of(graph.node(edge.src).at), std::string(name_of(edge.kind))}].add(series);
      if (series != nullptr)
        hot.push_back({name_in_machine(*platform_.links()[next].link), series});
      if (link.is_elaborated) ++next;
    }
    write_hottest("hot links", std::move(hot));
    for (const auto& [key, merged] : classes) {
      const auto& [group, kind] = key;
      write_merged(group, fmt::format("{}{}{} links", group, group.empty() ? "" : ".", kind),
                   "link", merged);
    }
  }

  void write_channels() const {
    std::vector<Named> hot;
    for (const auto& [node, hbm] : hbms_) {
      Merged merged;
      for (std::size_t i = 0; i < hbm.channels.size(); ++i) {
        merged.add(hbm.channels[i]);
        if (hbm.channels[i] != nullptr)
          hot.push_back({fmt::format("{}.pc{}", hbm.name, i), hbm.channels[i]});
      }
      write_merged(group_of(platform_.graph().node(node).at), hbm.name, "channel", merged);
    }
    write_hottest("hot HBM channels", std::move(hot));
  }

  void write_merged(const std::string& group, const std::string& name, const char* one,
                    const Merged& merged) const {
    out_.share(group, fmt::format("{} mean", name), merged.sum, merged.count);
    out_.share(group, fmt::format("{} busiest {}", name, one), merged.most, 1);
  }

  // Writes the busiest first, ties in their order.
  void write_hottest(const char* group, std::vector<Named> all) const {
    std::stable_sort(all.begin(), all.end(), [](const Named& a, const Named& b) {
      return a.series->sum() > b.series->sum();
    });
    all.resize(std::min(all.size(), most_hot));
    for (std::size_t i = 0; i < all.size(); ++i)
      out_.whole_share(group, all[i].name, static_cast<std::uint32_t>(i), all[i].series->values);
  }

  const Platform& platform_;
  TimelineRecorder& out_;
  std::unordered_map<const Link*, std::size_t> link_numbers_;  // looked up only
  std::vector<Series*> links_;  // in the order of the links; null: unused
  std::map<NodeId, Hbm> hbms_;
  AnalysisBinding<LinkTraversal> traversals_;
  AnalysisBinding<HbmBooking> bookings_;
};

}  // namespace

std::unique_ptr<TimelineObserver> timeline_resources(Platform& platform, TimelineRecorder& out) {
  return std::make_unique<TimelineResources>(platform, out);
}

}  // namespace kernbench
