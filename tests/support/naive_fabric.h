// Spec 2.2 to 2.6 once more, written to be compared with the page and not to be fast: every flit is
// an event of its own at every node, every list is sorted when it is used, every burst is booked by
// itself. The models are compared with it on random machines, and the program on files of requests.
//
// A dma has read and write channels, each held by one request at a time; behind it, without a link
// between, is a tcm.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kernbench::test {

using Time = std::uint64_t;

enum class NaiveKind { end, router, hbm, sram, pcie, pcie_cut_through, dma, tcm };

struct NaiveNode {
  NaiveKind kind = NaiveKind::end;
  Time overhead = 0;
  // Router and pcie_cut_through: latency and occupancy apart, instead of an overhead.
  bool pipelined = false;
  Time latency = 0, occupancy = 0, flit_occupancy = 0;
  enum class Servers { node, direction, port };
  Servers servers = Servers::node;
  // HBM only
  std::uint64_t num_pcs = 1, burst_bytes = 1;
  Time burst_time = 0, switch_penalty = 0;
  // Dma only
  std::size_t read_channels = 1, write_channels = 1;
};

struct NaiveLink {
  int from = 0, to = 0;
  std::uint64_t bytes = 0;  // in `in_fs`; 0 = unlimited
  Time propagation = 1;
  Time in_fs = 1;
};

struct NaiveRequest {
  enum class Kind { write, posted_write, read, control, host_control };
  Kind kind = Kind::write;
  std::vector<int> path;  // nodes are numbered in order of their names
  std::uint64_t offset = 0, bytes = 0;
  Time issued = 0;
};

class NaiveFabric {
 public:
  NaiveFabric(std::vector<NaiveNode> nodes, std::vector<NaiveLink> links, std::uint64_t flit_bytes);

  // Plays the requests, in ascending order of issue; returns the time at which each ended. Ids of
  // `traffic`: (time, row).
  std::vector<Time> play(const std::vector<NaiveRequest>& requests, bool ids_of_traffic = false);
  // Times at which their channels were granted; at a node without channels, of the issue.
  const std::vector<Time>& granted() const { return granted_; }

 private:
  using Id = std::tuple<Time, int, std::uint64_t>;  // issue, initiator, count at the initiator
  using TieKey = std::tuple<Time, int, Id, std::uint64_t>;  // arrival, upstream, id, flit
  struct Message {
    std::size_t request = 0;
    Id id;
    std::vector<int> path;
    std::vector<std::uint64_t> flits;  // bytes of each; empty: control message
    bool response = false, host_control = false;
  };
  struct Item {
    Time arrival = 0;
    int upstream = 0;
    std::size_t message = 0;
    std::uint64_t flit = 0;
    std::size_t position = 0;
  };
  struct HbmChannel {
    Time available = 0;
    char last = ' ';
  };
  struct DmaChannel {
    bool held = false, injected = false;
    std::size_t current = 0;
    Time granted = 0;
  };
  // Of a dma: reads or writes.
  struct DmaDirection {
    std::vector<std::size_t> waiting;  // messages
    std::vector<DmaChannel> channels;
  };
  struct Departure {
    Time time = 0;
    TieKey cause;
    std::size_t message = 0;
    std::uint64_t flit = 0;
    bool commit = false;
  };
  struct State {
    std::vector<Item> inbox, control, whole, ending;  // by how they are served
    bool holding = false;
    Item held;
    Time held_until = 0;
    std::map<std::pair<int, int>, Time> free_at;     // of pipelined servers, by (input, output)
    std::vector<std::pair<Time, Item>> in_pipeline;  // with the time at which each leaves
    std::vector<HbmChannel> channels;
    std::map<std::size_t, Time> latest;  // per outstanding write
    std::vector<Departure> departures;
    DmaDirection reads, writes;
    std::vector<Item> passing;  // from the tcm behind a dma, and to it
    std::vector<DmaChannel*> starting;
  };

  TieKey tie(const Item& item) const;
  void sort(std::vector<Item>& items) const;
  std::vector<std::uint64_t> cut(std::uint64_t offset, std::uint64_t bytes) const;
  bool is_pcie(int node) const;
  void wake(int node, Time at) { agenda_[at].insert(node); }
  void issue(std::size_t request);
  void put_on_link(std::size_t message, std::uint64_t flit, std::size_t position);
  void put_all_on_link(std::size_t message, std::size_t position);
  void arrive(int node, const Item& item);
  std::size_t answer(std::size_t message);
  void end(std::size_t message);
  DmaDirection& direction_of(std::size_t message);
  static std::vector<Item> take_arrived(std::vector<Item>& items, Time by);

  std::vector<Item> through(int node);  // served at now_, in the order in which it goes on
  void pipe(int node, std::vector<Item>& out);
  void step(int node);
  void step_dma(int node);
  void pass(int node);
  void step_hbm(int node);
  Time book(int node, std::uint64_t burst, char direction);

  std::vector<NaiveNode> nodes_;
  std::map<std::pair<int, int>, NaiveLink> links_;
  std::map<std::pair<int, int>, Time> available_;
  std::uint64_t flit_bytes_;
  Time now_ = 0;
  std::map<Time, std::set<int>> agenda_;  // nodes at which something may happen
  std::vector<NaiveRequest> requests_;
  std::vector<Message> messages_;
  std::vector<State> states_;
  std::vector<Time> granted_, ended_;
};

}  // namespace kernbench::test
