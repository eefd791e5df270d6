#include "models/pe/task_ports.h"

#include <array>
#include <string>

#include "models/base/errors.h"

namespace kernbench {

bool TaskOutput::offer(TileTask& task) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  return socket->nb_transport_fw(task, phase, delay) == tlm::TLM_UPDATED && phase == tlm::END_REQ;
}

tlm::tlm_sync_enum TaskOutput::nb_transport_bw(TileTask& task, tlm::tlm_phase& phase,
                                               sc_core::sc_time& /*delay*/) {
  if (phase != tlm::END_REQ)
    throw ModelError(std::string(socket.name()) + ": a task edge knows BEGIN_REQ and END_REQ only");
  owner_.task_taken(task);
  return tlm::TLM_ACCEPTED;
}

void TaskInput::take(TileTask& task) {
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  socket->nb_transport_bw(task, phase, delay);
}

tlm::tlm_sync_enum TaskInput::nb_transport_fw(TileTask& task, tlm::tlm_phase& phase,
                                              sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ)
    throw ModelError(std::string(socket.name()) + ": a task edge knows BEGIN_REQ and END_REQ only");
  owner_.task_offered(task, *this);
  return tlm::TLM_ACCEPTED;
}

void TaskInput::b_transport(TileTask&, sc_core::sc_time&) {
  throw ModelError(std::string(socket.name()) + ": tasks do not block");
}

PeEngine engine_of(EngineRole role) {
  constexpr std::array<PeEngine, 4> engines{PeEngine::pe_dma, PeEngine::pe_fetch_store,
                                            PeEngine::pe_gemm, PeEngine::pe_math};
  return engines[static_cast<std::size_t>(role)];
}

const char* name_of(EngineRole role) {
  constexpr std::array<const char*, 4> names{"dma", "fetch_store", "gemm", "math"};
  return names[static_cast<std::size_t>(role)];
}

}  // namespace kernbench
