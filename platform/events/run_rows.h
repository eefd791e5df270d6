// Rows of a run: totals written at its end, and transfers with their hops. Each type is a table of
// the operation log of the same name (docs/op-log.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "models/base/units.h"
#include "platform/observe/limits.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

// --- Columns

enum class ColumnUse : std::uint8_t {
  event,  // member of the event that a log writes during playback
  time,   // same, a time: not before that of earlier columns with this use
  key,    // same, primary key
  record  // for queries only
};

// Column of a table of the operation log, and the member of the row that it holds.
template <class Row, class Value>
struct LogColumn {
  const char* name;
  Value Row::*member;
  ColumnUse use = ColumnUse::event;
};
template <class Row, class Value>
LogColumn(const char*, Value Row::*, ColumnUse = ColumnUse::event) -> LogColumn<Row, Value>;

// --- Rows

// Place of reported hops: a node or a link.
struct PlaceRow {
  std::uint64_t id = 0;  // in the order of first use, from 1
  std::string name;      // "sip0.cube0.r0c0", "sip0.cube0.r0c0_to_r0c1"
  std::string kind;      // role of the node, kind of the link
  bool is_link = false;

  static constexpr const char* table = "places";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = PlaceRow;
    return std::make_tuple(LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"name", &R::name},
                           LogColumn{"kind", &R::kind}, LogColumn{"is_link", &R::is_link});
  }
};

// Memory transfer that has ended.
struct TransferRow {
  std::uint64_t id = 0;  // in the order of the ends, from 1
  std::string initiator, target, initiator_kind, target_kind;
  std::string op;        // "read", "write"
  std::string distance;  // "local", "same_cube", ... (transfer_path.h)
  std::uint64_t bytes = 0;
  Fs issued = 0, end = 0;

  static constexpr const char* table = "transfers";
  static constexpr std::array indices{"initiator, t_end_fs"};
  static constexpr auto columns() {
    using R = TransferRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(
        LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"initiator", &R::initiator},
        LogColumn{"target", &R::target}, LogColumn{"initiator_kind", &R::initiator_kind},
        LogColumn{"target_kind", &R::target_kind}, LogColumn{"op", &R::op},
        LogColumn{"distance", &R::distance}, LogColumn{"bytes", &R::bytes},
        LogColumn{"t_issue_fs", &R::issued, time}, LogColumn{"t_end_fs", &R::end, time});
  }
};

// Interval of a transfer at a place; intervals of one transfer are contiguous.
struct HopRow {
  std::uint64_t transfer = 0, place = 0;
  std::string part;  // transfer_path.h; "contention": the transfer was stalled
  Fs start = 0, end = 0;

  static constexpr const char* table = "hops";
  static constexpr std::array indices{"transfer"};
  static constexpr auto columns() {
    using R = HopRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(LogColumn{"transfer", &R::transfer}, LogColumn{"place", &R::place},
                           LogColumn{"part", &R::part}, LogColumn{"t_start_fs", &R::start, time},
                           LogColumn{"t_end_fs", &R::end, time});
  }
};

// Activity of the PEs (activity_windows.h); null: none.
struct ActivityRow {
  std::optional<Fs> pe_begin, pe_end, composite_begin, composite_end;
  std::optional<double> mac_utilisation, useful_efficiency;  // shares of 1

  static constexpr const char* table = "activity";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = ActivityRow;
    return std::make_tuple(LogColumn{"t_pe_begin_fs", &R::pe_begin, ColumnUse::time},
                           LogColumn{"t_pe_end_fs", &R::pe_end, ColumnUse::time},
                           LogColumn{"t_composite_begin_fs", &R::composite_begin},
                           LogColumn{"t_composite_end_fs", &R::composite_end},
                           LogColumn{"mac_utilisation", &R::mac_utilisation},
                           LogColumn{"useful_efficiency", &R::useful_efficiency});
  }
};

