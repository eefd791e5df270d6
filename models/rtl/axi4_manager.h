// Manager side of an AXI4 port (subset: sv/kernbench_axi4_if.sv): splits accesses into bursts and
// drives them, one address, one write beat and one read beat per cycle, writes and reads
// concurrently.
//
// The data of a write burst follow its address. All bursts of an access have its id; accesses of
// one direction are sent in the order of their begin. Ready for responses in each cycle, but for
// gaps drawn for tests of back-pressure, of B and of R apart.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "models/rtl/pins.h"

namespace kernbench {

// Range of bytes as bursts of AXI4: INCR, at most 256 beats of the whole data width, none across a
// 4 KiB boundary. The first and the last beat may hold fewer bytes, selected by their strobes.
struct Axi4Burst {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  unsigned beats(unsigned data_bytes) const {
    return static_cast<unsigned>((address % data_bytes + bytes + data_bytes - 1) / data_bytes);
  }
};

// The bytes of a burst that one beat moves.
struct Axi4Beat {
  std::uint64_t offset = 0;  // offset in the burst
  unsigned lane = 0;         // lane of the first byte
  unsigned bytes = 0;
};

std::vector<Axi4Burst> cut_bursts(std::uint64_t address, std::uint64_t bytes, unsigned data_bytes);
Axi4Beat beat_of(const Axi4Burst& burst, unsigned beat, unsigned data_bytes);

// Pins of a Verilated model, at most 8 and 32 bits wide; data pins are of any width.
struct Axi4Pins {
  unsigned data_bytes = 0;
  std::uint8_t *awvalid, *awready, *awid, *awlen, *awsize, *awburst;
  std::uint32_t* awaddr;
  std::uint8_t *wvalid, *wready, *wlast;
  void *wdata, *wstrb;
  std::uint8_t *bvalid, *bready, *bid, *bresp;
  std::uint8_t *arvalid, *arready, *arid, *arlen, *arsize, *arburst;
  std::uint32_t* araddr;
  std::uint8_t *rvalid, *rready, *rid, *rresp, *rlast;
  void* rdata;
};

template <class Model>
Axi4Pins axi4_pins_of(Model& m, unsigned data_bytes) {
  return {data_bytes, &m.awvalid, &m.awready, &m.awid,  &m.awlen, &m.awsize, &m.awburst, &m.awaddr,
          &m.wvalid,  &m.wready,  &m.wlast,   &m.wdata, &m.wstrb, &m.bvalid, &m.bready,  &m.bid,
          &m.bresp,   &m.arvalid, &m.arready, &m.arid,  &m.arlen, &m.arsize, &m.arburst, &m.araddr,
          &m.rvalid,  &m.rready,  &m.rid,     &m.rresp, &m.rlast, &m.rdata};
}
// Pins for signals and checks of unknown outputs.
Pins pins_of(const Axi4Pins& axi);

// Cycles in which no response is taken.
struct ResponseGaps {
  std::uint32_t percent = 0;
  std::uint32_t seed = 1;
};

class Axi4Manager {
 public:
  static constexpr unsigned ids = 16;

  class Listener {
   public:
    // Bytes of a read, in order, each once; `address` of the first.
    virtual void read_beat(unsigned id, std::uint64_t address, const unsigned char* bytes,
                           unsigned count) = 0;
    // Called when all bursts have been answered.
    virtual void access_ended(unsigned id) = 0;
    // Reports an error answer to a burst: the pin that signals it, and its value.
    virtual void refused(unsigned id, std::uint64_t address, const char* pin, unsigned value) = 0;

   protected:
    ~Listener() = default;
  };

  Axi4Manager(const Axi4Pins& pins, Listener& listener, ResponseGaps gaps = {})
      : pins_(pins), listener_(listener), gap_percent_(gaps.percent), random_(gaps.seed) {}

  // An id has one access at a time. `data` stays until its end.
  void write(unsigned id, std::uint64_t address, const unsigned char* data, std::uint64_t bytes);
  void read(unsigned id, std::uint64_t address, std::uint64_t bytes);

  // Calls of an edge, see BlockUser.
  bool sample();
  void drive();
  const char* awaited() const;

  const std::uint64_t& write_bursts() const { return write_bursts_; }
  const std::uint64_t& read_bursts() const { return read_bursts_; }

 private:
  struct Burst {
    unsigned id = 0;
    Axi4Burst range;
    const unsigned char* data = nullptr;  // data of a write
    unsigned beat = 0;                    // the next one
  };

  void sample_write();
  void sample_read();
  void burst_ended(unsigned id);
  void drive_address(const std::deque<Burst>& bursts, std::size_t in_flight, std::uint8_t* valid,
                     std::uint8_t* id, std::uint32_t* address, std::uint8_t* length,
                     std::uint8_t* size, std::uint8_t* burst) const;
  void drive_data();
  std::uint8_t ready();

  Axi4Pins pins_;
  Listener& listener_;
  std::uint32_t gap_percent_;
  std::mt19937 random_;
  std::deque<Burst> writes_, reads_;              // bursts whose address has not been accepted
  std::deque<Burst> data_;                        // write bursts after their address phase
  std::array<std::deque<Burst>, ids> answers_;    // expected answers, in their order
  std::array<std::uint64_t, ids> bursts_left_{};  // bursts left of the access of an id
  std::size_t writes_in_flight_ = 0, reads_in_flight_ = 0;
  std::uint64_t write_bursts_ = 0, read_bursts_ = 0;
};

}  // namespace kernbench
