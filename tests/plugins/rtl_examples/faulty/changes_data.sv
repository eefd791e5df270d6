// Changes a row that waits.
`define FAULTY_MAC changes_data
`define CHANGES_DATA
`include "faulty_mac.svh"
