// Base of the bridges to plain TLM-2.0 modules: statistics of the accesses of the module outside,
// and violations of the base protocol.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "models/base/errors.h"
#include "models/base/log.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/machine_services.h"

namespace kernbench {

// Parameter `module`: one of `modules`, which need not be known when values are read.
struct TlmBridgeParameters : ParameterSet {
  TlmBridgeParameters(std::vector<std::string> modules, const char* description)
      : module(*this, choice(std::move(modules), description)) {}
  TlmBridgeParameters(const Attributes& values, const char* description)
      : ParameterSet(values), module(*this, choice({}, description)) {}

  Param<std::string> module;

 private:
  static Parameter choice(std::vector<std::string> modules, const char* description) {
    return Parameter::choice("module", description, std::move(modules), "spec 2.1");
  }
};

class TlmBridge : public FabricNode {
 public:
  // Accesses of the module, or to it.
  struct Accesses {
    std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0, errors = 0;
    Fs last_end = 0;
    std::string first_error;  // "the read of 4 bytes at 0x10 at 12 ns: TLM_ADDRESS_ERROR_RESPONSE"
  };
  const Accesses& accesses() const { return accesses_; }
  // Payloads of the bridge that the module has not released.
  virtual std::size_t payloads_with_module() const { return 0; }

 protected:
  explicit TlmBridge(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::store_and_forward),
        machine_(machine_services(init.services)) {}

  void add_access_statistics(const char* reads, const char* writes, const char* errors) {
    Accesses& all = accesses_;
    add_statistic("reads", reads, Quantity::count, all.reads);
    add_statistic("writes", writes, Quantity::count, all.writes);
    add_statistic("bytes_read", "bytes of reads that succeeded", Quantity::bytes, all.bytes_read);
    add_statistic("bytes_written", "bytes of writes that succeeded", Quantity::bytes,
                  all.bytes_written);
    add_statistic("errors", errors, Quantity::count, all.errors);
  }
  // `what`: the access with the response status as text.
  template <class What>
  void count_access(const tlm::tlm_generic_payload& access, bool ok, What what) {
    ++(access.is_read() ? accesses_.reads : accesses_.writes);
    accesses_.last_end = now();
    if (!ok) return count_refusal(what());
    (access.is_read() ? accesses_.bytes_read : accesses_.bytes_written) += access.get_data_length();
    log_.debug([&] {
      return fmt::format("{} of {} B at 0x{:x} completed", access.is_read() ? "read" : "write",
                         access.get_data_length(), access.get_address());
    });
  }
  void count_refusal(const std::string& what) {
    accesses_.last_end = now();
    log_.warning([&] { return what; });
    if (accesses_.errors++ == 0)
      accesses_.first_error = fmt::format("{}, at {}", what, format_ns(now()));
  }

  // Ends the run.
  tlm::tlm_sync_enum broken_protocol(const std::string& what) {
    machine_.fatal(*this, "the module behind the bridge breaks the base protocol: " + what);
    return tlm::TLM_COMPLETED;
  }
  // A call of the module, whose exceptions end the run with its words.
  template <class Call>
  auto outside(const char* name, Call call) {
    const auto error = [name](const std::string& words) {
      return ModelError(
          fmt::format("the module behind the bridge has thrown in {}: {}", name, words));
    };
    const Scope scope(*this);  // processes that it spawns are children of the bridge
    try {
      return call();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (const sc_core::sc_report& report) {
      throw error(fmt::format("{}: {}", report.get_msg_type(), report.get_msg()));
    } catch (const std::exception& known) {
      throw error(known.what());
    } catch (...) {
      throw error("an exception that is not a std::exception");
    }
  }

  MachineServices& machine_;

 private:
  Accesses accesses_;
  Log log_{*this};
};

// Implementation of a bridge whose `module` is one of the current `modules`: name -> factory.
template <class Bridge, class Make>
Implementation bridge_implementation(std::string name, const std::map<std::string, Make>& modules) {
  std::vector<std::string> names;
  for (const auto& module : modules) names.push_back(module.first);
  return {std::move(name), Bridge::description, Roles(Bridge::roles.begin(), Bridge::roles.end()),
          typename Bridge::Parameters(std::move(names)).schema(),
          [modules](const ComponentInit& init) { return make_component<Bridge>(init, modules); }};
}

// Implementation of one module behind its bridge, under the name of the module: the parameters of
// both except `module`. `Make`: creator type that the bridge's constructor accepts.
template <class Bridge, class Make, class Declared>
Implementation module_implementation(const std::string& name, const Declared& module) {
  ParameterSchema schema = typename Bridge::Parameters(std::vector<std::string>()).schema();
  schema.erase(
      std::remove_if(schema.begin(), schema.end(),
                     [](const Parameter& parameter) { return parameter.name() == "module"; }),
      schema.end());
  for (const Parameter& parameter : module.schema) {
    for (const Parameter& other : schema) {
      if (other.name() == parameter.name())
        throw UsageError("the external module '" + name + "' declares the parameter '" +
                         parameter.name() + "', which its bridge has, or twice");
    }
    schema.push_back(parameter);
  }
  const auto create = [name, make = module.make](const ComponentInit& init) {
    Attributes attributes = init.attributes;
    attributes.set("module", name);
    const Make with_values = [&](const char* leaf, auto& bridge) {
      return make(leaf, bridge, init.attributes);
    };
    const std::map<std::string, Make> one{{name, with_values}};
    return make_component<Bridge>({init.name, init.node, attributes, init.services}, one);
  };
  return {name, Bridge::module_description, Roles(Bridge::roles.begin(), Bridge::roles.end()),
          std::move(schema), create};
}

}  // namespace kernbench
