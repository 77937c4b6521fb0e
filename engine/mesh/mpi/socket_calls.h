// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Where the processes of a run find the secret that they share: 64 hexadecimal digits.
#define MESHREEL_SECRET_VARIABLE "MESHREEL_RUN_SECRET"

/// From here on TCP connections between the processes of a run begin with its secret, if the environment
/// holds one: this process says it wherever it connects to, and takes connections only from who does
/// (connection_gate.h). Whoever calls the C library's listen(), accept(), connect() and send(), as Open MPI,
/// PMIx, UCX and libfabric do, calls those of this file instead; nothing changes for them. Ports below 1024
/// are left alone: servers of the system listen there. 1 when there is a secret.
int meshreel_guard_sockets(void);

#ifdef __cplusplus
}
#endif
