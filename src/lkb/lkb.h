/* The Latent Kernel Blueprint as data: devices, hardware classes, matrix units, kernel families with their parameters and points, and the
 * rules that say which ops become which kernels. It owns the meaning of the four files under kernels/ (docs/formats/), their
 * checks, inheritance between classes, and nothing else: it matches no circuit, knows no cost and reads no file.
 *
 * A blueprint is immutable, lives in its session, and every part keeps the span it came from. Names are NUL-terminated and
 * unique in their table. */
#ifndef MET_LKB_LKB_H
#define MET_LKB_LKB_H

#include "base/value.h"
#include "ir/op.h"
#include "met/blueprint.h"
#include "number/tree.h"
#include "type/format.h"

typedef struct met_name_list {
    uint32_t count;
    const char *const *names;
} met_name_list;

/* --- Devices: DEVICES.toml. Bytes, bytes a second, flops a second, seconds; 0 where a figure does not exist. --- */

typedef struct met_device_level {
    const char *name; /* l1, l2, l3, dram, smem, hbm */
    uint64_t capacity_bytes;
    double bytes_per_s; /* of the whole device */
} met_device_level;

/* Peaks by the format of activations, dense. */
typedef enum met_peak { MET_PEAK_F32, MET_PEAK_BF16, MET_PEAK_FP8, MET_PEAK_NVFP4, MET_PEAK_COUNT } met_peak;

typedef struct met_device {
    const char *id;
    const char *class_id;
    met_span span;
    uint32_t level_count; /* at least 1; from the innermost out: the last one holds weights */
    const met_device_level *levels;
    double peak[MET_PEAK_COUNT];
    double launch_s;       /* what starting a kernel costs */
    uint32_t units;        /* SMs, cores */
    uint64_t memory_bytes; /* visible */
    double usable;         /* share of it that weights and caches may take */
    double joule_per_byte, joule_per_flop; /* modelled; 0: unknown */
    const char *source;        /* where the figures come from */
    const char *energy_source; /* likewise; NULL: no model */
} met_device;

/* --- Families: KERNEL_FAMILIES.toml --- */

/* Where a parameter lives: in the argument list; in an instantiation; in a plug-in; in a tree. Only the last three tell
 * points apart. */
typedef enum met_param_kind { MET_PARAM_RUNTIME, MET_PARAM_COMPILE, MET_PARAM_POLICY, MET_PARAM_NUMERICS } met_param_kind;

/* How a parameter's value is read off a group of nodes. */
typedef enum met_extract {
    MET_EXTRACT_DIM,        /* dim:X     the size that the circuit calls X */
    MET_EXTRACT_WEIGHT,     /* weight    format of the weight */
    MET_EXTRACT_ACTIVATION, /* activation  format of the first input */
    MET_EXTRACT_OUTPUT,     /* output    format of the first result */
    MET_EXTRACT_OP,         /* op        name of the core op */
    MET_EXTRACT_CONSUMER,   /* consumer_op */
    MET_EXTRACT_OPTION,     /* param:X   an option of the core op */
    MET_EXTRACT_SETTING,    /* setting:X of the class or the request */
    MET_EXTRACT_IN_DIM,     /* in_dim, out_dim: sizes of what a linear map contracts and makes */
    MET_EXTRACT_OUT_DIM,
    MET_EXTRACT_TREE        /* tree      of the core op's fold */
} met_extract;

typedef struct met_family_param {
    const char *name;
    met_param_kind kind;
    met_extract extract;
    const char *argument; /* X above */
    const char *absent;   /* value where there is none; NULL: that is an error */
    met_span span;
} met_family_param;

typedef enum met_point_how { MET_HOW_INSTANTIATION, MET_HOW_COPY, MET_HOW_BRANCH } met_point_how;

