#include "models/pe/token_links.h"

#include <array>
#include <string>

#include "models/base/errors.h"

namespace kernbench {

bool TokenOutput::offer(TileToken& token) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  return socket->nb_transport_fw(token, phase, delay) == tlm::TLM_UPDATED && phase == tlm::END_REQ;
}

tlm::tlm_sync_enum TokenOutput::nb_transport_bw(TileToken& token, tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/) {
  if (phase != tlm::END_REQ) throw ModelError(std::string(socket.name()) + ": a token edge knows BEGIN_REQ and END_REQ only");
  owner_.token_taken(token);
  return tlm::TLM_ACCEPTED;
}

void TokenInput::take(TileToken& token) {
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  socket->nb_transport_bw(token, phase, delay);
}

tlm::tlm_sync_enum TokenInput::nb_transport_fw(TileToken& token, tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) throw ModelError(std::string(socket.name()) + ": a token edge knows BEGIN_REQ and END_REQ only");
  owner_.token_offered(token, *this);
  return tlm::TLM_ACCEPTED;
}

void TokenInput::b_transport(TileToken&, sc_core::sc_time&) {
  throw ModelError(std::string(socket.name()) + ": tokens do not block");
}

PeEngine engine_of(EngineRole role) {
  constexpr std::array<PeEngine, 4> engines{PeEngine::pe_dma, PeEngine::pe_fetch_store, PeEngine::pe_gemm, PeEngine::pe_math};
  return engines[static_cast<std::size_t>(role)];
}

const char* name_of(EngineRole role) {
  constexpr std::array<const char*, 4> names{"dma", "fetch_store", "gemm", "math"};
  return names[static_cast<std::size_t>(role)];
}

}  // namespace kernbench
