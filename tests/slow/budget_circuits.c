/* The property of tests/unit/test_budget_circuit.c on many more circuits: about half a minute. */
#define MET_PROPERTY_ROUNDS 20000
#include "unit/test_budget_circuit.c"
