// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stddef.h>
#include <sys/socket.h>

// For C, too: it is part of the library that mpirun and its daemons are given (engine/launch/socket_guard.h).
#ifdef __cplusplus
extern "C" {
#endif

enum { MESHREEL_SECRET_BYTES = 32 };

/// A connection that showed the secret.
struct meshreel_arrival {
    int descriptor;  ///< blocking, closed on exec
    socklen_t address_size;
    struct sockaddr_storage address;  ///< of the other end
};

/// Stands before a listening socket: takes its connections, on a thread of its own, lets those through that
/// begin with the secret, of which nothing is left to read, and closes the others. Who says nothing, or stops
/// in the middle, waits without holding anybody up: for MESHREEL_GREETING_SECONDS, in a room of
/// MESHREEL_WAITING_ROOM places for all gates of the process, which others leave when it is full.
///
/// From `listener` on comes one struct meshreel_arrival a message, as from a socket that connections are
/// accepted from: to be waited for, and closed, as such. It takes the place of the listening socket, which
/// the gate keeps. 0, or -1 with errno.
int meshreel_gate_open(int listener, const unsigned char* secret);

/// Whether a descriptor is that of a gate.
int meshreel_gate_is(int descriptor);

/// The address that a gate's socket listens on, as getsockname() has it.
int meshreel_gate_name(int descriptor, struct sockaddr* address, socklen_t* size);

enum { MESHREEL_GREETING_SECONDS = 20, MESHREEL_WAITING_ROOM = 256 };

#ifdef __cplusplus
}
#endif
