#include "models/timing/hbm_bank_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace kernbench {
namespace {

// Published times, in ns (spec 2.5).
//
// HBM2: Ramulator 2.1, python/ramulator/dram/hbm2.py, HBM2_2000Mbps (tCK 1 ns), HBM2_2Gb.
// HBM2E: no table of its own: the times of HBM2 at 3.2 Gb/s (JESD235D covers both), tRFC of 8 Gb.
// HBM3: Ramulator 2.1, python/ramulator/dram/hbm3.py, HBM3_6400Mbps (tCK 0.625 ns), HBM3_16Gb_8hi;
// its time between the stacks of a channel (nCCDR) is left out.
// HBM3E has no standard and no table of its own: HBM3 with data_rate_gbps.
// tCCD_S 2 tCK and tCCD_L 4 tCK of these tables are one burst and two bursts at any data rate, and
// tRTW of HBM2, tCL + burst + 2 tCK - tCWL, is tCL + 2 bursts - tCWL (rtw "0"). tREFIpb = tREFI /
// banks: each bank once in tREFI (DRAMSys, configs/memspec/HBM2.json: REFI 3900, REFISB 244 for 16
// banks). `activate` and `precharge` are clocks on the row command bus
// (command_cycles of the same files), a read or write takes one on the column command bus.
struct Preset {
  const char* name;
  const char* data_rate_gbps;
  std::uint32_t burst_length;
  const char *cl, *cwl, *rcd_rd, *rcd_wr, *rp, *ras, *rc, *wr, *rtp;
  const char *rrd_s, *rrd_l, *faw, *wtr_s, *wtr_l, *rtw;
  const char *refi, *rfc, *rfc_pb;
  std::int64_t transfers_per_clock;
  const char *activate, *precharge;
};
constexpr std::array<Preset, 3> presets{{
    {"HBM2", "2", 4,    "14", "5", "14", "12",   "14",  "34",  "48", "16", "5",
     "4",    "4", "15", "6",  "8", "0",  "3900", "160", "160", 2,    "2",  "1"},
    {"HBM2E", "3.2", 4,    "14", "5", "14", "12",   "14",  "34",  "48", "16", "5",
     "4",     "4",   "15", "6",  "8", "0",  "3900", "350", "160", 2,    "2",  "1"},
    {"HBM3",   "6.4",  8,        "12.5",  "6.25", "19.375", "9.375", "16.25",
     "28.125", "45",   "20.625", "5.625", "2.5",  "3.125",  "15",    "4.375",
     "6.25",   "12.5", "3900",   "350",   "200",  4,        "1.5",   "0.5"},
}};

const Preset& preset_of(const HbmBankedParameters& p) {
  return *std::find_if(presets.begin(), presets.end(),
                       [&](const Preset& preset) { return *p.preset == preset.name; });
}

Fs value(const Param<Fs>& own, const char* of_preset) {
  return *own != 0 ? *own : ns_to_fs(Rational::parse(of_preset));
}
Fs value(const Param<Fs>& own, Fs derived) { return *own != 0 ? *own : derived; }

unsigned log2_of(std::uint64_t power) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < power) ++bits;
  return bits;
}

std::string ns(Fs time) { return format_ns(time); }

}  // namespace

HbmFieldBits HbmBankedParameters::field_bits() const {
  HbmFieldBits bits;
  bits.bank = log2_of(*banks_per_group);
  bits.group = log2_of(*bank_groups);
  bits.column = log2_of(std::max(*row_bytes, *burst_bytes) / *burst_bytes);
  bits.channel = log2_of(*num_pcs);
  const std::uint64_t partition =
      (static_cast<std::uint64_t>(*cube_gb) << 30) / static_cast<std::uint64_t>(*partitions);
  const unsigned others = bits.bank + bits.group + bits.column + bits.channel;
  const unsigned all = log2_of((partition + *burst_bytes - 1) / *burst_bytes);
  bits.row = all > others ? all - others : 0;
  return bits;
}

HbmQueuePolicy HbmBankedParameters::queue_policy() const {
  return {*read_queue, *write_queue, *write_high, *write_low, *max_row_hits};
}

