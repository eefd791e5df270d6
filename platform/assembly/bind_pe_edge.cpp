#include "platform/assembly/bind_pe_edge.h"

#include <fmt/format.h>

#include <string>

#include "models/base/errors.h"
#include "models/protocol/ipcq_ports.h"
#include "models/protocol/pe_ports.h"

namespace kernbench {
namespace {

[[noreturn]] void lacks(const Component& source, const Component& target, const std::string& what) {
  throw UsageError(fmt::format("{} needs {} of {}, whose implementation does not provide it",
                               source.name(), what, target.name()));
}

void bind_tasks(Component& source, PeEngine source_engine, Component& target,
                PeEngine target_engine) {
  if (stages_of(target_engine).empty()) return;
  auto* sender = find_service<TaskSender>(source);
  if (sender == nullptr) return;
  auto* receiver = find_service<TaskReceiver>(target);
  if (receiver == nullptr) lacks(source, target, "tile tasks (TaskReceiver)");
  sender->add_task_output(target_engine).bind(receiver->add_task_input(source_engine));
}

// Every port of the source for interface I.
template <class I>
void bind_service(Component& source, Component& target, bool optional = false) {
  for (sc_core::sc_object* child : source.get_child_objects()) {
    auto* port = dynamic_cast<sc_core::sc_port_b<I>*>(child);
    if (port == nullptr) continue;
    I* provider = find_service<I>(target);
    if (provider == nullptr && optional) continue;
    if (provider == nullptr) lacks(source, target, I::port_name);
    port->bind(*provider);
  }
}

// The services of one engine.
template <class... I>
void bind_services(Component& source, Component& target, PeEngine target_engine) {
  (void)((I::provider == target_engine ? bind_service<I>(source, target) : void()), ...);
}

}  // namespace

void bind_pe_edge(Component& source, PeEngine source_engine, Component& target,
                  PeEngine target_engine) {
  bind_tasks(source, source_engine, target, target_engine);
  bind_services<CommandPort, AccelSlot, TileBuffers, RegisterFile, TcmAccess, AddressTranslation,
                DmaAccess, IpcqPort, CommAccess, IpcqMessageListener>(source, target,
                                                                      target_engine);
  if (target_engine == SegmentLookup::provider) bind_service<SegmentLookup>(source, target, true);
}

}  // namespace kernbench
