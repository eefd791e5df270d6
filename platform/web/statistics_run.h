// StatisticsRun: the file of `run --stats`, `traffic --stats` or `traffic --links` (docs/json.md),
// whose machine is the one in the configuration next to it.
#pragma once

#include "platform/web/served_run.h"
#include "platform/web/web_tables.h"

namespace kernbench {

class StatisticsRun final : public ServedRun {
 public:
  // Throws UsageError that names the file: not such a file, of another machine, above 1 GiB.
  // `configuration`: the file that describes the machine; "": the machine is that of --topology.
  StatisticsRun(const std::string& title, const std::string& path, const ServedMachine& machine,
                const std::string& configuration);

  Json facts() const override;
  Json summary() override { return totals_; }
  Json table_list() override { return tables_.list(); }
  Json table(const std::string& name, std::size_t most) override {
    return tables_.table(name, most);
  }
  const RunPlaces& places() override { return places_; }
  Json place(const std::string& name, const WebInterval& interval, std::size_t most) override;

 private:
  Use utilisation(const WebInterval& interval) override;
  void add_places(const Json& json);

  Json totals_;                   // without the lists by component, link and server
  Json servers_ = Json::array();  // busiest first; of a file of links these
  bool has_links_alone_ = false;
  std::optional<Utilisation> utilisation_;
  Fs end_ = 0;
  UsedWindow window_{"pe", 0, 0, 0};
  RunPlaces places_;
  WebTables tables_;
};

}  // namespace kernbench
