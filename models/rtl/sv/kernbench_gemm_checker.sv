// The rules of kernbench_gemm_if. A rule that is broken ends the run with block, rule, pin, cycle and time:
//   valid_holds_until_ready, data_is_stable_while_waiting   of each stream (kernbench_stream_checker)
//   operands_belong_to_a_task   no beat of A or B is taken beyond those of the tasks that have been taken
//   last_at_end_of_fold         a_last and b_last are set at the last beat of each fold, and only there
//   result_belongs_to_a_task    no row of the result is offered before the operands of its fold have been taken
//   last_at_end_of_task         result_last is set at the last row of a task, and only there
// One task is checked at a time: a block that accepts the next task before the last row of the previous one needs
// CHECK_TASKS = 0. CHECK_DRIVER: the other side's streams, too.
module kernbench_gemm_checker #(
    parameter int ROWS = 8,
    parameter int COLUMNS = 8,
    parameter bit CHECK_TASKS = 1,
    parameter bit CHECK_DRIVER = 1
) (
    kernbench_gemm_if.monitor pins
);
  import kernbench_checks::*;

  kernbench_stream_checker #(
      .BITS(COLUMNS * 32 + 1),
      .NAME("result")
  ) result_stream (
      .clk  (pins.clk),
      .rst_n(pins.rst_n),
      .valid(pins.result_valid),
      .ready(pins.result_ready),
      .data ({pins.result_last, pins.result_data})
  );

  if (CHECK_DRIVER) begin : driver
    kernbench_stream_checker #(
        .BITS(3 * 32 + 4 + 3 * 64),
        .NAME("task")
    ) task_stream (
        .clk(pins.clk),
        .rst_n(pins.rst_n),
        .valid(pins.task_valid),
        .ready(pins.task_ready),
        .data({
          pins.task_m,
          pins.task_n,
          pins.task_k,
          pins.task_dtype,
          pins.task_a_address,
          pins.task_b_address,
          pins.task_result_address
        })
    );
    kernbench_stream_checker #(
        .BITS(ROWS * 16 + 1),
        .NAME("a")
    ) a_stream (
        .clk  (pins.clk),
        .rst_n(pins.rst_n),
        .valid(pins.a_valid),
        .ready(pins.a_ready),
        .data ({pins.a_last, pins.a_data})
    );
    kernbench_stream_checker #(
        .BITS(COLUMNS * 16 + 1),
        .NAME("b")
    ) b_stream (
        .clk  (pins.clk),
        .rst_n(pins.rst_n),
        .valid(pins.b_valid),
        .ready(pins.b_ready),
        .data ({pins.b_last, pins.b_data})
    );
  end

  if (CHECK_TASKS) begin : tasks
    // Task in progress: folds that A, B and the result have not ended yet.
    logic [63:0] a_folds, b_folds, result_folds;
    logic [31:0] k, n, a_beats, b_beats;  // beats left of the fold
    logic [31:0] rows_left, columns_left, row;
    logic task_taken, a_taken, b_taken, result_taken;

    assign task_taken = pins.task_valid && pins.task_ready;
    assign a_taken = pins.a_valid && pins.a_ready;
    assign b_taken = pins.b_valid && pins.b_ready;
    assign result_taken = pins.result_valid && pins.result_ready;

    // Wider values are computed at the edges that need them, not whenever a pin changes: in a small array a wire of 64
    // bits is a cost.
    function automatic logic [63:0] folds_of(logic [31:0] m, logic [31:0] columns);
      return ((64'(m) + 64'(ROWS) - 64'd1) / 64'(ROWS)) * ((64'(columns) + 64'(COLUMNS) - 64'd1) / 64'(COLUMNS));
    endfunction
    function automatic logic [31:0] beats_behind(logic [31:0] beats, logic [31:0] beats_of_fold, logic last);
      return last ? beats_of_fold : beats - 1;
    endfunction
    function automatic logic last_row();
      return row + 1 == (rows_left < ROWS ? rows_left : ROWS);
    endfunction

    always_ff @(posedge pins.clk) begin
      if (!pins.rst_n) begin
        a_folds <= '0;
        b_folds <= '0;
        result_folds <= '0;
        {k, n, a_beats, b_beats, rows_left, columns_left, row} <= '0;
      end else if (task_taken) begin
        // A block may accept the first beats of the task at the same edge.
        k <= pins.task_k;
        a_folds <= folds_of(pins.task_m, pins.task_n) - 64'(a_taken && pins.a_last);
        b_folds <= folds_of(pins.task_m, pins.task_n) - 64'(b_taken && pins.b_last);
        a_beats <= a_taken ? beats_behind(pins.task_k, pins.task_k, pins.a_last) : pins.task_k;
        b_beats <= b_taken ? beats_behind(pins.task_k, pins.task_k, pins.b_last) : pins.task_k;
        result_folds <= folds_of(pins.task_m, pins.task_n);
        n <= pins.task_n;
        rows_left <= pins.task_m;
        columns_left <= pins.task_n;
        row <= '0;
      end else begin
        if (a_taken) begin
          a_folds <= a_folds - 64'(pins.a_last);
          a_beats <= beats_behind(a_beats, k, pins.a_last);
        end
        if (b_taken) begin
          b_folds <= b_folds - 64'(pins.b_last);
          b_beats <= beats_behind(b_beats, k, pins.b_last);
        end
        if (result_taken) begin
          if (last_row()) begin
            row <= '0;
            result_folds <= result_folds - 1;
            columns_left <= columns_left <= COLUMNS ? n : columns_left - COLUMNS;
            if (columns_left <= COLUMNS) rows_left <= rows_left - ROWS;
          end else row <= row + 1;
        end
      end
      if (pins.rst_n) begin
        if (a_taken) begin
          a_belongs_to_a_task :
          assert (task_taken ? pins.task_m > 0 && pins.task_n > 0 : a_folds > 0)
          else kernbench_violation("operands_belong_to_a_task", "a_ready");
          a_last_at_end_of_fold :
          assert (pins.a_last == ((task_taken ? pins.task_k : a_beats) == 1))
          else kernbench_violation("last_at_end_of_fold", "a_last");
        end
        if (b_taken) begin
          b_belongs_to_a_task :
          assert (task_taken ? pins.task_m > 0 && pins.task_n > 0 : b_folds > 0)
          else kernbench_violation("operands_belong_to_a_task", "b_ready");
          b_last_at_end_of_fold :
          assert (pins.b_last == ((task_taken ? pins.task_k : b_beats) == 1))
          else kernbench_violation("last_at_end_of_fold", "b_last");
        end
      end
      if (pins.rst_n && !task_taken) begin
        if (pins.result_valid) begin
          result_belongs_to_a_task :
          assert (result_folds > a_folds && result_folds > b_folds)
          else kernbench_violation("result_belongs_to_a_task", "result_valid");
          last_at_end_of_task :
          assert (pins.result_last == (result_folds == 1 && last_row()))
          else kernbench_violation("last_at_end_of_task", "result_last");
        end
      end
    end
  end
endmodule
