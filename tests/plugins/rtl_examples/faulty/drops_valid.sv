// Withdraws result_valid for two cycles when the row is not accepted.
`define FAULTY_MAC drops_valid
`define DROPS_VALID
`include "faulty_mac.svh"
