/* tensors.h - facts of the operands, for who compares runs on different data. */
#ifndef ONYX_REPORT_TENSORS_H
#define ONYX_REPORT_TENSORS_H

#include "report/accuracy.h"

/* Adds "tensors" to report.json (docs/report.md); nothing where the operands are not known. */
void compile_tensors_json(const compile_accuracy *a, const name_table *names, cJSON *json);

#endif