// Statistic over all components of a kind, at the end of the run.
struct StatisticRow {
  std::string kind;       // "pe_dma"
  std::string statistic;  // "dma_read_busy_ns": as in --stats
  std::string unit;       // "fs", "B", "ppm" (of a share), "": unit of the value
  std::uint64_t components = 0, active = 0;
  std::uint64_t places = 0;  // for a busy time: places of the servers of active components
  std::uint64_t value = 0;

  static constexpr const char* table = "statistics";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = StatisticRow;
    return std::make_tuple(LogColumn{"kind", &R::kind}, LogColumn{"statistic", &R::statistic},
                           LogColumn{"unit", &R::unit}, LogColumn{"components", &R::components},
                           LogColumn{"active", &R::active}, LogColumn{"places", &R::places},
                           LogColumn{"value", &R::value});
  }
};

// Links of one kind.
struct LinkKindRow {
  std::string kind;
  std::uint64_t links = 0, used = 0, bytes = 0;
  double busiest = 0;  // utilisation, a share of 1
  std::string busiest_link;

  static constexpr const char* table = "link_kinds";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = LinkKindRow;
    return std::make_tuple(LogColumn{"kind", &R::kind}, LogColumn{"links", &R::links},
                           LogColumn{"used", &R::used}, LogColumn{"bytes", &R::bytes},
                           LogColumn{"busiest_utilisation", &R::busiest},
                           LogColumn{"busiest_link", &R::busiest_link});
  }
};

// Server of the machine (resources.h) that was used.
struct ServerRow {
  std::uint64_t id = 0;
  std::string name, part;  // "sip0.cube0.pe0.pe_dma", "read_channel"; part of a link: ""
  std::string src, dst;    // nodes of a link
  std::string resource, kind;
  std::uint64_t places = 1;

  static constexpr const char* table = "servers";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = ServerRow;
    return std::make_tuple(LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"name", &R::name},
                           LogColumn{"part", &R::part}, LogColumn{"src", &R::src},
                           LogColumn{"dst", &R::dst}, LogColumn{"resource", &R::resource},
                           LogColumn{"kind", &R::kind}, LogColumn{"places", &R::places});
  }
};

// Window of the run: "pe" (while kernels ran), "host" (while the host moved data), "region LABEL",
// "kernel NAME", "launch N", "time N" (of equal length).
struct WindowRow {
  std::uint64_t id = 0;
  std::string name;
  Fs begin = 0, end = 0;  // begin of the first part, end of the last part
  Fs length = 0;          // sum over all parts

  static constexpr const char* table = "windows";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = WindowRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(LogColumn{"id", &R::id, ColumnUse::key}, LogColumn{"name", &R::name},
                           LogColumn{"t_begin_fs", &R::begin, time},
                           LogColumn{"t_end_fs", &R::end, time},
                           LogColumn{"length_fs", &R::length});
  }
};

// Use of a server in a window; written after both of them.
struct ServerUseRow : ServerUse {
  std::uint64_t window = 0, server = 0;

  static constexpr const char* table = "server_use";
  static constexpr std::array indices{"window", "server"};
  static constexpr auto columns() {
    using R = ServerUseRow;
    return std::make_tuple(LogColumn{"window", &R::window}, LogColumn{"server", &R::server},
                           LogColumn{"busy_fs", &R::busy}, LogColumn{"stalled_fs", &R::stalled},
                           LogColumn{"bytes", &R::bytes});
  }
};

// Resource in a window, `pe` or `kernel NAME`, by gain.
struct LimitRow : ResourceLimit {
  std::string window;
  Fs length = 0;             // length of the window
  bool is_estimated = true;  // false: only busy times are known

  static constexpr const char* table = "limits";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = LimitRow;
    return std::make_tuple(
        LogColumn{"window", &R::window}, LogColumn{"length_fs", &R::length},
        LogColumn{"is_estimated", &R::is_estimated}, LogColumn{"resource", &R::resource},
        LogColumn{"key", &R::key}, LogColumn{"kind", &R::kind}, LogColumn{"busiest", &R::busiest},
        LogColumn{"busy_fs", &R::busy}, LogColumn{"stalled_fs", &R::stalled},
        LogColumn{"twice_fs", &R::twice}, LogColumn{"at_least_fs", &R::at_least});
  }
};

