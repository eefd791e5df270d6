// Timing of an HBM pseudo-channel with banks: parameters, published presets and their resolution
// (spec 2.5). Without SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/parameter_set.h"
#include "models/base/units.h"
#include "models/timing/hbm_address_map.h"

namespace kernbench {

enum class HbmRefresh : std::uint8_t { none, all_bank, per_bank };

// Times of one pseudo-channel. Commands are read, write, activate (of a row), precharge and
// refresh; _s: to another bank group, _l: within a bank group.
struct HbmBankTiming {
  Fs burst = 0;                // time on the data bus: burst_length / data_rate_gbps
  Fs cl = 0, cwl = 0;          // read command, write command to its data
  Fs rcd_rd = 0, rcd_wr = 0;   // activate to read, to write
  Fs rp = 0, ras = 0, rc = 0;  // precharge to activate; activate to precharge, to activate
  Fs wr = 0, rtp = 0;          // end of the data of a write, read command to precharge
  Fs ccd_s = 0, ccd_l = 0;     // between reads, between writes
  Fs rrd_s = 0, rrd_l = 0;     // between activates
  Fs faw = 0;                  // activate to the fourth after it
  Fs wtr_s = 0, wtr_l = 0;     // end of the data of a write to a read
  Fs rtw = 0;                  // read to write
  Fs refi = 0, rfc = 0;        // interval and duration of the refresh in use
  Fs activate_bus = 0, precharge_bus = 0;  // time on the row command bus
  Fs column_bus = 0;                       // time of a read or write on the column command bus
  HbmRefresh refresh = HbmRefresh::all_bank;
  bool closed_page = false;
  unsigned bank_bits = 2, group_bits = 2;  // banks of a group, groups

