// Without the port result_ready.
`define FAULTY_MAC no_result_ready
`define NO_RESULT_READY
`include "faulty_mac.svh"
