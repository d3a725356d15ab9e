/* Operands: which file or generator gives each tensor of the statement. */
#include "cli/cli.h"

/* The part after "T:" of the argument that names `tensor`, or NULL. A vector of "T:rest" arguments. */
static const char *argument_for(const text_vec *arguments, const char *tensor) {
    size_t length = strlen(tensor);
    for (uint32_t i = 0; i < arguments->len; i++) {
        if (strncmp(arguments->at[i], tensor, length) == 0 && arguments->at[i][length] == ':')
            return arguments->at[i] + length + 1;
    }
    return NULL;
}

/* Every -i and -g must name an operand of the statement. */
static bool all_known(const text_vec *arguments, const char *option, cli_session *s,
                      const sam_statement *st) {
    for (uint32_t i = 0; i < arguments->len; i++) {
        size_t length = strcspn(arguments->at[i], ":");
        bool known = false;
        for (uint32_t t = 0; t < st->tensors.len; t++) {
            const char *name = names_text(&s->names, st->tensors.at[t].name);
            known = known || (t + 1 != st->result.v && strlen(name) == length &&
                              strncmp(name, arguments->at[i], length) == 0);
        }
        if (known && arguments->at[i][length] == ':')
            continue;
        diag_error(&s->diag, (src_loc){0}, "E0910-operand",
                   "%s %s does not name an operand of the expression", option, arguments->at[i]);
        diag_hint(&s->diag, "write the tensor's name, a colon, and the file or generator");
        return false;
    }
    return true;
}

bool cli_read_operands(const cli_options *o, cli_session *s, cli_kernel *kernel, tile_operands *operands) {
    const sam_statement *st = &kernel->user;
    tile_tensor *data = arena_new_n(&s->mem, tile_tensor, st->tensors.len);
    *operands = (tile_operands){data, st->tensors.len, o->dtype};
    if (!all_known(&o->inputs, "-i", s, st) || !all_known(&o->generators, "-g", s, st))
        return false;
    uint32_t k = 0; /* operands in order of first appearance: what -g seeds with */
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        const sam_tensor_data *tensor = &st->tensors.at[t];
        const char *name = names_text(&s->names, tensor->name);
        const char *file = argument_for(&o->inputs, name), *spec = argument_for(&o->generators, name);
        if (t + 1 == st->result.v)
            continue;
        if (!file && !spec) {
            diag_error(&s->diag, tensor->loc, "E0911-no-data", "nothing says what %s holds", name);
            diag_hint(&s->diag, "give -i %s:FILE, or -g %s:DIMS:DENSITY", name, name);
            return false;
        }
        bool ok = file ? tile_read(file, tensor->name, tensor->order, o->dtype, o->values, &s->mem, &s->diag,
                                   &data[t])
                       : tile_generate(spec, tensor->name, k, o->seed, o->dtype, &s->mem, &s->diag, &data[t]);
        if (!ok)
            return false;
        if (data[t].order != tensor->order) {
            diag_error(&s->diag, tensor->loc, "E0912-order",
                       "-g %s makes a tensor of order %u, %s has %u indices", spec, data[t].order, name,
                       tensor->order);
            return false;
        }
        k++;
    }
    return tile_extents(st, operands, &s->mem, &s->diag, &kernel->extent);
}
