#include "platform/config/machine_faults.h"

#include "models/base/errors.h"
#include "platform/config/machine_keys.h"

namespace kernbench {
namespace {

class KeysOfMembers final : public KeyVisitor {
 public:
  std::map<const void*, std::string> keys;

 private:
  void on_value(const KeyRow& /*row*/, const Parameter& /*parameter*/,
                const ParameterMember& member) override {
    keys[member.address()] = path();
  }
  void on_name(const KeyRow& /*row*/, std::string& member) override { keys[&member] = path(); }
  void on_text(const KeyRow& /*row*/, std::string& member) override { keys[&member] = path(); }
  void on_attributes(const KeyRow& /*row*/, std::vector<GivenAttribute>& member) override {
    keys[&member] = path();
  }
  void on_component(const ComponentRow& /*row*/, ComponentSpec& member) override {
    keys[&member] = path();
  }
};

}  // namespace

MachineFaults::MachineFaults(MachineSpec& machine, const ResolvedConfig& config,
                             std::vector<ConfigIssue>& issues)
    : config_(config), issues_(issues) {
  KeysOfMembers members;
  visit_keys(members, machine);
  keys_ = std::move(members.keys);
}

const std::string& MachineFaults::key_at(const void* member) const {
  const auto found = keys_.find(member);
  if (found == keys_.end()) throw ModelError("a member that no row of machine_keys.cpp holds");
  return found->second;
}

void MachineFaults::add_at(const std::string& key, std::string message) {
  issues_.push_back(issue_at(config_.place(key), key, std::move(message)));
}

}  // namespace kernbench