typedef struct met_family_point {
    const char *const *values; /* by parameter; NULL for runtime ones */
    met_point_how how;
    met_name_list files;
    met_name_list needs;       /* capabilities without which a class does not have it */
    met_span span;
} met_family_point;

typedef struct met_family_op {
    met_op_id op;
    met_name_list roles; /* of the weight; empty: any */
    met_span span;
} met_family_op;

/* The precision of one step: "accumulate" in "f32"; projections and the like have several. */
typedef struct met_pipeline_step {
    met_op_id op;
    const char *step;
    const char *precision; /* weight: "stored->operand", mma: "a*b" */
} met_pipeline_step;

/* A step that runs lower than is required of it, and in what: said by the rule, or by the family of the kernel. */
typedef struct met_departs {
    const char *step, *precision;
    met_span span;
} met_departs;

typedef struct met_departs_list {
    uint32_t count;
    const met_departs *at;
} met_departs_list;

typedef struct met_family {
    const char *id;
    const char *summary;
    met_span span;
    const char *form;      /* what the generator calls the text that makes it (realize/form.h); NULL: it makes none */
    uint32_t op_count;
    const met_family_op *ops;  /* that its kernels may contain */
    met_name_list core;        /* names of ops, one of which a kernel of it must contain; empty: any */
    met_name_list kernels;     /* names, unique over all families */
    const char *derived;       /* of those, the name of kernels that derivation finds; NULL: takes none */
    met_name_list needs;       /* capabilities without which a class has none of its kernels */
    const char *const *trees;  /* by kernel: id of a tree, or "undeclared" */
    uint32_t param_count, point_count, step_count;
    const met_family_param *params;
    const met_family_point *points;
    const met_pipeline_step *steps;
    met_departs_list departs;  /* what its kernels do in less than the policy requires */
    bool scales_groups;        /* codes are multiplied, and what each group of scales comes to is scaled; else nobody says */
} met_family;

typedef struct met_lkb_tree {
    const char *id, *summary;
    const char *unit; /* whose nodes these are: id of a matrix unit; NULL: nobody says */
    met_tree tree; /* widths may be expressions over sizes of the blueprint's */
    met_span span;
} met_lkb_tree;

/* --- Matrix units: MATRIX_UNITS.toml. What one or more GPUs do with operands of some formats. --- */

typedef struct met_lkb_unit {
    const char *id, *summary;
    met_span span;
    met_name_list gpus, inputs; /* "h100"; f16, bf16, tf32, e4m3, e5m2: at most one unit for a GPU, an input and an output */
    met_name_list replayed;     /* GPUs whose recordings it reproduces */
    bool half;                  /* results are f16; else f32 */
    bool declared;              /* else the instruction is unknown, or not of this kind */
    bool without_c;             /* recorded with an accumulator of zero, whatever files beside it say */
    met_matrix_instruction instruction;
    const char *source;
} met_lkb_unit;

/* --- The policy: PRECISION.toml. What precision every step must have, and what steps an op must have. --- */

typedef enum met_requires {
    MET_REQUIRES_ANY,       /* nothing */
    MET_REQUIRES_PRECISION, /* at least that precision */
    MET_REQUIRES_INPUTS,    /* every value of what the op reads … */
    MET_REQUIRES_OPERAND,   /* … of what it reads that is no parameter … */
    MET_REQUIRES_WEIGHT,    /* … that is one */
    MET_REQUIRES_FACTORS,   /* of both, side by side */
    MET_REQUIRES_RESULT     /* every value of the format that the circuit says */
} met_requires;

typedef struct met_policy_step {
    const char *step;
    met_requires requires;
    const char *precision; /* of PRECISION */
} met_policy_step;

typedef struct met_policy_need {
    met_op_id op;
    met_name_list steps; /* one of which it must have, the first for choice */
} met_policy_need;

typedef struct met_policy {
    uint32_t step_count, need_count;
    const met_policy_step *steps; /* in the order of the steps, each once */
    const met_policy_need *needs; /* by op, each at most once */
} met_policy;

