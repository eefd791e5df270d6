// Version of KernBench: of the program, its libraries and its package; CMake reads it here.
#pragma once

#define KERNBENCH_VERSION "0.5.0"
