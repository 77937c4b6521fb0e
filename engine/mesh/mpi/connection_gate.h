// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stddef.h>
#include <sys/socket.h>

// C, too, can include this: it is part of the library that mpirun and its daemons load
// (engine/launch/socket_guard.h).
#ifdef __cplusplus
extern "C" {
#endif

enum { MESHREEL_SECRET_BYTES = 32 };

/// A connection that showed the secret.
struct meshreel_arrival {
    int descriptor;  ///< blocking, closed on exec
    socklen_t address_size;
    struct sockaddr_storage address;  ///< address of the other end
};

/// Guards a listening socket: accepts its connections on a thread of its own, passes on those that begin with
/// the secret, which it consumes, and closes the others. A client that sends nothing, or stops in the middle,
/// delays nobody: it waits for MESHREEL_GREETING_SECONDS in a queue of MESHREEL_WAITING_ROOM places for all
/// gates of the process, which drops others when it is full.
///
/// Makes `listener` deliver one struct meshreel_arrival a message; like a socket that accepts connections, it
/// can be waited for and closed. It replaces the listening socket, which the gate keeps. Returns 0, or -1
/// with errno.
int meshreel_gate_open(int listener, const unsigned char* secret);

/// Returns whether a descriptor is that of a gate.
int meshreel_gate_is(int descriptor);

/// Returns the address that a gate's socket listens on, as getsockname() has it.
int meshreel_gate_name(int descriptor, struct sockaddr* address, socklen_t* size);

enum { MESHREEL_GREETING_SECONDS = 20, MESHREEL_WAITING_ROOM = 256 };

#ifdef __cplusplus
}
#endif