// Work of an ended launch on one SIP (launch_work.h), for the table by operator (docs/models.md).
struct LaunchWorkRow {
  std::string request;  // launch message, as in `runs`
  std::string name;     // meta `op`, else meta `communication`, else the name of the launch
  bool is_communication = false;  // has meta `communication`: a collective or message between ranks
  std::string device;             // "sip0"
  std::uint64_t tokens = 0;       // meta `tokens`, on the first SIP of the launch; 0: none
  Fs begin = 0, end = 0;  // first start to the last return or end of a transfer of its PEs there
  std::uint64_t macs = 0;
  std::uint64_t hbm_bytes = 0;     // read and written in HBM
  std::uint64_t remote_bytes = 0;  // bytes of transfers with memories of other SIPs
  // Times of this work at the peak rates (roofline.h).
  double compute_ns = 0, tcm_ns = 0, hbm_ns = 0, link_ns = 0;
  // Peak rates of the whole SIP; 0: unknown.
  double peak_macs_per_ns = 0, peak_hbm_gbs = 0;

  static constexpr const char* table = "launch_work";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = LaunchWorkRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(
        LogColumn{"request", &R::request}, LogColumn{"name", &R::name},
        LogColumn{"is_communication", &R::is_communication}, LogColumn{"device", &R::device},
        LogColumn{"tokens", &R::tokens}, LogColumn{"t_begin_fs", &R::begin, time},
        LogColumn{"t_end_fs", &R::end, time}, LogColumn{"macs", &R::macs},
        LogColumn{"hbm_bytes", &R::hbm_bytes}, LogColumn{"remote_bytes", &R::remote_bytes},
        LogColumn{"compute_ns", &R::compute_ns}, LogColumn{"tcm_ns", &R::tcm_ns},
        LogColumn{"hbm_ns", &R::hbm_ns}, LogColumn{"link_ns", &R::link_ns},
        LogColumn{"peak_macs_per_ns", &R::peak_macs_per_ns},
        LogColumn{"peak_hbm_gbs", &R::peak_hbm_gbs});
  }
};

// Energy of a part of the run (spec 11.8).
struct EnergyRow {
  // "run", "action", "place", "kernel", "launch"; "unknown": an action without an entry.
  std::string part;
  std::string name;  // path of the energy table; kind; place; kernel; "launch 3"
  std::string item;  // name of an action, level of a place, kernel of a launch
  // Actions, or components of static power; of the run bytes moved; of kernels launches.
  double count = 0;
  double pj = 0;           // energy of one action
  std::uint64_t macs = 0;  // multiply-accumulates
  Fs length = 0;           // length of the run, or of all launches
  double dynamic_pj = 0, static_pj = 0;

  static constexpr const char* table = "energy";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = EnergyRow;
    return std::make_tuple(
        LogColumn{"part", &R::part}, LogColumn{"name", &R::name}, LogColumn{"item", &R::item},
        LogColumn{"count", &R::count}, LogColumn{"pj", &R::pj}, LogColumn{"macs", &R::macs},
        LogColumn{"length_fs", &R::length}, LogColumn{"dynamic_pj", &R::dynamic_pj},
        LogColumn{"static_pj", &R::static_pj});
  }
};

// Mean power in a window of time, of equal lengths but the last.
struct PowerRow {
  std::string part;  // "place": a SIP, "system"; "kind": all components or links of a kind
  std::string name;
  Fs begin = 0, end = 0;
  double w = 0;

  static constexpr const char* table = "power";
  static constexpr std::array<const char*, 0> indices{};
  static constexpr auto columns() {
    using R = PowerRow;
    constexpr ColumnUse time = ColumnUse::time;
    return std::make_tuple(LogColumn{"part", &R::part}, LogColumn{"name", &R::name},
                           LogColumn{"t_begin_fs", &R::begin, time},
                           LogColumn{"t_end_fs", &R::end, time}, LogColumn{"w", &R::w});
  }
};

}  // namespace kernbench
