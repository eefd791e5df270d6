// Verilated top of a memory endpoint: the design (module KERNBENCH_DESIGN, by default kernbench_sram) and the rules of
// its pins. A port of the design that is missing, or of another width, is an error of the build that names it.
`ifndef KERNBENCH_DESIGN
`define KERNBENCH_DESIGN kernbench_sram
`endif
module kernbench_sram_top #(
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS = 64,
    parameter int SIZE_KB = 1024,
    parameter int READ_LATENCY = 2
) (
    input logic clk,
    input logic rst_n,

    input  logic                    awvalid,
    output logic                    awready,
    input  logic [     ID_BITS-1:0] awid,
    input  logic [ADDRESS_BITS-1:0] awaddr,
    input  logic [             7:0] awlen,
    input  logic [             2:0] awsize,
    input  logic [             1:0] awburst,

    input  logic                   wvalid,
    output logic                   wready,
    input  logic [  DATA_BITS-1:0] wdata,
    input  logic [DATA_BITS/8-1:0] wstrb,
    input  logic                   wlast,

    output logic               bvalid,
    input  logic               bready,
    output logic [ID_BITS-1:0] bid,
    output logic [        1:0] bresp,

    input  logic                    arvalid,
    output logic                    arready,
    input  logic [     ID_BITS-1:0] arid,
    input  logic [ADDRESS_BITS-1:0] araddr,
    input  logic [             7:0] arlen,
    input  logic [             2:0] arsize,
    input  logic [             1:0] arburst,

    output logic                 rvalid,
    input  logic                 rready,
    output logic [  ID_BITS-1:0] rid,
    output logic [DATA_BITS-1:0] rdata,
    output logic [          1:0] rresp,
    output logic                 rlast
);
  `KERNBENCH_DESIGN #(
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS),
      .DATA_BITS(DATA_BITS),
      .SIZE_KB(SIZE_KB),
      .READ_LATENCY(READ_LATENCY)
  ) design_under_test (
      .clk(clk),
      .rst_n(rst_n),
      .awvalid(awvalid),
      .awready(awready),
      .awid(awid),
      .awaddr(awaddr),
      .awlen(awlen),
      .awsize(awsize),
      .awburst(awburst),
      .wvalid(wvalid),
      .wready(wready),
      .wdata(wdata),
      .wstrb(wstrb),
      .wlast(wlast),
      .bvalid(bvalid),
      .bready(bready),
      .bid(bid),
      .bresp(bresp),
      .arvalid(arvalid),
      .arready(arready),
      .arid(arid),
      .araddr(araddr),
      .arlen(arlen),
      .arsize(arsize),
      .arburst(arburst),
      .rvalid(rvalid),
      .rready(rready),
      .rid(rid),
      .rdata(rdata),
      .rresp(rresp),
      .rlast(rlast)
  );

  kernbench_axi4_if #(
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS),
      .DATA_BITS(DATA_BITS)
  ) pins (
      .clk,
      .rst_n
  );
  assign {pins.awvalid, pins.awready, pins.awid, pins.awaddr} = {awvalid, awready, awid, awaddr};
  assign {pins.awlen, pins.awsize, pins.awburst} = {awlen, awsize, awburst};
  assign {pins.wvalid, pins.wready, pins.wdata, pins.wstrb, pins.wlast} = {wvalid, wready, wdata, wstrb, wlast};
  assign {pins.bvalid, pins.bready, pins.bid, pins.bresp} = {bvalid, bready, bid, bresp};
  assign {pins.arvalid, pins.arready, pins.arid, pins.araddr} = {arvalid, arready, arid, araddr};
  assign {pins.arlen, pins.arsize, pins.arburst} = {arlen, arsize, arburst};
  assign {pins.rvalid, pins.rready, pins.rid, pins.rdata} = {rvalid, rready, rid, rdata};
  assign {pins.rresp, pins.rlast} = {rresp, rlast};
  kernbench_axi4_checker #(
      .ID_BITS(ID_BITS),
      .ADDRESS_BITS(ADDRESS_BITS),
      .DATA_BITS(DATA_BITS)
  ) rules (
      .axi(pins)
  );
endmodule
