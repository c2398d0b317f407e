/* Types: formats by their spelling, and axes for the labels of a declaration or a lift. */
#include "lang/elaborate.h"

bool met_format_of_ast(met_instance *inst, const met_ast *ast, met_format *ret_format)
{
    met_text text = met_text_new(inst->lang->arena);
    if (ast->kind == MET_AST_NAME) {
        met_text_str(&text, met_sym_str(inst->lang->session, ast->name));
    } else if (ast->kind == MET_AST_BINARY && ast->binary == MET_TOKEN_SLASH && ast->items[0]->kind == MET_AST_NAME &&
               ast->items[1]->kind == MET_AST_NAME) {
        met_text_str(&text, met_sym_str(inst->lang->session, ast->items[0]->name));
        met_text_char(&text, '/');
        met_text_str(&text, met_sym_str(inst->lang->session, ast->items[1]->name));
    }
    met_str spelling = { met_text_done(&text), text.length };
    if (met_format_parse(spelling, ret_format))
        return true;
    met_diag *d = met_diag_add(inst->lang->session, MET_DIAG_format, ast->span, "there is no format `%s`", met_text_done(&text));
    met_diag_help(d, "formats are %s", met_format_spellings());
    return false;
}

bool met_make_axes(met_instance *inst, const met_ast_labels *labels, bool typed, met_axis_id *ret_axes)
{
    met_lang *lang = inst->lang;
    for (uint32_t i = 0; i < labels->count; i++) {
        const met_ast_label *label = &labels->at[i];
        const met_dim *size = label->size ? met_size_of(inst, label->size) : NULL;
        bool failed = label->size && !size;
        uint32_t id;
        bool known = typed && !label->bare && met_instance_get(inst, MET_SPACE_TYPED, label->name, &id);
        if (!failed && !size && !known)
            size = met_size_of_label(inst, label->name, label->span, typed, &failed);
        if (failed)
            return false;
        if (known && label->size && !met_dim_equal(size, met_builder_axis_size(lang->b, (met_axis_id){ id }))) {
            const char *name = met_sym_text(lang->session, label->name);
            met_diag *d = met_diag_add(lang->session, MET_DIAG_size, label->span, "`%s` already has another size", name);
            met_diag_note(d, met_builder_axis_span(lang->b, (met_axis_id){ id }), "the first is here");
            met_diag_help(d, "within one definition a label of typed arrays is one axis; another axis takes another label");
            return false;
        }
        ret_axes[i] = known ? (met_axis_id){ id } : met_builder_axis(lang->b, label->name, size, label->span);
        if (label->bare || known)
            continue;
        if (typed)
            met_instance_set(inst, MET_SPACE_TYPED, label->name, ret_axes[i].id);
        if (!met_instance_find(inst, MET_SPACE_LABEL, label->name, &id))
            met_instance_set(inst, MET_SPACE_LABEL, label->name, ret_axes[i].id);
    }
    return true;
}
