// Rules of one ready/valid stream, for any driver:
//   valid_holds_until_ready        valid stays up until ready takes the beat
//   data_is_stable_while_waiting   data stay as they are until then
// A violation ends the run, with the block, the rule, the pin NAME_valid or NAME_data, cycle and time.
module kernbench_stream_checker #(
    parameter int BITS = 1,
    parameter string NAME = ""
) (
    input logic clk,
    input logic rst_n,
    input logic valid,
    input logic ready,
    input logic [BITS-1:0] data
);
  import kernbench_checks::*;

  // Whether a beat was pending at the last edge.
  logic waiting;
  logic [BITS-1:0] offered;
  always_ff @(posedge clk) begin
    waiting <= rst_n && valid && !ready;
    if (valid && !ready) offered <= data;
  end

  always_ff @(posedge clk) begin
    if (rst_n && waiting) begin
      valid_holds_until_ready :
      assert (valid)
      else kernbench_violation("valid_holds_until_ready", {NAME, "_valid"});
      data_is_stable_while_waiting :
      assert (!valid || data == offered)
      else kernbench_violation("data_is_stable_while_waiting", {NAME, "_data"});
    end
  end
endmodule
