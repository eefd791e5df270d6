#include "platform/config/machine_reader.h"

#include <set>

#include "platform/config/machine_keys.h"

namespace kernbench {
namespace {

class Reader final : public KeyVisitor {
 public:
  explicit Reader(const ResolvedConfig& config) : config_(config) {}

  template <class T>
  bool has_read(const T& member) const {
    return read_.find(&member) != read_.end();
  }

 private:
  void on_value(const KeyRow& /*row*/, const Parameter& /*parameter*/,
                const ParameterMember& member) override {
    const ParameterValue* value = config_.value(path());
    if (value == nullptr) return;
    member.assign(*value);
    read_.insert(member.address());
  }
  void on_name(const KeyRow& /*row*/, std::string& member) override { read(member); }
  void on_text(const KeyRow& /*row*/, std::string& member) override { read(member); }
  void on_attributes(const KeyRow& /*row*/, std::vector<GivenAttribute>& member) override {
    const ConfigNode* attributes = config_.attributes(path());
    if (attributes == nullptr) return;
    for (const ConfigEntry& entry : attributes->entries) {
      if (entry.former_impl.empty())
        member.push_back({entry.key, entry.value.text, entry.value.quoted});
    }
  }
  std::size_t begin_list(const KeyRow& /*row*/, std::size_t /*elements*/) override {
    return config_.items(path());
  }
  bool has_component(bool /*present*/) override { return config_.has(path()); }

  void read(std::string& member) {
    if (const std::string* text = config_.text(path())) member = *text;
  }

  const ResolvedConfig& config_;
  std::set<const void*> read_;
};

// Completes missing w and h: a ring is one row, other arrangements are squares. A count that is no
// square is left for check_machine.
void complete_grid(SipsSpec& sips, bool w_given, bool h_given) {
  int side = 1;
  while ((side + 1) * (side + 1) <= sips.count) ++side;
  const bool ring = sips.topology == SipTopology::ring_1d;
  if (!w_given) sips.w = h_given ? sips.count / sips.h : ring ? sips.count : side;
  if (!h_given) sips.h = w_given ? sips.count / sips.w : ring ? 1 : side;
}

}  // namespace

MachineSpec read_machine(const ResolvedConfig& config) {
  MachineSpec machine;
  Reader reader(config);
  visit_keys(reader, machine);
  SipsSpec& sips = machine.system.sips;
  complete_grid(sips, reader.has_read(sips.w), reader.has_read(sips.h));
  return machine;
}

}  // namespace kernbench