/* Which weights play which role: the last component of the parameter's name. */
typedef struct met_role {
    const char *role; /* q, k, v, o, gate, up, down, router, lm_head … */
    met_name_list weights;
} met_role;

/* --- Rules: FUSIONS.toml --- */

typedef struct met_rule_element {
    uint32_t op_count; /* any of them */
    const met_op_id *ops;
    met_name_list roles;  /* any of them; empty: any */
    const char *block;    /* name of a block that the node is in; NULL: any */
    bool has_weight, has_input, has_makes, has_writes, has_holds;
    met_format weight;    /* format of its weight */
    met_format input;     /* format that it reads first */
    met_format makes;     /* format of its first result, as the circuit says */
    met_format writes;    /* format in which what it makes is stored */
    met_format holds;     /* format in which what it makes is handed on inside */
    bool keep;            /* what it makes may also be read outside */
    bool stored;          /* what it makes is stored in any case */
    bool sibling;         /* joins by being in the first member's block, not by data */
    bool optional;        /* may be absent */
    uint32_t reads;       /* number, from 0, of the element of which it must read a result; UINT32_MAX: any earlier one */
    met_span span;
} met_rule_element;

typedef enum met_tag { MET_TAG_REFERENCE, MET_TAG_BIT_IDENTICAL, MET_TAG_DIFFERS } met_tag;
typedef enum met_repeat { MET_REPEAT_ONCE, MET_REPEAT_PER_ROW, MET_REPEAT_PER_ROW_BUT_LAST, MET_REPEAT_CHUNK, MET_REPEAT_PER_RUN } met_repeat;

typedef struct met_setting {
    const char *name, *value;
} met_setting;

/* What a setting may be. A lever is one that may be on or off. */
typedef struct met_setting_kind {
    const char *name, *summary;
    met_name_list values;
    met_span span;
} met_setting_kind;

typedef struct met_capability {
    const char *name, *summary;
} met_capability;

typedef struct met_rule {
    const char *id;
    met_span span;
    uint32_t element_count; /* at least 1; the first one is no sibling and not optional */
    const met_rule_element *elements;
    met_name_list kernels;
    const met_span *kernel_spans;
    met_repeat repeat;
    uint32_t chunk;          /* of CHUNK */
    met_name_list modes;     /* empty: all */
    uint64_t rows_min, rows_max;
    uint32_t when_count;
    const met_setting *when; /* settings that must have these values */
    met_name_list capabilities;
    met_tag tag;
    const char *microtest; /* BIT_IDENTICAL */
    const char *lever;     /* DIFFERS: a setting that must be "on" */
    met_departs_list departs; /* what its groups do in less than is required */
    int32_t priority;
    const char *cite;
    const char *example; /* a circuit in the language in which it matches, where the architectures have none; or NULL */
} met_rule;

/* --- Classes: HARDWARE.toml --- */

/* A kernel that the class does not have, and why. */
typedef struct met_absence {
    const char *kernel, *reason;
    met_span span;
} met_absence;

/* With all that it inherits. */
typedef struct met_hardware {
    const char *id;
    const char *parent; /* NULL: a root */
    const char *class_name; /* whose kernels src/realize writes: cpu-avx2; NULL: plans and costs only */
    const char *summary;
    met_span span;
    uint32_t default_count, absence_count, family_count, rule_count;
    const met_setting *defaults;  /* states every setting that a rule reads */
    met_name_list capabilities;
    const met_absence *absences;
    const met_family *const *families; /* in file order, the parent's first */
    const met_rule *const *rules;      /* by priority from high to low, then by id */
    met_name_list residual;            /* kernels that no family makes */
    met_name_list matrix_units;        /* ops that must use them here; an audit of this class alone, so not inherited */
    met_policy policy;
} met_hardware;

