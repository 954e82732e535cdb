/* csv.h: the tables of several answers as one. */
#ifndef KCI_LUA_CSV_H
#define KCI_LUA_CSV_H

#include "vm.h"

/* Appends to the VM's output. False: no memory, or an answer is no table. */
bool kci_csv_join(kc_vm *vm, int tensors);

#endif
