/* dense_job.h - a dense program on the RTL of its tiles: onyx-array --dense. */
#ifndef ONYX_CLI_MODELS_DENSE_JOB_H
#define ONYX_CLI_MODELS_DENSE_JOB_H

#ifdef __cplusplus
extern "C" {
#endif

/* The files of a job:
 *   BOARD   a board, by its name or file
 *   WORDS   a bitstream
 *   WRITES  the register writes of the streams, a line "OFFSET VALUE" each, hexadecimal
 *   MEMORY  the words of the global buffer, 16 bits, little-endian; after the run those that the run left
 *   RESULT  gets "dense_streams", as the statistics of onyx-cosim (docs/cosim.md) */
enum {
    DENSE_JOB_BOARD,
    DENSE_JOB_WORDS,
    DENSE_JOB_WRITES,
    DENSE_JOB_MEMORY,
    DENSE_JOB_RESULT,
    DENSE_JOB_FILES
};
/* Runs the job. Returns an exit code: 0 done, 1 not run, with diagnostics on standard error. */
int dense_job_run(char *const file[DENSE_JOB_FILES]);

#ifdef __cplusplus
}
#endif

#endif
