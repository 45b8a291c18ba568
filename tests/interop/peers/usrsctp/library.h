/* What the programs over usrsctp share. */

#ifndef LIBRARY_H
#define LIBRARY_H

#include "contract.h"

/* Starts the library. */
void library_set_up(const struct options *options);

/* Addresses one behind the other, as bindx and connectx want them; valid until the next call. */
struct sockaddr *library_packed(const struct sockaddr_storage *addresses, int count);

#endif
