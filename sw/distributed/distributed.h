// torch.distributed (spec 7, 8.3): collectives between ranks, as in PyTorch.
//
//   auto& dist = torch.distributed;
//   dist.init_process_group("ahbm");
//   Work work = dist.all_reduce(gradients);  // has ended on return
//   work.bus_bandwidth_gbs();
//   Work later = dist.all_reduce(more, ReduceOp::max, true);  // in flight
//   later.wait();  // or any call that waits for pending work
//   const Group even = dist.new_group({0, 2});
//   dist.all_reduce(gradients, "sum", even);
//
// Each rank of torch.multiprocessing.spawn makes its own calls; all ranks of a group call its
// collectives in the same order. Rank numbers are those of the world, as in PyTorch, also in calls
// with a group; lists of tensors are indexed by rank of the group. ccl.yaml configures rings and
// algorithm. Errors are UsageErrors that name the call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/ccl_settings.h"
#include "sw/collectives/reduce_op.h"
#include "sw/distributed/collective_record.h"
#include "sw/distributed/group.h"
#include "sw/distributed/rank_count.h"
#include "sw/runtime/tensor.h"

namespace kernbench {

class CollectiveAlgorithm;  // sw/collectives
class DefaultGroup;
struct DistributedState;
struct GroupCall;
struct GroupSettings;
class Worker;  // sw/runtime

// A reduction operation, also by name. UsageError for an unknown name.
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

// One operation of batch_isend_irecv: P2POp(P2POp::isend, tensor, peer).
struct P2POp {
  enum Op : std::uint8_t { isend, irecv };
  P2POp(Op call, Tensor data, int other, int its_tag = 0)
      : P2POp(call, std::move(data), other, Group(), its_tag) {}
  P2POp(Op call, Tensor data, int other, Group of, int its_tag = 0)
      : op(call), tensor(std::move(data)), peer(other), group(std::move(of)), tag(its_tag) {}

  Op op;
  Tensor tensor;
  int peer;
  Group group;
  int tag;
};

// Result of new_subgroups: all groups, and the calling rank's own group if it is a member of one.
struct Subgroups {
  std::optional<Group> mine;
  std::vector<Group> all;
};

class Distributed {
 public:
  explicit Distributed(DistributedState& state) : state_(state) {}

  // Creates the default group. The first rank that calls it installs the rings, which takes
  // simulated time; the other ranks wait for it. A program may call it once for all ranks, before
  // it spawns them. All ranks pass the same settings. `world_size` and `rank` have no effect: the
  // machine and ccl.yaml determine both.
  void init_process_group(const std::string& backend = "ahbm", std::optional<int> world_size = {},
                          std::optional<int> rank = {});
  // Overrides keys of ccl.yaml: {{"algorithm", "ring_allreduce"}, {"buffer_kind", "hbm"}}.
  void init_process_group(const std::string& backend, const CclChanges& changes);
  // Number of ranks of a group with these settings, for torch.multiprocessing.spawn. UsageError: no
  // group with these settings exists.
  RankCount ranks_to_spawn(const CclChanges& changes = {}) const;
  // Destroys the default group with all others, or one group, for the calling rank.
  void destroy_process_group();
  void destroy_process_group(const Group& group);
  bool is_initialized() const;
  std::string get_backend(const Group& group = {}) const;
  // -1 on a rank that is not in the group.
  int get_world_size(const Group& group = {}) const;
  int get_rank(const Group& group = {}) const;  // outside a worker 0, with a warning
  const CclSettings& settings() const;
  // Algorithm of all_reduce from ccl.yaml or init_process_group.
  const CollectiveAlgorithm& algorithm() const;

  // A group of some ranks, in ascending order, or of all. Every rank calls it, including ranks
  // outside the group, and all ranks create the same groups in the same order. It takes no
  // simulated time: the first collective of a group installs its rings. UsageError: an unknown
  // rank, a duplicate, or a list that differs from another rank's.
  Group new_group(const std::vector<int>& ranks);
  Group new_group();
  // One group for each list, which must be disjoint; or groups of `group_size` consecutive ranks.
  Subgroups new_subgroups_by_enumeration(const std::vector<std::vector<int>>& ranks);
  Subgroups new_subgroups(int group_size);
  // UsageError on a rank outside the group.
  std::vector<int> get_process_group_ranks(const Group& group = {}) const;
  int get_global_rank(const Group& group, int group_rank) const;
  int get_group_rank(const Group& group, int global_rank) const;

  // Waits for all ranks of the group and their pending work in it. Takes no simulated time.
  void barrier(const Group& group = {});
  // Waits until all ranks have called it, regardless of pending work. TimeoutError on every rank if
  // that takes more simulated time than the `timeout` of the first caller; it names the first
  // missing rank, or all of them.
  void monitored_barrier(const Group& group, const sc_core::sc_time& timeout,
                         bool wait_all_ranks = false);

