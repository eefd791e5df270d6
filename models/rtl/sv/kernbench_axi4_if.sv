// Pins of a memory endpoint: a subset of AXI4 (IHI 0022). Five channels, each with valid and ready; omitted pins (lock,
// cache, protection, quality of service, region, user) do not exist. Bursts are INCR, of 1 to 256 beats, within 4 KiB;
// a beat is at most as wide as the data. Byte addresses count from the begin of the memory. Ids: bursts of one id are
// answered in their order.
interface kernbench_axi4_if #(
    parameter int ID_BITS = 4,
    parameter int ADDRESS_BITS = 32,
    parameter int DATA_BITS = 64
) (
    input logic clk,
    input logic rst_n
);
  logic awvalid, awready;
  logic [ID_BITS-1:0] awid;
  logic [ADDRESS_BITS-1:0] awaddr;
  logic [7:0] awlen;
  logic [2:0] awsize;
  logic [1:0] awburst;

  logic wvalid, wready, wlast;
  logic [DATA_BITS-1:0] wdata;
  logic [DATA_BITS/8-1:0] wstrb;

  logic bvalid, bready;
  logic [ID_BITS-1:0] bid;
  logic [1:0] bresp;

  logic arvalid, arready;
  logic [ID_BITS-1:0] arid;
  logic [ADDRESS_BITS-1:0] araddr;
  logic [7:0] arlen;
  logic [2:0] arsize;
  logic [1:0] arburst;

  logic rvalid, rready, rlast;
  logic [ID_BITS-1:0] rid;
  logic [DATA_BITS-1:0] rdata;
  logic [1:0] rresp;

  modport manager(
      input clk, rst_n, awready, wready, bvalid, bid, bresp, arready, rvalid, rid, rdata, rresp, rlast,
      output awvalid, awid, awaddr, awlen, awsize, awburst, wvalid, wdata, wstrb, wlast, bready,
      output arvalid, arid, araddr, arlen, arsize, arburst, rready
  );
  modport subordinate(
      input clk, rst_n, awvalid, awid, awaddr, awlen, awsize, awburst, wvalid, wdata, wstrb, wlast, bready,
      input arvalid, arid, araddr, arlen, arsize, arburst, rready,
      output awready, wready, bvalid, bid, bresp, arready, rvalid, rid, rdata, rresp, rlast
  );
  modport monitor(
      input clk, rst_n, awvalid, awready, awid, awaddr, awlen, awsize, awburst,
      input wvalid, wready, wdata, wstrb, wlast, bvalid, bready, bid, bresp,
      input arvalid, arready, arid, araddr, arlen, arsize, arburst,
      input rvalid, rready, rid, rdata, rresp, rlast
  );
endinterface
