// An output that nothing drives.
`define FAULTY_MAC no_error
`define NO_ERROR
`include "faulty_mac.svh"
