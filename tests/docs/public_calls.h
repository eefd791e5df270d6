// The public calls of a header, and those that a page lists, so that a table of a guide can be held
// against the headers.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace kernbench::docs {

// Public member functions and data of the classes of a header, and functions of its namespaces, by
// their names within namespace kernbench: "Torch::empty", "Torch::Devices::set_device",
// "graphs::cube_mesh", "place". Overloads are one name. Without constructors, destructors,
// operators, types and what is in a namespace `detail`.
std::set<std::string> public_calls(const std::string& header);

// The names in back-quotes in the first cells of the tables between a heading and the next one of
// its level or above, up to their parentheses.
std::set<std::string> listed_calls(const std::string& page, const std::string& heading);

// "lacks x" for each of `calls` that is not listed, "no x" for each that is listed and is no call.
std::vector<std::string> differences_of_calls(const std::set<std::string>& calls,
                                              const std::set<std::string>& listed);

}  // namespace kernbench::docs
