// DeviceMesh: ranks as a grid with named dimensions, as PyTorch's. Each dimension has a process
// group for each row of ranks along it.
//
//   const DeviceMesh mesh = init_device_mesh(torch, {2, 4}, {"dp", "tp"});  // [[0, 1, 2, 3], ...]
//   mesh.get_group("tp");
//   mesh["tp"].size();  // 4
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/dtensor/comm_debug_mode.h"
#include "sw/torch/torch.h"

namespace kernbench::dtensor {

// Dimension of a mesh, by number (negative: from the last) or name.
class MeshDim {
 public:
  MeshDim(int number) : number_(number) {}               // NOLINT(google-explicit-constructor)
  MeshDim(const char* name) : name_(name) {}             // NOLINT(google-explicit-constructor)
  MeshDim(std::string name) : name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  bool is_named() const { return name_.has_value(); }
  int number() const { return number_; }
  const std::string& name() const { return *name_; }

 private:
  int number_ = 0;
  std::optional<std::string> name_;
};

class DeviceMesh {
 public:
  int ndim() const { return static_cast<int>(state_->shape.size()); }
  int size() const;
  // UsageError for an unknown dimension, here and below.
  int size(const MeshDim& dim) const { return state_->shape[index_of("size", dim)]; }
  const std::vector<int>& shape() const { return state_->shape; }
  const std::vector<std::string>& mesh_dim_names() const { return state_->names; }
  const std::vector<int>& ranks() const { return state_->ranks; }  // row-major

  // Group and position of the calling rank. `dim` may be omitted if the mesh has one. UsageError on
  // a rank outside the mesh.
  Group get_group(const std::optional<MeshDim>& dim = {}) const;
  int get_local_rank(const std::optional<MeshDim>& dim = {}) const;
  // Position of the calling rank; empty on a rank outside the mesh.
  const std::optional<std::vector<int>>& get_coordinate() const { return state_->coordinate; }
  // The ranks that differ from the calling one in these dimensions only, in the order of the mesh.
  // UsageError: an unknown name, or another order.
  DeviceMesh operator[](const std::string& name) const { return submesh({name}); }
  DeviceMesh submesh(const std::vector<std::string>& names) const;
  std::string str() const;  // "DeviceMesh(dp=2, tp=2; ranks 0, 1, 2, 3)"

  // Used by the other files of this folder.
  Torch& torch() const { return *state_->torch; }
  const std::shared_ptr<CommObservers>& observers() const { return state_->observers; }
  const std::vector<int>& coordinate(const std::string& call) const;  // UsageError outside the mesh

  // The same ranks in the same arrangement, and the same names.
  friend bool operator==(const DeviceMesh& a, const DeviceMesh& b);
  friend bool operator!=(const DeviceMesh& a, const DeviceMesh& b) { return !(a == b); }

 private:
  struct State {
    Torch* torch = nullptr;
    std::vector<int> shape;
    std::vector<std::string> names;  // empty, or one per dimension
    std::vector<int> ranks;
    std::optional<std::vector<int>> coordinate;
    std::vector<Group> groups;  // groups that the calling rank is in, by dimension
    std::shared_ptr<CommObservers> observers;
  };
  explicit DeviceMesh(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  friend DeviceMesh device_mesh(Torch& torch, const std::vector<int>& ranks,
                                const std::vector<int>& shape,
                                const std::vector<std::string>& names);
  std::size_t index_of(const std::string& call, const MeshDim& dim) const;
  std::size_t the_dim(const std::string& call, const std::optional<MeshDim>& dim) const;

  std::shared_ptr<const State> state_;
};

// A mesh of all ranks of the world, in row-major order. Every rank calls it, in the same order as
// other meshes and groups. It takes no simulated time. UsageError: a product of the extents that is
// not the number of ranks, an extent below 1, names that repeat or are not one per dimension.
DeviceMesh init_device_mesh(Torch& torch, const std::vector<int>& shape,
                            const std::vector<std::string>& names = {});

// A mesh of some ranks in ascending order, which every rank of the world creates, also those
// outside it (PyTorch: the constructor of DeviceMesh). UsageError also: an unknown rank, another
// order.
DeviceMesh device_mesh(Torch& torch, const std::vector<int>& ranks, const std::vector<int>& shape,
                       const std::vector<std::string>& names = {});

}  // namespace kernbench::dtensor
