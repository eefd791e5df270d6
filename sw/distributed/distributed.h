// torch.distributed (spec 7, 8.3): collectives between ranks, as in PyTorch.
//
//   auto& dist = torch.distributed;
//   dist.init_process_group("ahbm");
//   Work work = dist.all_reduce(gradients);  // has ended
//   work.bus_bandwidth_gbs();
//   Work later = dist.all_reduce(more, ReduceOp::max, true);  // has begun
//   later.wait();  // or whatever waits for pending work
//   const Group even = dist.new_group({0, 2});
//   dist.all_reduce(gradients, "sum", even);
//
// Called by the ranks of torch.multiprocessing.spawn, each for itself; all ranks of a group call
// the same collectives of it in the same order. Ranks are those of the world, as in PyTorch, with
// a group too; lists of tensors are by rank of the group. Rings and algorithm are those of
// ccl.yaml. Errors are UsageErrors that name the call.
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
      : P2POp(call, std::move(data), other, Group(), its_tag) {}
  P2POp(Op call, Tensor data, int other, Group of, int its_tag = 0)
      : op(call), tensor(std::move(data)), peer(other), group(std::move(of)), tag(its_tag) {}

  Op op;
  Tensor tensor;
  int peer;
  Group group;
  int tag;
};

// What new_subgroups makes: all groups, and that of the calling rank, if it is in one.
struct Subgroups {
  std::optional<Group> mine;
  std::vector<Group> all;
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
  // The default group, with all others; or one, for the calling rank.
  void destroy_process_group();
  void destroy_process_group(const Group& group);
  bool is_initialized() const;
  std::string get_backend(const Group& group = {}) const;
  // -1 on a rank that is not in the group.
  int get_world_size(const Group& group = {}) const;
  int get_rank(const Group& group = {}) const;  // outside a worker 0, with a warning
  const CclSettings& settings() const;
  // Of all_reduce: as ccl.yaml, or init_process_group, says.
  const CollectiveAlgorithm& algorithm() const;

  // A group of some ranks, in ascending order, or of all. Every rank calls it, also those that are
  // not in the group, and all make the same groups in the same order. Takes no time: the first
  // collective of a group installs its rings. UsageError: ranks that there are not, a rank twice,
  // other ranks than another rank gives.
  Group new_group(const std::vector<int>& ranks);
  Group new_group();
  // One group for each list, of which none has a rank of another one; or groups of so many ranks
  // that follow one another.
  Subgroups new_subgroups_by_enumeration(const std::vector<std::vector<int>>& ranks);
  Subgroups new_subgroups(int group_size);
  // UsageError on a rank that is not in the group, and for a rank that is not.
  std::vector<int> get_process_group_ranks(const Group& group = {}) const;
  int get_global_rank(const Group& group, int group_rank) const;
  int get_group_rank(const Group& group, int global_rank) const;

  // Waits for all ranks of the group and their pending work in it. Takes no simulated time.
  void barrier(const Group& group = {});
  // Waits until all ranks have called it, whatever their work. TimeoutError on every rank if that
  // takes more simulated time than `timeout` of the first one: it names the first rank that has not
  // come, or all of these.
  void monitored_barrier(const Group& group, const sc_core::sc_time& timeout,
                         bool wait_all_ranks = false);

  Work all_reduce(const Tensor& tensor, Reduction op = ReduceOp::sum,
                  const CallOptions& options = {});
  Work broadcast(const Tensor& tensor, int src, const CallOptions& options = {});
  Work reduce(const Tensor& tensor, int dst, Reduction op = ReduceOp::sum,
              const CallOptions& options = {});  // others keep what they have
  // Out of place, as NCCL has them and PyTorch has not: the input stays as it is. `output` has the
  // shards of `input`; where the form in place leaves a tensor as it is, `output` is left so.
  Work all_reduce(const Tensor& output, const Tensor& input, Reduction op = ReduceOp::sum,
                  const CallOptions& options = {});
  Work broadcast(const Tensor& output, const Tensor& input, int src,
                 const CallOptions& options = {});
  Work reduce(const Tensor& output, const Tensor& input, int dst, Reduction op = ReduceOp::sum,
              const CallOptions& options = {});
  // Lists have one tensor for each rank, all with the same shards. No output is an input, too, but
  // for the calling rank's own part of all_gather and reduce_scatter.
  Work all_gather(const std::vector<Tensor>& outputs, const Tensor& input,
                  const CallOptions& options = {});
  Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs,
                      Reduction op = ReduceOp::sum, const CallOptions& options = {});
  Work all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                  const CallOptions& options = {});
  // One tensor in place of a list: {n * d0, d1, ...} has the parts of n ranks one after the other,
  // {n, d0, d1, ...} each under an index of its own. Where axis 0 is cut over PEs, the tensor and
  // the parts both have to be, and no other axis.
  Work all_gather_into_tensor(const Tensor& output, const Tensor& input,
                              const CallOptions& options = {});
  Work reduce_scatter_tensor(const Tensor& output, const Tensor& input,
                             Reduction op = ReduceOp::sum, const CallOptions& options = {});
  // Both are cut along axis 0 into as many parts of one size as there are ranks.
  Work all_to_all_single(const Tensor& output, const Tensor& input,
                         const CallOptions& options = {});
  // Parts of different sizes: so many rows of each rank, and for each; {}: as many of each. What a
  // rank sends is what the other one takes. Neither tensor is cut along axis 0.
  Work all_to_all_single(const Tensor& output, const Tensor& input,
                         const std::vector<std::int64_t>& output_split_sizes,
                         const std::vector<std::int64_t>& input_split_sizes,
                         const CallOptions& options = {});
  // Several tensors by one launch, one after the other: as one call for each, without the time
  // between launches. All have one dtype and lie on the same PEs. The Work is that of all.
  Work all_reduce_coalesced(const std::vector<Tensor>& tensors, Reduction op = ReduceOp::sum,
                            const CallOptions& options = {});
  Work all_gather_into_tensor_coalesced(const std::vector<Tensor>& outputs,
                                        const std::vector<Tensor>& inputs,
                                        const CallOptions& options = {});
  Work reduce_scatter_tensor_coalesced(const std::vector<Tensor>& outputs,
                                       const std::vector<Tensor>& inputs,
                                       Reduction op = ReduceOp::sum,
                                       const CallOptions& options = {});
  // Only the root gives a list, the others {}. The root's tensor may be its own part of the list.
  Work gather(const Tensor& tensor, const std::vector<Tensor>& gather_list = {}, int dst = 0,
              const CallOptions& options = {});
  Work scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list = {}, int src = 0,
               const CallOptions& options = {});
  // A receive has the first message for its rank that nobody has taken yet, with its tag and from
  // `src`; without `src` from any rank: Work::source_rank(). A send of more than the rings hold
  // (n_slots * slot_size) ends only when it is being received: of ranks that exchange long messages
  // by send and recv some have to receive first. isend and irecv come in any order.
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
  // One Work for each, but for those of groups that the rank is not in. UsageError: an empty list.
  std::vector<Work> batch_isend_irecv(const std::vector<P2POp>& ops);

 private:
  Worker& worker() const;
  DefaultGroup& default_group(const std::string& call) const;
  ProcessGroup& group_of(const std::string& call, const Group& group) const;
  bool is_member(const std::string& call, const Group& group) const;
  // The group, for a member; else a UsageError.
  ProcessGroup& own_group(const std::string& call, const Group& group) const;
  // The group, for a member; else null, and a warning.
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
