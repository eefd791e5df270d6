// Traffic of the links from the first request of an experiment until now, from all initiators.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/platform.h"
#include "platform/topology/graph.h"

namespace kernbench {

class TrafficLinks {
 public:
  explicit TrafficLinks(const Platform& platform) : platform_(platform) {}

  // At the instant of the first request.
  void begin();
  Fs elapsed() const { return begun_ ? Component::now() - begin_ : 0; }

  struct LinkRow {
    const Edge* edge = nullptr;
    Link::Statistics carried;
  };
  // In the order of the graph's edges; none before the first request.
  std::vector<LinkRow> links() const;
  // At most `most`, by descending busy time; idle ones are left out.
  std::vector<LinkRow> busiest(std::size_t most) const;

  // {"src", "dst", "kind", "bw_gbs", "bytes", "gbs", "utilisation", "flits", "control_messages",
  // "busy_ns"}
  nlohmann::ordered_json json_of(const LinkRow& link) const;
  // All links, a row each: with the keys of json_of() as columns, or as {"elapsed_ns", "links":
  // [...]}.
  void write_csv(std::ostream& out) const;
  void write_json(std::ostream& out) const;

 private:
  const Platform& platform_;
  bool begun_ = false;
  Fs begin_ = 0;
  std::vector<Link::Statistics> at_begin_;  // in the order of the links
};

double rate_gbs(std::uint64_t bytes, Fs time);

}  // namespace kernbench
