// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Where the processes of a run find the secret that they share: 64 hexadecimal digits.
#define MESHREEL_SECRET_VARIABLE "MESHREEL_RUN_SECRET"

/// Makes TCP connections between the processes of a run begin with its secret, if the environment holds one:
/// this process sends it on every connection that it makes, and accepts only connections that send it
/// (connection_gate.h). Callers of the C library's listen(), accept(), connect() and send(), such as Open
/// MPI, PMIx, UCX and libfabric, call the functions of this file instead and notice no change. Ports below
/// 1024 are exempt: servers of the system listen there. Returns 1 when there is a secret.
int meshreel_guard_sockets(void);

#ifdef __cplusplus
}
#endif
