// Sums that are wrong here and there.
`define FAULTY_MAC wrong_sum
`define WRONG_SUM
`include "faulty_mac.svh"
