// Gives no result.
`define FAULTY_MAC never_answers
`define NEVER_ANSWERS
`include "faulty_mac.svh"
