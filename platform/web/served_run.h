// Run that the viewer shows: an operation log, or the statistics of a run (spec 11.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology/utilisation.h"
#include "platform/web/run_places.h"
#include "platform/web/served_machine.h"

namespace kernbench {

// Part of a run; without a begin or an end from its start or to its end.
struct WebInterval {
  std::optional<Fs> from, to;
  friend bool operator==(const WebInterval& a, const WebInterval& b) {
    return a.from == b.from && a.to == b.to;
  }
  bool is_whole() const { return !from && !to; }
};

class ServedRun {
 public:
  using Json = nlohmann::ordered_json;

  // Interval that counted: the asked one, rounded to recorded ones.
  struct UsedWindow {
    std::string name;
    Fs begin = 0, end = 0, length = 0;  // length: sum of its parts
    Json json() const;
  };
  struct Use {
    Utilisation utilisation;
    UsedWindow window;
  };

  // `machine` outlives this object.
  ServedRun(std::string title, std::string path, const ServedMachine& machine)
      : title_(std::move(title)), path_(std::move(path)), machine_(machine) {}
  virtual ~ServedRun() = default;
  ServedRun(const ServedRun&) = delete;
  ServedRun& operator=(const ServedRun&) = delete;

  const std::string& title() const { return title_; }
  const std::string& path() const { return path_; }
  const ServedMachine& machine() const { return machine_; }

  // The functions below may be called by several threads at once. They throw WebError 404 where
  // the kind of run lacks the data.

  // Kind, status, end, command, ...: members of the entry in /api/session.
  virtual Json facts() const = 0;
  // Reports in JSON, those of `inspect --json` or the totals of the statistics.
  virtual Json summary() = 0;
  virtual Json table_list() = 0;
  virtual Json table(const std::string& name, std::size_t most) = 0;
  // Where rows of its reports lead.
  virtual const RunPlaces& places() = 0;
  // Reads and computes ahead what many requests need.
  virtual void prepare() {}
  // Utilisation of the blocks and links of the views of these scopes ("": system).
  Json uses(const std::vector<std::string>& scopes, const WebInterval& interval);
  // Servers of a node, a link or a scope, the busiest `most`.
  virtual Json place(const std::string& name, const WebInterval& interval, std::size_t most) = 0;
  // Without operations and `complete` false if they have not been read after `wait_ms`.
  virtual Json timeline(const std::string& scope, const WebInterval& interval, std::size_t bins,
                        std::uint64_t wait_ms);
  virtual Json overview(std::size_t bins);
  virtual Json critical_path(std::uint64_t launch);  // 0: the longest launch
  virtual Json roofline();

 protected:
  virtual Use utilisation(const WebInterval& interval) = 0;

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::shared_ptr<const Use> kept_utilisation(const WebInterval& interval);

  std::string title_, path_;
  const ServedMachine& machine_;
  // The last ones: a page asks for many scopes in one interval.
  std::mutex kept_mutex_;
  std::deque<std::pair<WebInterval, std::shared_ptr<const Use>>> kept_;
};

// Share of 1 with six decimals.
nlohmann::ordered_json share_json(double share);

}  // namespace kernbench
