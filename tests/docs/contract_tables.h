// The tables of the pages in docs/contracts. A heading "## `builtin.sram`" begins what the page
// says of an implementation (several may be named); below it, tables whose first heading is
// parameter, statistic, signal or socket have names in back-quotes in their first column. In a name
// {i} matches a number, any other word in braces a name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kernbench::docs {

// Names by the kind of table ("statistic").
using ContractTables = std::map<std::string, std::vector<std::string>>;

// By implementation.
std::map<std::string, ContractTables> contract_tables(const std::string& text);

// "bytes{i}" and the like.
bool matches(const std::string& pattern, const std::string& name);

// What of `declared` no pattern matches ("lacks x"), and what pattern matches none ("no y").
std::vector<std::string> differences(const std::vector<std::string>& patterns,
                                     const std::set<std::string>& declared);

}  // namespace kernbench::docs
