// Sums that depend on a register that nothing has set.
`define FAULTY_MAC unknown_sum
`define UNKNOWN_SUM
`include "faulty_mac.svh"
