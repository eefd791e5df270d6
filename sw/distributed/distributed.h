// torch.distributed (spec 7, 8.3): collectives between ranks, as in PyTorch.
//
//   auto& dist = torch.distributed;
//   dist.init_process_group("ahbm");
//   Work work = dist.all_reduce(gradients);  // has ended
//   work.bus_bandwidth_gbs();
//   Work later = dist.all_reduce(more, ReduceOp::max, true);  // has begun
//   later.wait();  // or whatever waits for pending work
//
// Called by the ranks of torch.multiprocessing.spawn, each for itself; all ranks call the same
// collectives in the same order. Rings and algorithm are those of ccl.yaml. Errors are UsageErrors
// that name the call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/distributed/process_group.h"

namespace kernbench {

// A reduction, also by name. UsageError for an unknown name.
class Reduction {
 public:
  Reduction(ReduceOp op) : op_(op) {}  // NOLINT(google-explicit-constructor)
  Reduction(const char* name)
      : op_(parse_reduce_op(name)) {}  // NOLINT(google-explicit-constructor)
  Reduction(const std::string& name)
      : op_(parse_reduce_op(name)) {}        // NOLINT(google-explicit-constructor)
  operator ReduceOp() const { return op_; }  // NOLINT(google-explicit-constructor)

 private:
  ReduceOp op_;
};

// One of batch_isend_irecv: P2POp(P2POp::isend, tensor, peer).
struct P2POp {
  enum Op : std::uint8_t { isend, irecv };
  P2POp(Op call, Tensor data, int other, int its_tag = 0)
      : op(call), tensor(std::move(data)), peer(other), tag(its_tag) {}

  Op op;
  Tensor tensor;
  int peer;
  int tag;
};

class Distributed {
 public:
  explicit Distributed(DistributedState& state) : state_(state) {}

  // The first rank that calls it installs the rings, which takes simulated time; the others wait
  // for it. A program may call it once for all ranks, before it spawns them. All ranks give the
  // same settings. `world_size` and `rank` have no effect: both are facts of the machine and of
  // ccl.yaml.
  void init_process_group(const std::string& backend = "ahbm", std::optional<int> world_size = {},
                          std::optional<int> rank = {});
  // With other values of keys of ccl.yaml than the file has: {{"algorithm", "ring_allreduce"},
  // {"buffer_kind", "hbm"}}.
  void init_process_group(const std::string& backend, const CclChanges& changes);
  // For torch.multiprocessing.spawn: the ranks of a group with these settings. UsageError: there
  // are none such.
  RankCount ranks_to_spawn(const CclChanges& changes = {}) const;
  void destroy_process_group();
  bool is_initialized() const;
  std::string get_backend() const;
  int get_world_size() const;
  int get_rank() const;  // 0 outside a worker, with a warning
  const CclSettings& settings() const { return group("settings").settings(); }
  // Of all_reduce: as ccl.yaml, or init_process_group, says.
  const CollectiveAlgorithm& algorithm() const {
    return group("algorithm").algorithm_of(CollectiveOp::all_reduce);
  }

  // Waits for all ranks and their pending work. Takes no simulated time.
  void barrier();

  Work all_reduce(const Tensor& tensor, Reduction op = ReduceOp::sum, bool async_op = false);
  Work broadcast(const Tensor& tensor, int src, bool async_op = false);
  Work reduce(const Tensor& tensor, int dst, Reduction op = ReduceOp::sum,
              bool async_op = false);  // others keep what they have
  // Out of place, as NCCL has them and PyTorch has not: the input stays as it is. `output` has the
  // shards of `input`; where the form in place leaves a tensor as it is, `output` is left so.
  Work all_reduce(const Tensor& output, const Tensor& input, Reduction op = ReduceOp::sum,
                  bool async_op = false);
  Work broadcast(const Tensor& output, const Tensor& input, int src, bool async_op = false);
  Work reduce(const Tensor& output, const Tensor& input, int dst, Reduction op = ReduceOp::sum,
              bool async_op = false);
  // Lists have one tensor for each rank, all with the same shards. No output is an input, too, but
  // for the calling rank's own part of all_gather and reduce_scatter.
  Work all_gather(const std::vector<Tensor>& outputs, const Tensor& input, bool async_op = false);
  Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs,
                      Reduction op = ReduceOp::sum, bool async_op = false);
  Work all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                  bool async_op = false);
  // Only the root gives a list, the others {}. The root's tensor may be its own part of the list.
  Work gather(const Tensor& tensor, const std::vector<Tensor>& gather_list = {}, int dst = 0,
              bool async_op = false);
  Work scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list = {}, int src = 0,
               bool async_op = false);
  // A receive has the first message for its rank that nobody has taken yet, with its tag and from
  // `src`; without `src` from any rank: Work::source_rank(). A send of more than the rings hold
  // (n_slots * slot_size) ends only when it is being received: of ranks that exchange long messages
  // by send and recv some have to receive first. isend and irecv come in any order.
  Work send(const Tensor& tensor, int dst, bool async_op = false);
  Work send(const Tensor& tensor, int dst, int tag);
  Work recv(const Tensor& tensor, std::optional<int> src = {}, bool async_op = false);
  Work recv(const Tensor& tensor, std::optional<int> src, int tag);
  Work isend(const Tensor& tensor, int dst, int tag = 0);
  Work irecv(const Tensor& tensor, std::optional<int> src = {}, int tag = 0);
  // One Work for each. UsageError: an empty list.
  std::vector<Work> batch_isend_irecv(const std::vector<P2POp>& ops);

 private:
  Worker& worker() const;
  ProcessGroup& group(const std::string& call) const;
  int rank_of(const std::string& call) const;
  void init(const std::string& backend, const GroupSettings& given);
  Work run(GroupCall call, bool async_op);
  struct Message {
    const char* name;
    bool is_send;
    std::optional<int> peer;
    int tag;
    bool async_op;
  };
  Work message(const Tensor& tensor, const Message& given);

  DistributedState& state_;
};

}  // namespace kernbench
