#include "tests/tlm/boundary_machine.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace kernbench::test {
namespace {

using plain_tlm::ProtocolChecker;

// A plain module and a checker, as one plain module; bound to each other.
template <class Module>
class Checked final : public sc_core::sc_module {
 public:
  template <class... Arguments>
  explicit Checked(const sc_core::sc_module_name& name, Arguments&&... arguments)
      : sc_module(name), checker("checker"),
        module("plain", std::forward<Arguments>(arguments)...) {}
  ProtocolChecker checker;
  Module module;
};

}  // namespace

void BoundaryMachine::add_lt_initiator(std::vector<plain_tlm::LtInitiator::Program> programs) {
  has_initiator_ = true;
  modules_.add_initiator(
      "test.initiator", [this, programs](const char* name, ExternalModules::TargetSocket& bridge) {
        auto made = std::make_unique<Checked<plain_tlm::LtInitiator>>(name, programs);
        made->module.socket.bind(made->checker.from_initiator);
        made->checker.to_target.bind(bridge);
        checkers.push_back(&made->checker);
        return made;
      });
}

void BoundaryMachine::add_at_initiator(plain_tlm::AtScript& script) {
  has_initiator_ = true;
  modules_.add_initiator(
      "test.initiator", [this, &script](const char* name, ExternalModules::TargetSocket& bridge) {
        auto made = std::make_unique<Checked<plain_tlm::AtInitiator>>(name, script);
        made->module.socket.bind(made->checker.from_initiator);
        made->checker.to_target.bind(bridge);
        checkers.push_back(&made->checker);
        return made;
      });
}

void BoundaryMachine::add_lt_memory(std::size_t size, Fs latency) {
  has_memory_ = true;
  modules_.add_target(
      "test.memory",
      [this, size, latency](const char* name, ExternalModules::InitiatorSocket& bridge) {
        auto made = std::make_unique<Checked<plain_tlm::LtMemory>>(name, size, fs(latency));
        made->checker.to_target.bind(made->module.socket);
        bridge.bind(made->checker.from_initiator);
        checkers.push_back(&made->checker);
        lt_memory = &made->module;
        return made;
      });
}

void BoundaryMachine::add_at_memory(plain_tlm::AtAnswer answer, Fs accept, Fs latency) {
  has_memory_ = true;
  modules_.add_target(
      "test.memory",
      [this, answer, accept, latency](const char* name, ExternalModules::InitiatorSocket& bridge) {
        auto made =
            std::make_unique<Checked<plain_tlm::AtMemory>>(name, answer, fs(accept), fs(latency));
        made->checker.to_target.bind(made->module.socket);
        bridge.bind(made->checker.from_initiator);
        checkers.push_back(&made->checker);
        at_memory = &made->module;
        return made;
      });
}

void BoundaryMachine::build(const Setting& setting) {
  yaml_ = "include: topology.tiny.yaml\n";
  if (has_initiator_) {
    yaml_ += "system:\n  tlm_initiators:\n    - id: ext0\n      attach: " + setting.attach +
             "\n      bridge: {impl: builtin.tlm_initiator_bridge, attrs: {module: test.initiator" +
             (setting.bridge_attrs.empty() ? "" : ", " + setting.bridge_attrs) + "}}\n" +
             (setting.link.empty() ? "" : "      " + setting.link + "\n");
  }
  if (has_memory_) {
    yaml_ +=
        "cube:\n  components:\n    sram: {impl: builtin.tlm_target_bridge, attrs: {module: "
        "test.memory" +
        (setting.target_attrs.empty() ? "" : ", " + setting.target_attrs) + "}}\n";
  }
  const TemporaryFolder folder;
  for (const char* file : {"topology.yaml", "topology.tiny.yaml"})
    folder.write(file, read_file(topology_path(file)));
  MachineOptions options(MachineOptions::Engines::builtin);
  options.modules = modules_;
  options.data = setting.data;
  machine_ = std::make_unique<WholeMachine>(folder.write("machine.yaml", yaml_),
                                            std::vector<Override>{}, options);
}

void BoundaryMachine::run() {
  const RunResult result = platform().run();
  BOOST_TEST(result.error == "");
  BOOST_TEST(platform().pool().outstanding() == 0U);
  for (ProtocolChecker* checker : checkers) checker->check_nothing_is_in_flight();
}

void BoundaryMachine::play(const Setting& setting, plain_tlm::LtInitiator::Program program) {
  add_lt_initiator({std::move(program)});
  build(setting);
  run();
}

std::vector<unsigned char> BoundaryMachine::stored(std::uint64_t physical, std::uint64_t nbytes) {
  const std::vector<std::byte> bytes = data().memory().read_bytes(physical, nbytes);
  std::vector<unsigned char> result;
  for (const std::byte byte : bytes) result.push_back(static_cast<unsigned char>(byte));
  return result;
}

std::vector<unsigned char> pattern(std::size_t nbytes, unsigned char first) {
  std::vector<unsigned char> bytes(nbytes);
  for (std::size_t i = 0; i < nbytes; ++i)
    bytes[i] = static_cast<unsigned char>(first + i * 7 + i / 256);
  return bytes;
}

}  // namespace kernbench::test
