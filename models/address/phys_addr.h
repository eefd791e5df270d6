// PhysAddr: the 51-bit physical address of spec 3.1 (ADR-0001).
//
//   [50:47] sip | [46:42] die | [41:0] local
//   AHBM die 0..15:         [37] 1 = HBM [36:0]; 0 = resource [36:34]: PE_LOCAL, MCPU_LOCAL,
//       CUBE_SRAM
//   IO chiplet die 16..20:  [39:0], below 2 GiB IOCPU, above UAL
//   external die 21:        [41:0], plain TLM-2.0 targets
//
// A value: it holds the raw bits, and every PhysAddr that exists is architecturally valid.
// AddressMap checks whether the machine has the memory that an address names.
#pragma once

#include <cstdint>
#include <string>

namespace kernbench {

enum class AddressKind : std::uint8_t {
  hbm,
  pe_local,
  mcpu_local,
  cube_sram,
  iocpu,
  ual,
  external
};

// The enumerators are the sub-unit codes of ADR-0001 D2.3.3, D2.3.4 and D2.4.1.
enum class PeUnit : std::uint8_t {
  pe_cpu_dtcm,
  math_engine_dtcm,
  ipcq,
  pe_cpu_sfr,
  math_engine_sfr,
  dma_engine_sfr,
  pe_tcm
};
enum class McpuUnit : std::uint8_t {
  mcpu_itcm,
  mcpu_dtcm,
  ipcq,
  mcpu_sfr,
  mcpu_dma_sfr,
  mcpu_sram
};
enum class IocpuUnit : std::uint8_t {
  iocpu_itcm,
  iocpu_dtcm,
  ipcq,
  iocpu_sfr,
  io_dma_sfr,
  io_sram
};

const char* name_of(AddressKind kind);  // "HBM", "PE_LOCAL", ...
const char* name_of(PeUnit unit);       // "PE_TCM", ...
const char* name_of(McpuUnit unit);
const char* name_of(IocpuUnit unit);
std::uint64_t budget_bytes(PeUnit unit);  // implemented bytes of the sub-unit's slot
std::uint64_t budget_bytes(McpuUnit unit);
std::uint64_t budget_bytes(IocpuUnit unit);

class PhysAddr {
 public:
  static constexpr unsigned bits = 51;
  static constexpr std::uint64_t end = std::uint64_t{1} << bits;
  static constexpr unsigned sips = 16, ahbm_dies = 16, first_io_die = 16, io_dies = 5, pes = 16;
  static constexpr std::uint64_t hbm_window_bytes = std::uint64_t{1} << 37;
  static constexpr std::uint64_t cube_sram_bytes = std::uint64_t{1} << 25;
  static constexpr std::uint64_t ual_begin = std::uint64_t{1}
                                             << 31;  // chiplet offsets from here to 1 TiB are UAL
  static constexpr std::uint64_t chiplet_bytes = std::uint64_t{1} << 40;
  static constexpr unsigned external_die = 21;  // plain TLM-2.0 targets of the SIP
  static constexpr std::uint64_t external_window_bytes = std::uint64_t{1} << 42;
  static constexpr std::uint64_t external_alignment = 4096;  // alignment of their ranges

  PhysAddr() = default;  // address 0: sip 0, die 0, PE 0's PE_CPU_DTCM

  // Throws AddressError naming the field: bits above 50, must-be-zero bits, reserved die, kind or
  // sub-unit, or an access of `size_bytes` that runs past the sub-unit's budget. Looks at no
  // topology.
  static PhysAddr decode(std::uint64_t raw, std::uint64_t size_bytes = 1);

  // One factory per kind; `die` is the die id (a cube, or first_io_die + chiplet). They throw
  // AddressError naming the field.
  static PhysAddr hbm_addr(unsigned sip, unsigned die, std::uint64_t offset);
  static PhysAddr pe_hbm_addr(unsigned sip, unsigned die, unsigned slice,
                              std::uint64_t offset_in_slice, std::uint64_t slice_bytes);
  static PhysAddr pe_resource_addr(unsigned sip, unsigned die, unsigned pe, PeUnit unit,
                                   std::uint64_t offset);
  static PhysAddr pe_tcm_addr(unsigned sip, unsigned die, unsigned pe, std::uint64_t offset);
  static PhysAddr mcpu_resource_addr(unsigned sip, unsigned die, McpuUnit unit,
                                     std::uint64_t offset);
  static PhysAddr cube_sram_addr(unsigned sip, unsigned die, std::uint64_t offset);
  static PhysAddr iocpu_resource_addr(unsigned sip, unsigned die, IocpuUnit unit,
                                      std::uint64_t offset);
  static PhysAddr ual_addr(unsigned sip, unsigned die,
                           std::uint64_t chiplet_offset);  // ual_begin <= chiplet_offset

  static PhysAddr external_addr(unsigned sip, std::uint64_t offset);

  std::uint64_t encode() const { return raw_; }
  unsigned sip() const { return static_cast<unsigned>(raw_ >> 47); }
  unsigned die() const { return static_cast<unsigned>(raw_ >> 42) & 31; }
  bool is_io_die() const { return die() >= first_io_die && die() < first_io_die + io_dies; }
  AddressKind kind() const;
  // Fields of one kind; AddressError for an address of another kind.
  unsigned pe() const;
  PeUnit pe_unit() const;
  McpuUnit mcpu_unit() const;
  IocpuUnit iocpu_unit() const;
  // Byte offset within the HBM window, the sub-unit or the SRAM; for UAL the chiplet offset,
  // for an external target that within the window.
  std::uint64_t offset() const;
  // Bytes from here to the end of the window or budget: an access may be at most this long.
  std::uint64_t bytes_to_end() const;
  // Throws AddressError if `size_bytes` from here run past the budget.
  void check_access(std::uint64_t size_bytes) const;
  // This address plus `bytes`, in the same unit; else AddressError.
  PhysAddr plus(std::uint64_t bytes) const;
  // "0xc4c000040 (sip 0 die 3 PE_LOCAL pe 2 PE_TCM +0x40)"
  std::string str() const;

  friend bool operator==(PhysAddr a, PhysAddr b) { return a.raw_ == b.raw_; }
  friend bool operator!=(PhysAddr a, PhysAddr b) { return a.raw_ != b.raw_; }
  friend bool operator<(PhysAddr a, PhysAddr b) { return a.raw_ < b.raw_; }

 private:
  explicit PhysAddr(std::uint64_t raw) : raw_(raw) {}
  std::uint64_t raw_ = 0;
};

}  // namespace kernbench
