// Session of the viewer: its machines and runs, and the answers of the API about them (spec 11.5).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "platform/web/served_machine.h"
#include "platform/web/served_run.h"
#include "platform/web/served_sweep.h"
#include "platform/web/web_request.h"

namespace kernbench {

class WebSession {
 public:
  using Json = nlohmann::ordered_json;
  // Other requests below /api/, by the second part of the path: "benches", "jobs".
  using Handler = std::function<WebAnswer(const WebRequest& request)>;

  // `registry` outlives this object. `folder`: private, for temporary files.
  WebSession(std::string version, const ComponentRegistry& registry, std::string folder)
      : version_(std::move(version)), registry_(registry), folder_(std::move(folder)) {}

  void handle(const std::string& what, Handler handler) { handlers_[what] = std::move(handler); }

  // Machines of equal resolved configurations are one. Returns its number.
  std::size_t add_machine(const std::string& title, MachineSpec spec);
  // Adds an operation log or statistics with the machine of the run; statistics without a
  // configuration next to them are of the first machine. Returns the number of the run; a file that
  // has been added is the same run. Throws Error that names the file.
  std::size_t add_run(const std::string& path, const std::string& title);
  // Adds the result file of a sweep.
  std::size_t add_sweep(const std::string& path);
  // Adds what a file is: a run or a sweep. A folder: the sweep of `sweep --out`.
  void add_file(const std::string& path);
  // Shown on the page: a file that could not be loaded, ...
  void add_problem(const std::string& text);
  bool has_machines() const;
  // Prepares all runs, so that later requests are answered soon.
  void prepare();

  // Throws Error for a fault of the request. Called by several threads at once.
  WebAnswer answer(const WebRequest& request);

 private:
  Json session_json() const;
  WebAnswer machine_answer(ServedMachine& machine, const std::string& what,
                           const WebRequest& request);
  WebAnswer run_answer(ServedRun& run, const std::vector<std::string>& parts,
                       const WebRequest& request);
  ServedMachine& machine_of(const std::string& number) const;
  ServedRun& run_of(const std::string& number) const;
  ServedSweep& sweep_of(const std::string& number) const;
  Json comparison(ServedRun& a, const ServedRun& b);
  // Machine of a resolved configuration, YAML or JSON.
  ServedMachine& machine_of_configuration(const std::string& title, const std::string& text);

  std::string version_;
  const ComponentRegistry& registry_;
  std::string folder_;
  std::map<std::string, Handler> handlers_;
  mutable std::mutex mutex_;  // guards the lists; their elements are never removed
  std::vector<std::unique_ptr<ServedMachine>> machines_;
  std::vector<std::unique_ptr<ServedRun>> runs_;
  std::vector<std::unique_ptr<ServedSweep>> sweeps_;
  std::vector<std::string> machine_titles_, run_titles_, sweep_titles_;
  std::vector<std::string> problems_;
  std::mutex comparison_mutex_;
  std::map<std::pair<std::string, std::string>, Json> comparisons_;  // by paths
};

}  // namespace kernbench
