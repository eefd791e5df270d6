// Shared scratchpad of a cube with its memory in RTL, behind an AXI4 port (sv/kernbench_sram.sv).
//
// Timing: `overhead_ns` after its arrival (the last flit of a write, the command of a read) an
// access may begin at the block, in order of arrival: at the next rising edge its first burst is
// offered. It ends at the edge that accepts the answer to its last burst; the whole response is
// queued at the link then. Up to `max_in_flight` concurrent accesses; one that overlaps an earlier
// one waits for its end if either writes, and so do all accesses queued after it.
//
// Data: the bytes of a write are sent over the pins if the memory store knows them, else zeros;
// read bytes are compared with them. Bytes that were written to the memory store on another path
// are not compared, but counted. Debug accesses use the memory store.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "models/data/functional_model.h"
#include "models/fabric/memory_service.h"
#include "models/rtl/sram_models.h"

namespace kernbench {

// Expected contents of a memory in RTL: the bytes that have been written to it by its pins.
class WrittenBytes {
 public:
  void set(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count);
  // Marks the bytes as unknown.
  void forget(std::uint64_t offset, std::uint64_t count);
  // Null: not known.
  std::optional<unsigned char> at(std::uint64_t offset) const;

  struct Comparison {
    std::uint64_t equal = 0;                  // known bytes that are equal
    std::optional<std::uint64_t> difference;  // offset of the first one that is not
  };
  // Up to the first difference; bytes that are not known are left out.
  Comparison compare(std::uint64_t offset, const unsigned char* bytes, std::uint64_t count) const;

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  struct Page {
    std::array<unsigned char, page_bytes> bytes;
    std::array<bool, page_bytes> known{};
  };

  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by offset / page_bytes
};

class RtlSram : public FabricNode, private BlockUser, private Axi4Manager::Listener {
 public:
  static constexpr const char* description = "shared scratchpad of a cube in RTL, with AXI4 pins";
  static constexpr std::array roles{Role::sram};
  struct Parameters : MemoryParameters {
    using MemoryParameters::MemoryParameters;
    Param<std::string> data_bits{*this, Parameter::choice("data_bits", "width of the data pins",
                                                          {"64", "128", "256", "512"}, "spec 12")
                                            .default_val("512")};
    Param<unsigned> max_in_flight{
        *this, Parameter::integer("max_in_flight", "concurrent accesses", "", "spec 12")
                   .default_val(16)
                   .range("1", "16")};
    Param<std::uint32_t> response_gaps{
        *this,
        Parameter::integer("response_gaps", "percentage of cycles in which no response is accepted",
                           "", "for tests")
            .default_val(0)
            .range("0", "99")};
    Param<std::uint32_t> gap_seed{
        *this, Parameter::integer("gap_seed", "seed of the cycles with gaps", "", "for tests")
                   .default_val(1)
                   .range("0", "4294967295")};
    BlockParameters block{*this};

    unsigned width() const { return static_cast<unsigned>(std::stoul(*data_bits)); }
  };
  static std::optional<ParameterFault> check(const Parameters& parameters);

  explicit RtlSram(const ComponentInit& init) : RtlSram(init, built_model) {}

 protected:
  // Uses an external memory behind the pins.
  RtlSram(const ComponentInit& init, MakeSramModel make)
      : RtlSram(init, init.attributes.as<Parameters>(), make) {}

 private:
  static constexpr MakeSramModel built_model = nullptr;
  RtlSram(const ComponentInit& init, const Parameters& parameters, MakeSramModel make);

  struct Access {
    Arrival arrival;
    Fs start = 0;
    std::vector<unsigned char> bytes;
    bool in_flight = false, answered = true;

    std::uint64_t begin() const { return arrival.transaction->route().offset; }
    std::uint64_t end() const { return begin() + arrival.transaction->get_data_length(); }
    bool conflicts(const Transaction& other) const;
  };

  Fs next_due() const override;
  void serve() override;
  void refuse(const Arrival& arrival);
  unsigned debug_access(tlm::tlm_generic_payload& payload, std::uint64_t offset) override;
  std::size_t depth(Fs now) const override { return arrivals_.present(now) + waiting_.size(); }
  const Arrival* in_service(Fs now) const override;
  void declare_signals() override;
  void end_of_simulation() override { model_->block().close(); }

  bool sample() override { return axi_.sample(); }
  void drive() override;
  const char* awaited() const override;

  void read_beat(unsigned id, std::uint64_t address, const unsigned char* bytes,
                 unsigned count) override;
  void access_ended(unsigned id) override;
  void refused(unsigned id, std::uint64_t address, const char* pin, unsigned value) override;

  std::optional<unsigned> place_for(const Transaction& next) const;
  void begin(unsigned id, const Arrival& arrival);
  void take_bytes_of_write(Access& access);
  void count_stale(const Access& access);
  void answer(unsigned id);
  [[noreturn]] void wrong_byte(const Access& access, std::uint64_t offset,
                               unsigned char found) const;

  FunctionalModel* data_;
  Fs overhead_;
  std::uint32_t flit_bytes_;
  std::unique_ptr<SramModel> model_;
  Axi4Manager axi_;
  std::deque<Arrival> waiting_;
  std::vector<Access> accesses_;  // by id
  std::vector<unsigned> ended_;   // to be answered
  WrittenBytes written_;
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
  std::uint64_t bytes_checked_ = 0, bytes_stale_ = 0;
};

// "rtl.sram".
Implementation rtl_sram();

}  // namespace kernbench
