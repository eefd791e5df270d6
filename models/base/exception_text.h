// Text, failure code and exit status of a captured exception of any class.
#pragma once

#include <exception>
#include <string>

namespace kernbench {

std::string text_of(const std::exception& error);
std::string text_of(const std::exception_ptr& cause);  // "" for none
// Code and exit status of an Error; other exceptions have the defaults of class Error.
std::string code_of(const std::exception& error);
std::string code_of(const std::exception_ptr& cause);
int exit_status_of(const std::exception& error);
int exit_status_of(const std::exception_ptr& cause);

}  // namespace kernbench
