// CommDebugMode: counts the collectives of distributed tensors, and lists the redistributions, of
// the calling rank, as PyTorch's:
//
//   CommDebugMode comm(mesh);
//   const DTensor product = matmul(x, w);
//   comm.get_comm_counts();  // {{"all_gather_into_tensor", 1}}
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kernbench::dtensor {

class DeviceMesh;

// Observers of a mesh and its submeshes: one object per rank and root mesh.
class CommObservers;

class CommDebugMode {
 public:
  // Observes the mesh, its submeshes and the mesh that it is part of, until it is destroyed.
  explicit CommDebugMode(const DeviceMesh& mesh);
  ~CommDebugMode();
  CommDebugMode(const CommDebugMode&) = delete;
  CommDebugMode& operator=(const CommDebugMode&) = delete;

  // Number of calls by their name in torch.distributed: all_reduce, all_gather_into_tensor,
  // reduce_scatter_tensor, all_to_all_single, broadcast, scatter.
  const std::map<std::string, int>& get_comm_counts() const { return counts_; }
  int get_total_counts() const;
  // One line per redistribution: "matmul: operand 1 'w': [Shard(0)] -> [Replicate()]".
  const std::vector<std::string>& redistributions() const { return redistributions_; }

 private:
  friend class CommObservers;
  std::shared_ptr<CommObservers> observers_;
  std::map<std::string, int> counts_;
  std::vector<std::string> redistributions_;
};

class CommObservers {
 public:
  void called(const std::string& collective) const;
  void redistributed(const std::string& text) const;

 private:
  friend class CommDebugMode;
  std::vector<CommDebugMode*> modes_;
};

}  // namespace kernbench::dtensor
