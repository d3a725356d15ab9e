/* stored.h - `onyx tile convert` for other programs: a tensor in memory as a file in a format. */
#ifndef ONYX_STORED_H
#define ONYX_STORED_H

#include "onyx.h"

/* Stores a tensor in a format. `arguments` are those of `onyx tile convert` but for the file that is read: -f
 * FORMAT -o FILE.stored, --formats, --dtype. Operands of onyx_run with -i T:FILE.stored are read back. The
 * report of the result is JSON: format, entries, values, bytes, metadata; of banks their number and the
 * entries of the fullest one; parts, each such an object (docs/storage.md). Never NULL; free with onyx_free.
 */
onyx_result *onyx_tensor_convert(const onyx_tensor *tensor, const char *const *arguments,
                                 uint32_t n_arguments);

#endif
