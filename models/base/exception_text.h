// What a captured exception says.
#pragma once

#include <exception>
#include <string>

namespace kernbench {

std::string text_of(const std::exception& error);
std::string text_of(const std::exception_ptr& cause);  // "" for none

}  // namespace kernbench
