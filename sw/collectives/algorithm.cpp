#include "sw/collectives/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "models/base/errors.h"
#include "sw/collectives/holder_tree.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench {

const std::vector<std::string>& all_sip_topologies() {
  static const std::vector<std::string> names{"ring_1d", "torus_2d", "mesh_2d_no_wrap"};
  return names;
}

CollectiveAlgorithm all_reduce_for_holders(
    std::string name, std::string description,
    std::function<NeighbourGraph(const CollectiveCall& call)> graph,
    std::function<tl::KernelCall(const CollectiveCall& call)> kernel) {
  CollectiveAlgorithm algorithm{std::move(name),
                                std::move(description),
                                CollectiveOp::all_reduce,
                                all_sip_topologies(),
                                "any shards, the same on every rank",
                                {},
                                {},
                                std::move(graph),
                                std::move(kernel)};
  algorithm.serves_holders = true;
  return algorithm;
}

void CollectiveAlgorithm::check_topology(const RankGroup& group) const {
  const std::string& topology = group.grid.topology;
  if (std::find(sip_topologies.begin(), sip_topologies.end(), topology) == sip_topologies.end()) {
    std::string known;
    for (const std::string& each : sip_topologies) known += (known.empty() ? "" : ", ") + each;
    throw UsageError(
        fmt::format("{} does not work on the SIP topology {}, but on {}", name, topology, known));
  }
}

void CollectiveAlgorithm::check(const CollectiveCall& call) const {
  check_topology(call.group);
  if (call.layout.partial() && !serves_holders && op != CollectiveOp::all_reduce)
    throw UsageError(fmt::format("{} takes no partial sums; tensor '{}' has {}", name,
                                 call.tensor().name, call.layout.str()));
  const bool surrounded = is_surrounded(call);
  const std::string why =
      !refuses     ? ""
      : surrounded ? refuses(HolderTree(call, HolderTree::Form::mesh).between_roots(call))
                   : refuses(call);
  if (!why.empty()) {
    throw UsageError(fmt::format("{} expects {}; tensor '{}' has {}: {}", name, layout,
                                 call.tensor().name, call.layout.str(), why));
  }
}

// --- Algorithms that handle only one holder per part

namespace {

// Kernel of the roots, between the sums on the way to them and the distribution of the result. Out
// of place, the sums are in the output, on which the roots work in place.
class SurroundedKernel final : public KernelBody {
 public:
  SurroundedKernel(const CollectiveCall& call, HolderTree tree,
                   std::shared_ptr<const KernelBody> body)
      : data_(call.inputs.front()), result_(call.result()), options_(call.options()),
        tree_(std::move(tree)), body_(std::move(body)) {}

  void run(KernelContext& context) const override {
    const PeId here = context.where();
    const tl::Tensor data(data_, here);
    if (!data.has_local()) return;
    std::vector<BlockPosition> blocks = blocks_in_place(data, 1);
    if (!tree_.is_root(here)) blocks.front().to.reset();
    tl::Program tl(context);
    run_schedule(tl, tree_.sum_up(here), blocks, options_);
    if (tree_.is_root(here)) body_->run(context);
    ScheduleOptions in_place = options_;
    in_place.input = in_place.output = nullptr;
    run_schedule(tl, tree_.hand_down(here), blocks_in_place(tl::Tensor(result_, here), 1),
                 in_place);
  }

 private:
  tl::TensorInfoPtr data_, result_;
  ScheduleOptions options_;
  HolderTree tree_;
  std::shared_ptr<const KernelBody> body_;
};

}  // namespace

bool CollectiveAlgorithm::is_surrounded(const CollectiveCall& call) const {
  return op == CollectiveOp::all_reduce && !serves_holders &&
         (call.layout.over_cubes() != Holding::parts || call.layout.over_pes() != Holding::parts);
}

NeighbourGraph CollectiveAlgorithm::graph_of(const CollectiveCall& call) const {
  const std::string& prefix = call.group.directions;
  if (!is_surrounded(call)) return graph(call).with_prefix(prefix);
  return HolderTree(call, HolderTree::Form::mesh).graph(call, graph).with_prefix(prefix);
}

namespace {

// A launch lists all tensors that its kernel accesses.
tl::KernelCall with_tensors(tl::KernelCall kernel, const CollectiveCall& call) {
  for (const tl::TensorInfoPtr& tensor : call.tensors()) {
    const bool listed =
        std::any_of(kernel.args.begin(), kernel.args.end(), [&](const KernelArgument& argument) {
          const auto* other = std::get_if<TensorArgument>(&argument);
          return other != nullptr && other->va_base == tensor->va_base;
        });
    if (!listed) kernel.args.push_back(tl::tensor_argument(*tensor));
  }
  return kernel;
}

}  // namespace

tl::KernelCall CollectiveAlgorithm::kernel_of(const CollectiveCall& call) const {
  if (!is_surrounded(call)) return with_tensors(kernel(call), call);
  const HolderTree tree(call, HolderTree::Form::mesh);
  CollectiveCall between_roots = tree.between_roots(call);
  between_roots.inputs = {call.result()};
  between_roots.outputs.clear();
  tl::KernelCall roots = kernel(between_roots);
  tl::KernelCall whole{std::make_shared<const SurroundedKernel>(call, tree, roots.body), roots.args,
                       0};
  // One private part of the scratch must suffice for all three.
  if (roots.scratch_bytes > 0)
    whole.scratch_bytes = std::max(roots.scratch_bytes, call.scratch_bytes());
  return with_tensors(std::move(whole), call);
}

bool CollectiveAlgorithm::accepts(const CollectiveCall& call) const {
  try {
    check(call);
    graph_of(call);
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

}  // namespace kernbench
