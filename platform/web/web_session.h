// What a viewer shows: machines, runs, and the answers of the API about them (spec 11.5).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "platform/web/served_machine.h"
#include "platform/web/web_request.h"

namespace kernbench {

class WebSession {
 public:
  using Json = nlohmann::ordered_json;

  // `registry` outlives this object.
  WebSession(std::string version, const ComponentRegistry& registry)
      : version_(std::move(version)), registry_(registry) {}

  // Machines of equal resolved configurations are one. Returns its number.
  std::size_t add_machine(const std::string& title, MachineSpec spec);
  // Shown on the page: a file that could not be loaded, ...
  void add_problem(const std::string& text);

  // Throws Error for a fault of the request. Called by several threads at once.
  WebAnswer answer(const WebRequest& request);

 private:
  Json session_json() const;
  WebAnswer machine_answer(ServedMachine& machine, const std::string& what,
                           const WebRequest& request);
  ServedMachine& machine_of(const std::string& number) const;

  std::string version_;
  const ComponentRegistry& registry_;
  mutable std::mutex mutex_;  // guards the lists; their elements are never removed
  std::vector<std::unique_ptr<ServedMachine>> machines_;
  std::vector<std::string> problems_;
};

}  // namespace kernbench
