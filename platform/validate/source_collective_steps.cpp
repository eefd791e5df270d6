#include "platform/validate/source_collective_steps.h"

#include <fmt/format.h>

namespace kernbench {
namespace {

// Steps in ns, by spec 2 and 8.1 on the shipped machine.
constexpr double dispatch = 1;  // pe_scheduler
constexpr int slot_bytes = 4096;

// Access to a slot; each slot is written and read.
double slot(const std::string& rings, double bytes) {
  if (rings == "hbm") return 6 + bytes / 256 + bytes / 256;
  if (rings == "sram") return 2 + bytes / 512 + bytes / 128;
  return bytes / 512;
}

// Load or store of the PE's own HBM partition: pe_dma 1, first flit 1, router 2 there and back,
// burst 8.
double dma(double bytes) { return dispatch + 14 + bytes / 256; }
double addition(double bytes) { return dispatch + bytes / 256; }  // f16, 128 lanes

// Message to the next cube. Its narrowest links, at 128 GB/s, are at the UCIe ports. PE 0 is at the
// north-western router: towards E and S the first flit traverses five more routers in front of
// them, towards N and W the last flit traverses these behind them. Eastwards: pe_dma 1, the PE's
// link and six routers 18, to the port 4, ports 16, seam 0.5, 15 mm 1.5; the bytes; last flit to
// the PE 3. Westwards: 1, 3, 4, 16, 0.5, 1.5; the bytes; last flit 8. Towards N and S 12 mm.
struct Hop {
  const char* direction;
  double latency;
  double credit;  // control message and 16 B at 128 GB/s
};
constexpr Hop east{"E", 44, 33.625}, south{"S", 43.7, 33.325}, north{"N", 33.7, 33.325},
    west{"W", 34, 33.625};

// Message to the next SIP, its bytes at 128, 64 and 128 GB/s. From the middle cube: first flit to
// io_noc 112.1, last one to pcie_ep 1, which stores the message; end point 5, first flit to the
// switch 9, switch 5, 50 mm 5, stored again; end point 5, first flit to the PE's router 109.1, last
// one to the PE 1. The corner is a cube farther from both end points, 42.7 for a first flit.
double between_sips(const SourceAllReduce& all_reduce) { return all_reduce.corner ? 337.6 : 252.2; }
// Control message and 16 B at 64 GB/s.
double credit_between_sips(const SourceAllReduce& all_reduce) {
  return all_reduce.corner ? 238.85 : 180.45;
}

// The messages of a round arrive at the switch together. Its only server takes 5 ns for the first
// flit of each: the last one of six is queued for 25, in later rounds 4 less each.
constexpr double switch_waits = 25 + 21 + 17;

}  // namespace

double sum_ns(const SourceSteps& steps) {
  double sum = 0;
  for (const SourceStep& step : steps) sum += step.times * step.ns;
  return sum;
}

std::string text_of(const SourceSteps& steps) {
  std::string text;
  for (const SourceStep& step : steps) {
    if (step.times == 0) continue;
    text +=
        fmt::format("{}{}{:.9g} {}", text.empty() ? "" : " + ",
                    step.times == 1 ? "" : fmt::format("{} * ", step.times), step.ns, step.what);
  }
  return text;
}

SourceSteps one_message_steps(const SourceAllReduce& all_reduce) {
  const auto n = static_cast<double>(all_reduce.bytes);
  const int hops = all_reduce.hops(), messages = 4 * hops + all_reduce.exchanges;
  SourceSteps steps{{1, dma(n), "load"}};
  for (const Hop& hop : {east, south, north, west})
    steps.push_back({hops, hop.latency + n / 128, std::string("message ") + hop.direction});
  const SourceSteps others{
      {all_reduce.exchanges, between_sips(all_reduce) + n / 128 + n / 64 + n / 128,
       "message between SIPs"},
      {1, switch_waits, "waits at the switch"},
      {2 * messages, slot(all_reduce.rings, n), "slot"},
      {2 * hops, east.credit, "credit E, W"},
      {2 * hops, south.credit, "credit S, N"},
      {all_reduce.exchanges, credit_between_sips(all_reduce), "credit between SIPs"},
      {2 * hops + all_reduce.exchanges, addition(n), "addition"},
      {1, dma(n), "store of the root, before it sends back"},
      {1, dma(n), "store"}};
  steps.insert(steps.end(), others.begin(), others.end());
  return steps;
}

SourceSteps chunk_steps(const SourceAllReduce& all_reduce) {
  constexpr double chunk = slot_bytes;
  const int chunks = static_cast<int>(all_reduce.bytes / slot_bytes), hops = all_reduce.hops();
  const double access = slot("tcm", chunk), store = dma(chunk), add = addition(chunk);
  const double ew = access + east.credit, sn = access + south.credit;
  const auto message = [&](double latency) { return latency + chunk / 128 + access; };
  const int ew_sides = all_reduce.corner ? 1 : 2, more_sn_sides = all_reduce.corner ? 0 : 1;
  return {
      {1, dma(static_cast<double>(all_reduce.bytes)), "load"},
      {hops, message(east.latency) + ew + add, "first message E, received and added"},
      {hops - 1, message(south.latency) + sn + add, "first message S, received and added"},
      {1, message(south.latency), "first message S to the root"},
      {chunks, sn + add, "message received at the root from the N"},
      {ew_sides * (chunks - 1), ew + add, "from E and W"},
      {more_sn_sides * (chunks - 1), sn + add, "from the S"},
      {all_reduce.exchanges, between_sips(all_reduce) + chunk / 32 + access,
       "first message between SIPs"},
      {1, switch_waits, "waits at the switch"},
      {all_reduce.exchanges * chunks, access + credit_between_sips(all_reduce) + add,
       "message received between SIPs"},
      {chunks, store, "store of the root"},
      {hops, message(north.latency) + sn, "first message N, received"},
      {hops - 2, message(west.latency) + ew, "first message W, received"},
      {1, message(west.latency), "first message W to the last PE but one"},
      // 13 of the 16 flits of the message that the PE forwards are interleaved with those of its
      // store.
      {chunks - 1, ew + store + 13, "received there, passed on and stored"},
      {1, ew + message(west.latency) + ew + store, "last message to the last PE, stored"},
  };
}

// Latencies of its paths (lane_select: first), without propagation: E and W three routers, 2 each,
// and three UCIe ports, 8 each, S and N four of both; from the middle cube to the next SIP 10
// routers, 16 ports, two end points and the switch, 5 each. For a load and a store pe_scheduler 1,
// the router there and back; for an addition pe_scheduler. The root in the middle first consumes
// the message from the farther side: that of the nearer side has arrived meanwhile, but its slot is
// read, its credit delivered and its value added afterwards, once in a row and once in a column.
SourceSteps source_steps(const SourceAllReduce& all_reduce, bool bytes_loaded) {
  const auto n = static_cast<double>(all_reduce.bytes);
  const int hops = all_reduce.hops(), late = all_reduce.corner ? 0 : 1;
  const double ew = 3 * 2 + 3 * 8, sn = 4 * 2 + 4 * 8,
               sip = (all_reduce.corner ? 14 * 2 + 22 * 8 : 10 * 2 + 16 * 8) + 3 * 5;
  return {{1, 5 + (bytes_loaded ? n / 256 : 0), "load"},
          {2 * hops, ew + n / 128, "message E, W"},
          {2 * hops, sn + n / 128, "message S, N"},
          {all_reduce.exchanges, sip + n / 64, "message between SIPs"},
          {2 * (4 * hops + all_reduce.exchanges) + 2 * late, slot(all_reduce.rings, n), "slot"},
          {2 * hops + late, ew + 16 / 128., "credit E, W"},
          {2 * hops + late, sn + 16 / 128., "credit S, N"},
          {all_reduce.exchanges, sip + 16 / 64., "credit between SIPs"},
          {2 * hops + all_reduce.exchanges + 2 * late, dispatch, "addition"},
          {1, 5, "store"}};
}

}  // namespace kernbench
