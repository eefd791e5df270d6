// What a captured exception says, whatever its class.
#pragma once

#include <exception>
#include <string>

namespace kernbench {

std::string text_of(const std::exception& error);
std::string text_of(const std::exception_ptr& cause);  // "" for none
// As Error has them; of other exceptions what Error has.
std::string code_of(const std::exception& error);
int exit_status_of(const std::exception& error);
int exit_status_of(const std::exception_ptr& cause);

}  // namespace kernbench
