// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded into mpirun and its daemons before the C library (socket_guard.h), together with
// mesh/mpi/socket_calls.c.
#include "engine/launch/socket_guard_library.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/mesh/mpi/connection_gate.h"
#include "engine/mesh/mpi/socket_calls.h"

/// A script around mpirun is not guarded: what it starts may be without this library.
static int isGuardedProgram(void) {
    static const char* const beginnings[] = {"mpirun", "mpiexec", "orterun", "prterun"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
        if (strncmp(program_invocation_short_name, beginnings[i], strlen(beginnings[i])) == 0)
            return 1;
    return 0;
}

/// The secret comes in a file, for all users see what stands on a command line; children, ranks among them,
/// find it in their environment. The file stays mapped, as a sign that this process is guarded.
static void takeSecret(const char* path) {
    char text[2 * MESHREEL_SECRET_BYTES + 1] = {0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const void* mapped = mmap(0, sizeof text - 1, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
        memcpy(text, mapped, sizeof text - 1);
        setenv(MESHREEL_SECRET_VARIABLE, text, 1);
    }
    if (file >= 0)
        close(file);
}

__attribute__((constructor)) static void begin(void) {
    const char* path = getenv(MESHREEL_SECRET_FILE_VARIABLE);
    if (path != 0 && isGuardedProgram())
        takeSecret(path);
    meshreel_guard_sockets();
}

/// A socket that would be bound to every address of the machine is bound to its loopback address, if it is
/// not to be reached from others.
__attribute__((visibility("default"))) int bind(int descriptor, const struct sockaddr* address,
                                                socklen_t size) {
    const int onlyHere = getenv(MESHREEL_LOOPBACK_VARIABLE) != 0;
    if (onlyHere && address != 0 && address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in own = *(const struct sockaddr_in*)(const void*)address;
        if (own.sin_addr.s_addr == htonl(INADDR_ANY))
            own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return (int)syscall(SYS_bind, descriptor, &own, sizeof own);
    }
    if (onlyHere && address != 0 && address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 own = *(const struct sockaddr_in6*)(const void*)address;
        if (IN6_IS_ADDR_UNSPECIFIED(&own.sin6_addr))
            own.sin6_addr = in6addr_loopback;
        return (int)syscall(SYS_bind, descriptor, &own, sizeof own);
    }
    return (int)syscall(SYS_bind, descriptor, address, size);
}
