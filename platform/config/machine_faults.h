// Faults of a machine that concern several keys. A check names members of the MachineSpec; their
// keys and places are looked up here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/config/config_schema.h"
#include "platform/config/machine_spec.h"

namespace kernbench {

class MachineFaults {
 public:
  // The machine was read from `config`. It and its lists must not move.
  MachineFaults(MachineSpec& machine, const ResolvedConfig& config,
                std::vector<ConfigIssue>& issues);

  // True if all these values were given or have a default, and are in range.
  template <class... Members>
  bool sound(const Members&... members) const {
    return (... && (config_.value(key_of(members)) != nullptr));
  }
  // Member of a value or a component -> "sip.io_chiplets.0.side".
  template <class Member>
  const std::string& key_of(const Member& member) const {
    return key_at(&member);
  }
  const std::string& key_at(const void* member) const;  // ModelError if no row has this member
  // Key of the section or list that contains the member.
  template <class Member>
  std::string section_of(const Member& member) const {
    const std::string& key = key_of(member);
    return key.substr(0, key.rfind('.'));
  }

  template <class Member>
  void add(const Member& member, std::string message) {
    add_at(key_of(member), std::move(message));
  }
  void add_at(const std::string& key, std::string message);
  void add(const ConfigIssue& issue) { issues_.push_back(issue); }
  bool none() const { return issues_.empty(); }

  const ResolvedConfig& config() const { return config_; }

 private:
  const ResolvedConfig& config_;
  std::vector<ConfigIssue>& issues_;
  std::map<const void*, std::string> keys_;
};

}  // namespace kernbench
