/* What one change of trees would make two ways of running a circuit agree, and what the model says that it costs: the folds of
 * one side that differ go along the tree that they have on the other. Where a family of the side's class has such kernels,
 * nothing is dearer. Where the tree is one of rounded additions or fma in f32, the kernels are priced at the device's f32
 * peak: its matrix units add up otherwise. What only a unit of another class does has no price. */
#ifndef MET_PARITY_REMEDY_H
#define MET_PARITY_REMEDY_H

#include "met/parity.h"
#include "parity/compare.h"
#include "plan/lowering.h"

typedef enum met_remedy_price {
    MET_REMEDY_FAMILY,   /* `family` has kernels that fold so */
    MET_REMEDY_PEAK,     /* at the f32 peak of the device */
    MET_REMEDY_WRITTEN,  /* the class is written for: rounded additions are what it does anyway */
    MET_REMEDY_NO_UNIT,  /* no price: nothing of the class adds up so */
    MET_REMEDY_NO_DEVICE /* no price: the plan is of a class */
} met_remedy_price;

typedef struct met_remedy {
    bool of_a;             /* the side that changes */
    const char *ops;       /* of the nodes that change: "linear, einsum" */
    uint32_t count;        /* of them, nodes of the written circuit */
    met_tree tree;
    met_verdict verdict;   /* of the whole, with this change alone … */
    uint32_t left;         /* … and how many nodes are not the same then */
    met_remedy_price price;
    const met_family *family;
    double seconds;        /* how much more the side's plan takes; 0 without a price */
} met_remedy;

typedef struct met_remedies {
    uint32_t count;
    const met_remedy *at; /* what makes them equal first, then by what is left */
} met_remedies;

/* The lowerings are those of both sides; they say what class and device it is. In the circuit's arena. */
met_remedies met_remedies_of(const met_plan_parity *parity, const met_lowering *a, const met_lowering *b);

/* An option or a setting that was tried: does it make them equal, and what do both plans take more then? What the kernels of a
 * class cannot be written for is none. */
typedef struct met_parity_option {
    const char *name;     /* "--dot pairs", "--tree-b 'sequential'" */
    const char *side;     /* that it is of, "a" or "b"; NULL: of both */
    const met_remedy *remedy; /* that it says; NULL: none */
    met_verdict verdict;
    uint32_t left;        /* nodes that are not the same then */
    bool priced;
    double a_seconds, b_seconds; /* more than without it */
} met_parity_option;

/* What there is to say of a comparison: met/parity.h puts it into words. */
struct met_parity_report {
    const met_plan_parity *parity;
    const met_lowering *a, *b;
    met_remedies remedies;         /* of trees */
    uint32_t option_count;
    const met_parity_option *options; /* that were tried, in order */
};

#endif