HbmBankTiming bank_timing(const HbmBankedParameters& p) {
  const Preset& preset = preset_of(p);
  const HbmFieldBits bits = p.field_bits();
  const Rational rate =
      p.data_rate->is_zero() ? Rational::parse(preset.data_rate_gbps) : *p.data_rate;
  const std::uint32_t length = *p.burst_length == 0 ? preset.burst_length : *p.burst_length;
  HbmBankTiming t;
  t.bank_bits = bits.bank;
  t.group_bits = bits.group;
  t.burst = ns_to_fs(Rational(static_cast<std::int64_t>(length)) / rate);
  t.cl = value(p.cl, preset.cl);
  t.cwl = value(p.cwl, preset.cwl);
  t.rcd_rd = value(p.rcd_rd, preset.rcd_rd);
  t.rcd_wr = value(p.rcd_wr, preset.rcd_wr);
  t.rp = value(p.rp, preset.rp);
  t.ras = value(p.ras, preset.ras);
  t.rc = value(p.rc, preset.rc);
  t.wr = value(p.wr, preset.wr);
  t.rtp = value(p.rtp, preset.rtp);
  t.ccd_s = value(p.ccd_s, t.burst);
  t.ccd_l = value(p.ccd_l, std::max(t.ccd_s, 2 * t.burst));
  t.rrd_s = value(p.rrd_s, preset.rrd_s);
  t.rrd_l = value(p.rrd_l, preset.rrd_l);
  t.faw = value(p.faw, preset.faw);
  t.wtr_s = value(p.wtr_s, preset.wtr_s);
  t.wtr_l = value(p.wtr_l, preset.wtr_l);
  t.rtw = value(p.rtw, preset.rtw);
  const Fs data_of_read = t.cl + 2 * t.burst;
  if (t.rtw == 0 && data_of_read > t.cwl) t.rtw = data_of_read - t.cwl;
  t.refresh = *p.refresh == "none"       ? HbmRefresh::none
              : *p.refresh == "per_bank" ? HbmRefresh::per_bank
                                         : HbmRefresh::all_bank;
  const Fs refi = value(p.refi, preset.refi);
  const bool per_bank = t.refresh == HbmRefresh::per_bank;
  t.refi = per_bank ? value(p.refi_pb, refi / t.banks()) : refi;
  t.rfc = per_bank ? value(p.rfc_pb, preset.rfc_pb) : value(p.rfc, preset.rfc);
  t.closed_page = *p.page == "closed";
  if (*p.pcs_per_bus != 0) {
    const Rational clock = Rational(preset.transfers_per_clock) / rate;
    t.activate_bus = ns_to_fs(Rational::parse(preset.activate) * clock);
    t.precharge_bus = ns_to_fs(Rational::parse(preset.precharge) * clock);
    t.column_bus = ns_to_fs(clock);
  }
  return t;
}

std::optional<HbmBankTiming> bank_timing_of(const Attributes& attributes) {
  for (const char* name : {"preset", "mapping", "t_rfc_pb_ns", "max_row_hits"}) {
    if (!attributes.has(name)) return std::nullopt;
  }
  return bank_timing(HbmBankedParameters(attributes));
}