  Work all_reduce(const Tensor& tensor, Reduction op = ReduceOp::sum,
                  const CallOptions& options = {});
  Work broadcast(const Tensor& tensor, int src, const CallOptions& options = {});
  Work reduce(const Tensor& tensor, int dst, Reduction op = ReduceOp::sum,
              const CallOptions& options = {});  // other ranks keep their values
  // Out of place, as in NCCL but not in PyTorch: the input is unchanged. `output` has the shards of
  // `input`; where the in-place form leaves a tensor unchanged, `output` is unchanged.
  Work all_reduce(const Tensor& output, const Tensor& input, Reduction op = ReduceOp::sum,
                  const CallOptions& options = {});
  Work broadcast(const Tensor& output, const Tensor& input, int src,
                 const CallOptions& options = {});
  Work reduce(const Tensor& output, const Tensor& input, int dst, Reduction op = ReduceOp::sum,
              const CallOptions& options = {});
  // Lists have one tensor per rank, all with the same shards. No output may be an input, except the
  // calling rank's own part of all_gather and reduce_scatter.
  Work all_gather(const std::vector<Tensor>& outputs, const Tensor& input,
                  const CallOptions& options = {});
  Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs,
                      Reduction op = ReduceOp::sum, const CallOptions& options = {});
  Work all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                  const CallOptions& options = {});
  // One tensor instead of a list: {n * d0, d1, ...} concatenates the parts of n ranks, {n, d0, d1,
  // ...} stacks them. If axis 0 is cut over PEs, tensor and parts must both be cut along axis 0 and
  // along no other axis.
  Work all_gather_into_tensor(const Tensor& output, const Tensor& input,
                              const CallOptions& options = {});
  Work reduce_scatter_tensor(const Tensor& output, const Tensor& input,
                             Reduction op = ReduceOp::sum, const CallOptions& options = {});
  // Input and output are cut along axis 0 into equal parts, one per rank.
  Work all_to_all_single(const Tensor& output, const Tensor& input,
                         const CallOptions& options = {});
  // Parts of different sizes: numbers of rows received from each rank and sent to each rank; {}:
  // equal parts. The rows that a rank sends must be those that the peer receives. Neither tensor is
  // cut along axis 0.
  Work all_to_all_single(const Tensor& output, const Tensor& input,
                         const std::vector<std::int64_t>& output_split_sizes,
                         const std::vector<std::int64_t>& input_split_sizes,
                         const CallOptions& options = {});
  // Several tensors in one launch, sequentially: equivalent to one call per tensor without the time
  // between launches. All tensors have one dtype and are on the same PEs. The Work covers all of
  // them.
  Work all_reduce_coalesced(const std::vector<Tensor>& tensors, Reduction op = ReduceOp::sum,
                            const CallOptions& options = {});
  Work all_gather_into_tensor_coalesced(const std::vector<Tensor>& outputs,
                                        const std::vector<Tensor>& inputs,
                                        const CallOptions& options = {});
  Work reduce_scatter_tensor_coalesced(const std::vector<Tensor>& outputs,
                                       const std::vector<Tensor>& inputs,
                                       Reduction op = ReduceOp::sum,
                                       const CallOptions& options = {});
  // Only the root passes a list, other ranks {}. The root's tensor may be its own part of the list.
  Work gather(const Tensor& tensor, const std::vector<Tensor>& gather_list = {}, int dst = 0,
              const CallOptions& options = {});
  Work scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list = {}, int src = 0,
               const CallOptions& options = {});
  // A receive matches the first unmatched message for its rank with its tag and source; without
  // `src`, from any rank: Work::source_rank(). A send of more than the rings hold (n_slots *
  // slot_size) completes only while it is received: if ranks exchange long messages by send and
  // recv, some must receive first. isend and irecv may be called in any order.
  Work send(const Tensor& tensor, int dst, bool async_op = false);
  Work send(const Tensor& tensor, int dst, int tag);
  Work send(const Tensor& tensor, int dst, const Group& group, int tag = 0);
  Work recv(const Tensor& tensor, std::optional<int> src = {}, bool async_op = false);
  Work recv(const Tensor& tensor, std::optional<int> src, int tag);
  Work recv(const Tensor& tensor, std::optional<int> src, const Group& group, int tag = 0);
  Work isend(const Tensor& tensor, int dst, int tag = 0);
  Work isend(const Tensor& tensor, int dst, const Group& group, int tag = 0);
  Work irecv(const Tensor& tensor, std::optional<int> src = {}, int tag = 0);
  Work irecv(const Tensor& tensor, std::optional<int> src, const Group& group, int tag = 0);
  // One Work per operation, except those of groups that the rank is not in. UsageError: an empty
  // list.
  std::vector<Work> batch_isend_irecv(const std::vector<P2POp>& ops);

 private:
  Worker& worker() const;
  DefaultGroup& default_group(const std::string& call) const;
  ProcessGroup& group_of(const std::string& call, const Group& group) const;
  bool is_member(const std::string& call, const Group& group) const;
  // Returns the group if the rank is a member; else throws UsageError.
  ProcessGroup& own_group(const std::string& call, const Group& group) const;
  // Returns the group if the rank is a member; else warns and returns null.
  ProcessGroup* group_to_call(const std::string& call, const Group& group, int rank) const;
  int rank_of(const std::string& call) const;
  void init(const std::string& backend, const GroupSettings& given);
  Work run(const std::vector<GroupCall>& calls, const CallOptions& options);
  struct Message {
    const char* name;
    bool is_send;
    std::optional<int> peer;
    Group group;
    int tag;
    bool async_op;
  };
  Work message(const Tensor& tensor, const Message& given);

  DistributedState& state_;
};

}  // namespace kernbench
