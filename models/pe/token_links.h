// The two ends of a token edge (models/protocol/tile_token.h): sockets with the two-phase protocol on them.
#pragma once

#include <memory>

#include "models/protocol/pe_ports.h"

namespace kernbench {

class TokenOutput final : private TokenBackward {
 public:
  class Owner {
   public:
    // The receiver has taken a token that offer() left here.
    virtual void token_taken(TileToken& token) = 0;

   protected:
    ~Owner() = default;
  };

  TokenOutput(const char* name, Owner& owner) : socket(name), owner_(owner) { socket.bind(*this); }

  // BEGIN_REQ. True: the token is the receiver's. False: it stays here until token_taken().
  bool offer(TileToken& token);

  TokenInitiatorSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_bw(TileToken& token, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Owner& owner_;
};

class TokenInput final : private TokenForward {
 public:
  class Owner {
   public:
    // A token stands at the door; take() when there is room for it.
    virtual void token_offered(TileToken& token, TokenInput& from) = 0;

   protected:
    ~Owner() = default;
  };

  TokenInput(const char* name, Owner& owner) : socket(name), owner_(owner) { socket.bind(*this); }

  // END_REQ.
  void take(TileToken& token);

  TokenTargetSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(TileToken& token, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(TileToken&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(TileToken&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(TileToken&) override { return 0; }

  Owner& owner_;
};

// The engine that serves a stage, as the end of an edge.
PeEngine engine_of(EngineRole role);
const char* name_of(EngineRole role);  // "dma", ...

}  // namespace kernbench
