// Group: handle of a process group (torch.distributed.new_group), and CallOptions: arguments of a
// collective in addition to its data.
#pragma once

#include <memory>
#include <string>

namespace kernbench {

class ProcessGroup;

// Every rank has a handle of every group. A call with a group that the rank is not in warns and
// returns, as in PyTorch. Without new_group: all ranks.
class Group {
 public:
  Group() = default;
  std::string str() const;  // "group 1 (ranks 0, 2)", "all ranks"

  friend bool operator==(const Group& a, const Group& b) { return a.group_ == b.group_; }
  friend bool operator!=(const Group& a, const Group& b) { return !(a == b); }

 private:
  friend class Distributed;
  explicit Group(std::shared_ptr<ProcessGroup> group) : group_(std::move(group)) {}

  std::shared_ptr<ProcessGroup> group_;  // null: all ranks
};

// dist.all_reduce(t, "sum", group); dist.all_reduce(t, "sum", true);
// dist.all_reduce(t, "sum", {group, true});
struct CallOptions {
  CallOptions(bool is_async = false) : async_op(is_async) {}  // NOLINT(google-explicit-constructor)
  CallOptions(Group of, bool is_async = false)                // NOLINT(google-explicit-constructor)
      : group(std::move(of)), async_op(is_async) {}

  Group group;
  bool async_op;
};

}  // namespace kernbench
