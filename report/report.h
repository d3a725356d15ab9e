/* report.h - reports about compiled kernels and their runs: for programs and for people. */
#ifndef ONYX_REPORT_H
#define ONYX_REPORT_H

#include "kernel/kernel.h"
#include "report/accuracy.h"
#include "report/cpu.h"
#include "report/energy.h"

/* report.json (docs/report.md); `ran`: after run, not only compiled. */
cJSON *compile_report(const compile_options *o, const compile_context *ctx, const compile_kernel *k, bool ran,
                      const char *check);
/* Begins report.json: the version and the commit of onyx, the expression or the program under the name
 * `kind`, how it was run, and the verdict. */
cJSON *compile_begin_report(const compile_options *o, const char *kind, bool ran, const char *check);
/* The summary for people. */
void compile_summary(const compile_options *o, const compile_context *ctx, const compile_kernel *k, bool ran,
                     const char *check, FILE *out);

/* Adds an operand of a kernel on an engine that has a global buffer to a list: its region, as it was stated
 * or as it came, for which batches it stayed, and what the host wrote. */
void compile_placed_json(const compile_context *ctx, const compile_placed *p, cJSON *list);
/* Prints the outcome of stated regions. */
void compile_regions_summary(const compile_context *ctx, const compile_kernel *k, FILE *out);

/* What the cycle model met. The first adds "hazards" to report.json; after engine cycle the second adds
 * "stalls" and "bottlenecks", with shares of the run's `kernel` cycles. The third reads these two members of
 * a report, or of a kernel's section of one: a line about tiles that stalled other tiles, followed by a line
 * for each channel with the longest waits. No line without the two members. */
void compile_hazards_json(const compile_modelled *met, cJSON *json);
void compile_stalls_json(const compile_context *ctx, const compile_modelled *met, uint64_t kernel,
                         cJSON *json);
text_vec compile_stalls_lines(const cJSON *section, arena *mem);

/* What functions on the chip's processor did: "processor" of report.json, where any was called, and a line.
 */
void compile_processor_json(const compile_processed *p, cJSON *json);
const char *compile_processor_text(const compile_processed *p, arena *mem);

/* Prints a line, `indent` before it, for each function along an index of the kernels with left-out fill
 * values. */
void compile_print_taken(const compile_kernel *all, const char *indent, FILE *out);
/* Adds "along" to the section of a function kernel in report.json: its name and its argument counts. */
void compile_taken_json(const compile_kernel *k, cJSON *json);

#endif