namespace {

struct Bound {
  const char* parameter;
  Fs found, least;
  const char* why;
};

std::optional<ParameterFault> first_below(std::initializer_list<Bound> bounds) {
  for (const Bound& bound : bounds) {
    if (bound.found >= bound.least) continue;
    return ParameterFault{bound.parameter,
                          fmt::format("found {}, allowed is at least {} ({})", ns(bound.found),
                                      ns(bound.least), bound.why)};
  }
  return std::nullopt;
}

// Between two refreshes of a bank a row is opened, written and closed: else no burst is served.
std::optional<ParameterFault> check_refresh(const HbmBankTiming& t) {
  const Fs cycle = t.rc + std::max(t.rcd_rd, t.rcd_wr) + t.cwl + t.burst + t.wr;
  const char* const all =
      "t_rfc_ns, and a write between two refreshes of a bank: t_rc_ns, the larger of t_rcd_rd_ns "
      "and t_rcd_wr_ns, t_cwl_ns, a burst, t_wr_ns";
  const char* const one =
      "t_rfc_pb_ns, and a write between two refreshes of a bank: t_rc_ns, the larger of "
      "t_rcd_rd_ns and t_rcd_wr_ns, t_cwl_ns, a burst, t_wr_ns";
  switch (t.refresh) {
    case HbmRefresh::none:
      return std::nullopt;
    case HbmRefresh::all_bank:
      return first_below({{"t_refi_ns", t.refi, t.rfc + cycle, all}});
    case HbmRefresh::per_bank:
      return first_below(
          {{"t_refi_pb_ns", t.refi, std::max(t.rfc, (t.rfc + cycle) / t.banks()), one}});
  }
  return std::nullopt;
}

std::optional<ParameterFault> check_times(const HbmBankTiming& t) {
  return first_below({
      {"t_ccd_s_ns", t.ccd_s, t.burst, "the time of a burst"},
      {"t_ccd_l_ns", t.ccd_l, t.ccd_s, "t_ccd_s_ns"},
      {"t_rrd_l_ns", t.rrd_l, t.rrd_s, "t_rrd_s_ns"},
      {"t_wtr_l_ns", t.wtr_l, t.wtr_s, "t_wtr_s_ns"},
      {"t_faw_ns", t.faw, 3 * t.rrd_s, "3 t_rrd_s_ns: four activates are no closer than that"},
      {"t_ras_ns", t.ras, t.rcd_rd + t.burst, "t_rcd_rd_ns and a burst"},
      {"t_rc_ns", t.rc, t.ras + t.rp, "t_ras_ns + t_rp_ns"},
      {"t_rtw_ns", t.rtw, t.cl + t.burst > t.cwl ? t.cl + t.burst - t.cwl : 0,
       "t_cl_ns and a burst less t_cwl_ns: the data of the write follow those of the read"},
  });
}

std::optional<ParameterFault> check_queues(const HbmQueuePolicy& policy) {
  if (policy.high > policy.writes)
    return ParameterFault{"write_high", fmt::format("found {}, allowed is at most write_queue = {}",
                                                    policy.high, policy.writes)};
  if (policy.low >= policy.high)
    return ParameterFault{"write_low", fmt::format("found {}, allowed is below write_high = {}",
                                                   policy.low, policy.high)};
  return std::nullopt;
}

}  // namespace

std::optional<ParameterFault> check_banked(const HbmBankedParameters& p) {
  if (*p.row_bytes < *p.burst_bytes)
    return ParameterFault{"row_bytes", fmt::format("found {}, allowed is at least burst_bytes = {}",
                                                   *p.row_bytes, *p.burst_bytes)};
  if (*p.bank_groups * *p.banks_per_group > 64)
    return ParameterFault{"banks_per_group",
                          fmt::format("found {}, allowed are at most 64 banks in {} bank groups",
                                      *p.banks_per_group, *p.bank_groups)};
  const HbmFieldBits bits = p.field_bits();
  if (bits.row > 32)
    return ParameterFault{"row_bytes", fmt::format("found {}, allowed are at most 2^32 rows of a "
                                                   "bank; these are 2^{}",
                                                   *p.row_bytes, bits.row)};
  if (const auto fault = HbmAddressMap::fault(*p.mapping, bits))
    return ParameterFault{"mapping", fmt::format("found '{}' for a partition of {} GiB / {}: {}",
                                                 *p.mapping, *p.cube_gb, *p.partitions, *fault)};
  if (!p.data_rate->is_zero() && *p.data_rate < Rational::fraction(1, 1000))
    return ParameterFault{
        "data_rate_gbps",
        fmt::format("found {}, allowed is 0 (that of the preset) or 0.001 to 1000",
                    p.data_rate->str())};
  const HbmBankTiming timing = bank_timing(p);
  auto fault = check_times(timing);
  if (!fault) fault = check_refresh(timing);
  if (fault) {
    fault->message += "; times that are not given are those of preset " + *p.preset;
    return fault;
  }
  return check_queues(p.queue_policy());
}

}  // namespace kernbench
