// `--set` on single instances: NODE.impl=NAME, NODE.attrs.KEY=VALUE, NODE.attrs={...}, where NODE
// is a name or a pattern of names ("sip0.cube3.pe2.pe_gemm", "sip0.cube3.**.pe_gemm").
#pragma once

#include "platform/config/config_tree.h"

namespace kernbench {

// Whether the key begins like the name of a node, or a pattern of some: no key of topology.yaml
// does.
bool is_instance_setting(const Override& setting);

// Adds an entry to the list `overrides` of the tree; settings of one NODE share theirs.
void apply_instance_setting(ConfigNode& root, const Override& setting,
                            std::vector<ConfigIssue>& issues);

}  // namespace kernbench