struct met_lkb {
    met_session *session;
    uint32_t device_count, hardware_count, tree_count, role_count, setting_count, capability_count, site_count, unit_count;
    const met_device *devices;
    const met_hardware *hardware;
    const met_lkb_tree *trees;
    uint32_t size_count;
    const met_str *sizes; /* names of the sizes in widths of trees, by symbol; what they are of a fold: parity/declared.h */
    const met_role *roles;
    const met_setting_kind *settings;
    const met_capability *capabilities;
    const met_lkb_unit *units;
    const met_rule *sites; /* SITES.toml: patterns without kernels, the first one that fits first (plan/roofline.h) */
    /* SHA-256 in hex of everything above, without spans: what evidence is evidence for. Further devices are not in it:
     * measuring a machine makes no evidence stale. */
    const char *digest;
};

/* The files as value trees; an overlay is a FUSIONS.toml, KERNEL_FAMILIES.toml or PRECISION.toml of one class, under
 * classes/CLASS/. */
typedef struct met_lkb_overlay {
    const char *class_id;
    const met_value *families, *fusions, *precision; /* NULL: the parent's */
} met_lkb_overlay;

typedef struct met_lkb_sources {
    const met_value *families, *fusions, *hardware, *devices;
    const met_value *sites; /* NULL: none */
    const met_value *units; /* NULL: none */
    const met_value *precision; /* NULL: nothing is required of any step */
    uint32_t overlay_count;
    const met_lkb_overlay *overlays;
    uint32_t extra_device_count; /* further DEVICES.toml, such as one that `met hw probe` wrote */
    const met_value *const *extra_devices;
} met_lkb_sources;

/* Reads and checks everything. NULL with diagnostics, each with its span and its reason. */
const met_lkb *met_lkb_read(met_session *session, const met_lkb_sources *sources);

/* NULL if there is none. */
const met_device *met_lkb_device(const met_lkb *lkb, const char *id);
const met_hardware *met_lkb_hardware(const met_lkb *lkb, const char *id);
/* The device or the class of that name: *ret_device is NULL for a class. False with a diagnostic that lists the names. */
bool met_lkb_target(const met_lkb *lkb, const char *name, const met_device **ret_device, const met_hardware **ret_hardware);
/* What the policy says of a step, and of an op; NULL: nothing. */
const met_policy_step *met_policy_of(const met_policy *policy, const char *step);
const met_policy_need *met_policy_need_of(const met_policy *policy, met_op_id op);
/* Whether the list says that this step runs in this precision. */
bool met_departs_has(const met_departs_list *list, const char *step, const char *precision);
/* The unit of a GPU for operands and results; NULL if there is none. */
const met_lkb_unit *met_lkb_unit_of(const met_lkb *lkb, const char *gpu, const char *input, bool half);
/* The family that has this kernel; NULL if none has. */
const met_family *met_hardware_family(const met_hardware *hardware, const char *kernel, uint32_t *ret_kernel);
/* Names of the sizes in widths of trees, for their text. */
met_tree_names met_lkb_sizes(const met_lkb *lkb);

/* SHA-256 in hex of all that a class has, inherited things included, without devices and other classes: what evidence about its
 * kernels is evidence under. */
const char *met_hardware_digest(met_arena *arena, const met_lkb *lkb, const met_hardware *hardware);
/* The role of a weight by the name of its parameter; NULL if it has none. */
const char *met_lkb_role(const met_lkb *lkb, met_str parameter);
/* The value of a setting among the class's defaults; NULL if it is not stated. */
const char *met_hardware_setting(const met_hardware *hardware, const char *name);
/* Why a kernel is not available on the class; NULL if it is. */
const char *met_hardware_lacks(const met_hardware *hardware, const char *kernel);
/* Modes that rules may name: what a step is (decode, prefill …). */
extern const char *const met_lkb_modes[];
extern const size_t met_lkb_mode_count;
bool met_name_list_has(const met_name_list *list, const char *name);

#endif
