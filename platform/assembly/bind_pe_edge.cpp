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

bool takes_tasks(PeEngine engine) {
  return engine == PeEngine::pe_dma || engine == PeEngine::pe_fetch_store ||
         engine == PeEngine::pe_gemm || engine == PeEngine::pe_math;
}

void bind_tasks(Component& source, PeEngine source_engine, Component& target,
                PeEngine target_engine) {
  auto* sender = dynamic_cast<TaskSender*>(&source);
  if (sender == nullptr || !takes_tasks(target_engine)) return;
  auto* receiver = dynamic_cast<TaskReceiver*>(&target);
  if (receiver == nullptr) lacks(source, target, "tile tasks (TaskReceiver)");
  sender->add_task_output(target_engine).bind(receiver->add_task_input(source_engine));
}

template <class I>
void bind_service(Component& source, Component& target, PeEngine target_engine) {
  auto* user = dynamic_cast<Uses<I>*>(&source);
  if (user == nullptr || target_engine != I::provider) return;
  auto* provider = dynamic_cast<I*>(&target);
  if (provider == nullptr) lacks(source, target, I::port_name);
  user->port().bind(*provider);
}

// Where the target has it.
template <class I>
void bind_service_if_provided(Component& source, Component& target, PeEngine target_engine) {
  if (dynamic_cast<I*>(&target) != nullptr) bind_service<I>(source, target, target_engine);
}

}  // namespace

void bind_pe_edge(Component& source, PeEngine source_engine, Component& target,
                  PeEngine target_engine) {
  bind_tasks(source, source_engine, target, target_engine);
  bind_service<CommandPort>(source, target, target_engine);
  bind_service<AccelSlot>(source, target, target_engine);
  bind_service<TileBuffers>(source, target, target_engine);
  bind_service<RegisterFile>(source, target, target_engine);
  bind_service<TcmAccess>(source, target, target_engine);
  bind_service<AddressTranslation>(source, target, target_engine);
  bind_service<DmaAccess>(source, target, target_engine);
  bind_service<IpcqPort>(source, target, target_engine);
  bind_service<CommAccess>(source, target, target_engine);
  bind_service<IpcqMessageListener>(source, target, target_engine);
  bind_service_if_provided<SegmentLookup>(source, target, target_engine);
}

}  // namespace kernbench
