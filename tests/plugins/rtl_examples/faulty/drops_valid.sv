// Withdraws result_valid for two cycles when nobody takes the row.
`define FAULTY_MAC drops_valid
`define DROPS_VALID
`include "faulty_mac.svh"