  unsigned banks() const { return 1U << (bank_bits + group_bits); }
  unsigned group_of(unsigned bank) const { return bank >> bank_bits; }
  // Least time from a read command's arrival to the end of its first burst: a row hit, or a burst
  // forwarded from the write queue.
  Fs least_read() const { return cl + burst; }
};

// Queues of a pseudo-channel and their policy.
struct HbmQueuePolicy {
  std::size_t reads = 32, writes = 32;  // places
  std::size_t high = 26, low = 6;       // queued writes that begin, that end a drain
  unsigned max_row_hits = 16;  // row hits in series while an older request of the bank waits
};

struct HbmBankedParameters : ParameterSet {
  using ParameterSet::ParameterSet;
  Param<Fs> overhead{
      *this, Parameter::duration_ns("overhead_ns",
                                    "time for which the first flit of a write holds the inbox; "
                                    "from a command to its queues",
                                    "spec 2.5")
                 .default_val(0)};
  Param<std::uint32_t> num_pcs{
      *this, Parameter::integer("num_pcs", "pseudo-channels of the partition", "", "spec 2.5")
                 .default_val(8)
                 .range(1, 256)
                 .power_of_two()};
  Param<std::uint32_t> burst_bytes{
      *this, Parameter::integer("burst_bytes",
                                "bytes of a burst: width of a pseudo-channel times burst length",
                                "B", "JESD235D, JESD238")
                 .default_val(32)
                 .range(8, 1024)
                 .power_of_two()};
  Param<std::uint32_t> row_bytes{
      *this,
      Parameter::integer("row_bytes", "row of a bank of a pseudo-channel", "B", "JESD235D, JESD238")
          .default_val(1024)
          .range(8, 65536)
          .power_of_two()};
  Param<std::uint32_t> bank_groups{
      *this,
      Parameter::integer("bank_groups", "bank groups of a pseudo-channel", "", "JESD235D, JESD238")
          .default_val(4)
          .range(1, 16)
          .power_of_two()};
  Param<std::uint32_t> banks_per_group{
      *this, Parameter::integer("banks_per_group", "banks of a bank group", "", "JESD235D, JESD238")
                 .default_val(4)
                 .range(1, 16)
                 .power_of_two()};
  Param<std::uint32_t> pcs_per_bus{
      *this,
      Parameter::integer("pcs_per_bus",
                         "pseudo-channels that share a row and a column command bus; 0: commands "
                         "need no bus",
                         "", "JESD235D, JESD238: a channel has two")
          .default_val(2)
          .range(0, 2)};
  Param<std::string> mapping{
      *this, Parameter::text("mapping",
                             "bits of a burst's number from the most significant: R row, B bank, "
                             "G bank group, C column, P pseudo-channel, with a number of bits",
                             "spec 2.5")
                 .default_val("RBCGP")};
  Param<std::string> page{
      *this, Parameter::choice("page", "a row stays open, or is closed by its last queued access",
                               {"open", "closed"}, "spec 2.5")
                 .default_val("open")};
  Param<std::string> refresh{
      *this, Parameter::choice("refresh", "refresh of all banks together, or bank by bank",
                               {"none", "all_bank", "per_bank"}, "spec 2.5")
                 .default_val("all_bank")};
  Param<std::string> preset{
      *this, Parameter::choice("preset", "published times that the attributes below override",
                               {"HBM2", "HBM2E", "HBM3"}, "models/timing/hbm_bank_timing.cpp")
                 .default_val("HBM2")};
  Param<Rational> data_rate{
      *this, Parameter::decimal("data_rate_gbps", "rate of a pin; 0: that of the preset", "Gb/s",
                                "JESD235D, JESD238")
                 .default_val(0)
                 .range("0", "1000")};
  Param<std::uint32_t> burst_length{
      *this,
      Parameter::integer("burst_length", "transfers of a pin in a burst; 0: that of the preset", "",
                         "JESD235D, JESD238")
          .default_val(0)
          .range(0, 64)};
  Param<Fs> cl{*this, time("t_cl_ns", "read to its data")};
  Param<Fs> cwl{*this, time("t_cwl_ns", "write to its data")};
  Param<Fs> rcd_rd{*this, time("t_rcd_rd_ns", "activate to read")};
  Param<Fs> rcd_wr{*this, time("t_rcd_wr_ns", "activate to write")};
  Param<Fs> rp{*this, time("t_rp_ns", "precharge to activate")};
  Param<Fs> ras{*this, time("t_ras_ns", "activate to precharge")};
  Param<Fs> rc{*this, time("t_rc_ns", "activate to activate of a bank")};
  Param<Fs> wr{*this, time("t_wr_ns", "data of a write to precharge")};
  Param<Fs> rtp{*this, time("t_rtp_ns", "read to precharge")};
  Param<Fs> ccd_s{*this, time("t_ccd_s_ns", "between reads or writes, other bank group")};
  Param<Fs> ccd_l{*this, time("t_ccd_l_ns", "between reads or writes, same bank group")};
  Param<Fs> rrd_s{*this, time("t_rrd_s_ns", "between activates, other bank group")};
  Param<Fs> rrd_l{*this, time("t_rrd_l_ns", "between activates, same bank group")};
  Param<Fs> faw{*this, time("t_faw_ns", "activate to the fourth after it")};
  Param<Fs> wtr_s{*this, time("t_wtr_s_ns", "data of a write to read, other bank group")};
  Param<Fs> wtr_l{*this, time("t_wtr_l_ns", "data of a write to read, same bank group")};
  Param<Fs> rtw{*this, time("t_rtw_ns", "read to write")};
  Param<Fs> refi{*this, time("t_refi_ns", "interval of refreshes of all banks")};
  Param<Fs> rfc{*this, time("t_rfc_ns", "refresh of all banks")};
  Param<Fs> refi_pb{*this, time("t_refi_pb_ns", "interval of refreshes of one bank")};
  Param<Fs> rfc_pb{*this, time("t_rfc_pb_ns", "refresh of one bank")};
  Param<std::uint32_t> read_queue{
      *this,
      Parameter::integer("read_queue", "reads of a pseudo-channel that the scheduler chooses from",
                         "bursts", "Ramulator 2: request buffer of 32")
          .default_val(32)
          .range(1, 1024)};
  Param<std::uint32_t> write_queue{
      *this, Parameter::integer("write_queue", "writes of a pseudo-channel", "bursts",
                                "Ramulator 2: request buffer of 32")
                 .default_val(32)
                 .range(1, 1024)};
  Param<std::uint32_t> write_high{
      *this, Parameter::integer("write_high", "queued writes that begin a drain", "bursts",
                                "Ramulator 2: 0.8 of the queue")
                 .default_val(26)
                 .range(1, 1024)};
  Param<std::uint32_t> write_low{
      *this, Parameter::integer("write_low", "queued writes that end a drain", "bursts",
                                "Ramulator 2: 0.2 of the queue")
                 .default_val(6)
                 .range(0, 1023)};
  Param<std::uint32_t> max_row_hits{
      *this,
      Parameter::integer("max_row_hits", "row hits in series over an older request of the bank", "",
                         "FR-FCFS with cap: Mutlu, Moscibroda, MICRO 2007")
          .default_val(16)
          .range(0, 65536)};
  Param<std::int64_t> cube_gb{
      *this, Parameter::integer("hbm_gb_per_cube", "HBM of the cube", "GiB", "spec 1.2")
                 .default_val(48)
                 .range(1, 1048576)
                 .from_machine()};
  Param<std::int64_t> partitions{
      *this, Parameter::integer("hbm_partitions", "partitions of the cube", "", "spec 1.2")
                 .default_val(8)
                 .range(1, 65536)
                 .from_machine()};

  HbmFieldBits field_bits() const;
  HbmQueuePolicy queue_policy() const;

 private:
  static Parameter time(const char* name, const char* description) {
    return Parameter::duration_ns(name, std::string(description) + "; 0: that of the preset",
                                  "JESD235D, JESD238")
        .default_val(0);
  }
};

// Times of the preset with the attributes that override them.
HbmBankTiming bank_timing(const HbmBankedParameters& parameters);
// The same for these attributes of a component; null if they are not of HbmBankedParameters.
std::optional<HbmBankTiming> bank_timing_of(const Attributes& attributes);
// Combinations that no memory has, or that the mapping does not cover.
std::optional<ParameterFault> check_banked(const HbmBankedParameters& parameters);

}  // namespace kernbench
