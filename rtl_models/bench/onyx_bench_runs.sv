// The runs of an exported kernel: for each a flush, a cycle for the far rows, the words, and a pause in which surplus
// words would come.
//
// Contract: begins at the first edge outside of reset. next_o starts sources and sinks. done_o stays set after the last
// run; failed_o counts then: a sink or a monitor failed, the cycles are others, or no run ended for Patience cycles.
module onyx_bench_runs #(
    parameter Name = "",
    parameter integer Runs = 1,
    parameter integer Cycles = 0,  // of all runs
    parameter integer Patience = 2 * Cycles + 100000
) (
    input  logic clk_i,
    input  logic rst_ni,
    output logic flush_o,
    output logic next_o,
    input  logic sources_done_i,
    input  logic sinks_done_i,
    input  logic failed_i,   // of any sink
    input  logic hazard_i,   // of any monitor since the flush
    output logic done_o,
    output logic failed_o
);
  localparam integer Drain = 128;

  typedef enum logic [2:0] {StFlush = 3'd0,
    StNext = 3'd1,
    StRun = 3'd2,
    StDrain = 3'd3,
    StDone = 3'd4} state_e;

  state_e state_q;
  logic [31:0] run_q, cycles_q, waited_q;
  logic hazard_q, stuck_q, ended;

  assign flush_o  = state_q == StFlush;
  assign next_o   = state_q == StNext;
  assign done_o   = state_q == StDone;
  assign failed_o = failed_i || hazard_q || stuck_q || cycles_q != Cycles;
  assign ended    = sources_done_i && sinks_done_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StFlush;
      {run_q, cycles_q, waited_q} <= '0;
      {hazard_q, stuck_q} <= '0;
    end else begin
      waited_q <= waited_q + 32'd1;
      case (state_q)
        StFlush: begin
          state_q  <= StNext;
          waited_q <= 32'd0;
        end
        StNext: state_q <= StRun;
        StRun: begin
          if (!sinks_done_i) cycles_q <= cycles_q + 32'd1;
          if (waited_q > Patience) begin
            $display("%s: run %0d does not end", Name, run_q);
            stuck_q <= 1'b1;
            state_q <= StDone;
          end else if (ended) begin
            state_q  <= StDrain;
            waited_q <= 32'd1;
          end
        end
        StDrain: begin
          if (hazard_i && !hazard_q) $display("%s: run %0d raised a monitor", Name, run_q);
          hazard_q <= hazard_q | hazard_i;
          if (waited_q == Drain) begin
            run_q   <= run_q + 32'd1;
            state_q <= run_q + 32'd1 == Runs ? StDone : StFlush;
            if (run_q + 32'd1 == Runs)
              $display("%s: %s, %0d runs, %0d cycles, expected %0d", Name, failed_o || hazard_i ? "FAIL" : "PASS", Runs,
                       cycles_q, Cycles);
          end
        end
        default: state_q <= StDone;
      endcase
    end
  end
endmodule
