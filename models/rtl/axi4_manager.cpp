#include "models/rtl/axi4_manager.h"

#include <algorithm>
#include <cstring>

namespace kernbench {

std::vector<Axi4Burst> cut_bursts(std::uint64_t address, std::uint64_t bytes, unsigned data_bytes) {
  constexpr std::uint64_t boundary = 4096, most_beats = 256;
  std::vector<Axi4Burst> bursts;
  for (const std::uint64_t end = address + bytes; address < end;) {
    const std::uint64_t by_boundary = (address / boundary + 1) * boundary;
    const std::uint64_t by_beats = (address / data_bytes + most_beats) * data_bytes;
    const std::uint64_t until = std::min({end, by_boundary, by_beats});
    bursts.push_back({address, until - address});
    address = until;
  }
  return bursts;
}

Axi4Beat beat_of(const Axi4Burst& burst, unsigned beat, unsigned data_bytes) {
  const std::uint64_t word = (burst.address / data_bytes + beat) * data_bytes;
  const std::uint64_t begin = std::max(burst.address, word);
  const std::uint64_t end = std::min(burst.address + burst.bytes, word + data_bytes);
  return {begin - burst.address, static_cast<unsigned>(begin - word),
          static_cast<unsigned>(end - begin)};
}

namespace {

// Limit of the protocol rules per direction and id (sv/kernbench_axi4_checker.sv).
constexpr std::size_t most_bursts = 255;
constexpr std::uint8_t incr = 1;

bool handshake(const std::uint8_t* valid, const std::uint8_t* ready) {
  return *valid != 0 && *ready != 0;
}

std::uint8_t log2_of(unsigned bytes) {
  std::uint8_t result = 0;
  while (1U << result < bytes) ++result;
  return result;
}

}  // namespace

Pins pins_of(const Axi4Pins& axi) {
  using Kind = Pin::Kind;
  constexpr SignalType count = SignalType::count, address = SignalType::address;
  const unsigned data = axi.data_bytes * 8;
  return {{"awvalid", "write address valid: a write burst is offered", 1, Kind::input, axi.awvalid},
          {"awready", "write address ready", 1, Kind::control, axi.awready},
          {"awid", "id of the write burst", 4, Kind::input, axi.awid},
          {"awaddr", "address of the first byte", 32, Kind::input, axi.awaddr, 0, address},
          {"awlen", "number of beats - 1", 8, Kind::input, axi.awlen},
          {"awsize", "log2 of the bytes of a beat", 3, Kind::input, axi.awsize},
          {"awburst", "burst type: 1, INCR", 2, Kind::input, axi.awburst},
          {"wvalid", "write data valid: a beat is offered", 1, Kind::input, axi.wvalid},
          {"wready", "write data ready", 1, Kind::control, axi.wready},
          {"wdata", "bytes of the beat", data, Kind::input, axi.wdata},
          {"wstrb", "byte strobes: bytes that are written", axi.data_bytes, Kind::input, axi.wstrb},
          {"wlast", "last beat of the burst", 1, Kind::input, axi.wlast},
          {"bvalid", "write response valid", 1, Kind::control, axi.bvalid},
          {"bready", "write response ready", 1, Kind::input, axi.bready},
          {"bid", "id of the write burst", 4, Kind::data, axi.bid, 0, count, axi.bvalid},
          {"bresp", "0: done, 2: error", 2, Kind::data, axi.bresp, 0, count, axi.bvalid},
          {"arvalid", "read address valid: a read burst is offered", 1, Kind::input, axi.arvalid},
          {"arready", "read address ready", 1, Kind::control, axi.arready},
          {"arid", "id of the read burst", 4, Kind::input, axi.arid},
          {"araddr", "address of the first byte", 32, Kind::input, axi.araddr, 0, address},
          {"arlen", "number of beats - 1", 8, Kind::input, axi.arlen},
          {"arsize", "log2 of the bytes of a beat", 3, Kind::input, axi.arsize},
          {"arburst", "burst type: 1, INCR", 2, Kind::input, axi.arburst},
          {"rvalid", "read data valid", 1, Kind::control, axi.rvalid},
          {"rready", "read data ready", 1, Kind::input, axi.rready},
          {"rid", "id of the read burst", 4, Kind::data, axi.rid, 0, count, axi.rvalid},
          {"rdata", "bytes of the beat", data, Kind::data, axi.rdata, 0, count, axi.rvalid},
          {"rresp", "0: done, 2: error", 2, Kind::data, axi.rresp, 0, count, axi.rvalid},
          {"rlast", "last beat of the burst", 1, Kind::data, axi.rlast, 0, count, axi.rvalid}};
}

void Axi4Manager::write(unsigned id, std::uint64_t address, const unsigned char* data,
                        std::uint64_t bytes) {
  for (const Axi4Burst& burst : cut_bursts(address, bytes, pins_.data_bytes)) {
    writes_.push_back({id, burst, data + (burst.address - address)});
    ++bursts_left_[id];
    ++write_bursts_;
  }
}

void Axi4Manager::read(unsigned id, std::uint64_t address, std::uint64_t bytes) {
  for (const Axi4Burst& burst : cut_bursts(address, bytes, pins_.data_bytes)) {
    reads_.push_back({id, burst});
    ++bursts_left_[id];
    ++read_bursts_;
  }
}

// --- Clock edge

bool Axi4Manager::sample() {
  const bool alive =
      handshake(pins_.awvalid, pins_.awready) || handshake(pins_.wvalid, pins_.wready) ||
      handshake(pins_.bvalid, pins_.bready) || handshake(pins_.arvalid, pins_.arready) ||
      handshake(pins_.rvalid, pins_.rready);
  sample_write();
  sample_read();
  return alive;
}

// An answer without a request breaks a rule, which the edge reports.
void Axi4Manager::sample_write() {
  if (handshake(pins_.bvalid, pins_.bready)) {
    const unsigned id = *pins_.bid;
    if (!answers_[id].empty() && answers_[id].front().data != nullptr) {
      const Axi4Burst burst = answers_[id].front().range;
      answers_[id].pop_front();
      --writes_in_flight_;
      if (*pins_.bresp != 0) listener_.refused(id, burst.address, "bresp", *pins_.bresp);
      burst_ended(id);
    }
  }
  if (handshake(pins_.wvalid, pins_.wready)) {
    Burst& burst = data_.front();
    if (++burst.beat == burst.range.beats(pins_.data_bytes)) data_.pop_front();
  }
  if (handshake(pins_.awvalid, pins_.awready)) {
    data_.push_back(writes_.front());
    answers_[writes_.front().id].push_back(writes_.front());
    writes_.pop_front();
    ++writes_in_flight_;
  }
}

void Axi4Manager::sample_read() {
  if (handshake(pins_.rvalid, pins_.rready)) {
    const unsigned id = *pins_.rid;
    if (!answers_[id].empty() && answers_[id].front().data == nullptr) {
      Burst& burst = answers_[id].front();
      const Axi4Beat beat = beat_of(burst.range, burst.beat, pins_.data_bytes);
      const std::uint64_t address = burst.range.address + beat.offset;
      if (*pins_.rresp != 0) listener_.refused(id, address, "rresp", *pins_.rresp);
      listener_.read_beat(id, address, static_cast<const unsigned char*>(pins_.rdata) + beat.lane,
                          beat.bytes);
      if (++burst.beat == burst.range.beats(pins_.data_bytes)) {
        answers_[id].pop_front();
        --reads_in_flight_;
        burst_ended(id);
      }
    }
  }
  if (handshake(pins_.arvalid, pins_.arready)) {
    answers_[reads_.front().id].push_back(reads_.front());
    reads_.pop_front();
    ++reads_in_flight_;
  }
}

void Axi4Manager::burst_ended(unsigned id) {
  if (--bursts_left_[id] == 0) listener_.access_ended(id);
}

// --- After the edge

void Axi4Manager::drive() {
  drive_address(writes_, writes_in_flight_, pins_.awvalid, pins_.awid, pins_.awaddr, pins_.awlen,
                pins_.awsize, pins_.awburst);
  drive_data();
  drive_address(reads_, reads_in_flight_, pins_.arvalid, pins_.arid, pins_.araddr, pins_.arlen,
                pins_.arsize, pins_.arburst);
  *pins_.bready = ready();
  *pins_.rready = ready();
}

std::uint8_t Axi4Manager::ready() {
  return gap_percent_ > 0 && random_() % 100 < gap_percent_ ? 0 : 1;
}

void Axi4Manager::drive_address(const std::deque<Burst>& bursts, std::size_t in_flight,
                                std::uint8_t* valid, std::uint8_t* id, std::uint32_t* address,
                                std::uint8_t* length, std::uint8_t* size,
                                std::uint8_t* burst) const {
  *valid = !bursts.empty() && in_flight < most_bursts ? 1 : 0;
  if (*valid == 0) return;
  const Burst& next = bursts.front();
  *id = static_cast<std::uint8_t>(next.id);
  *address = static_cast<std::uint32_t>(next.range.address);
  *length = static_cast<std::uint8_t>(next.range.beats(pins_.data_bytes) - 1);
  *size = log2_of(pins_.data_bytes);
  *burst = incr;
}

void Axi4Manager::drive_data() {
  *pins_.wvalid = data_.empty() ? 0 : 1;
  if (data_.empty()) return;
  const Burst& burst = data_.front();
  const Axi4Beat beat = beat_of(burst.range, burst.beat, pins_.data_bytes);
  std::memset(pins_.wdata, 0, pins_.data_bytes);
  std::memcpy(static_cast<unsigned char*>(pins_.wdata) + beat.lane, burst.data + beat.offset,
              beat.bytes);
  std::memset(pins_.wstrb, 0, pins_.data_bytes / 8);
  set_bits(pins_.wstrb, beat.lane, beat.bytes, ~std::uint64_t{0});
  *pins_.wlast = burst.beat + 1 == burst.range.beats(pins_.data_bytes) ? 1 : 0;
}

const char* Axi4Manager::awaited() const {
  if (writes_in_flight_ > 0) return data_.empty() ? "bvalid" : "wready";
  if (reads_in_flight_ > 0) return "rvalid";
  if (!writes_.empty()) return "awready";
  return reads_.empty() ? nullptr : "arready";
}

}  // namespace kernbench
