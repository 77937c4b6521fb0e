// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded into mpirun before the C library (loopback_only.h): a socket that would be bound to every address of
// the machine is bound to its loopback address.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int bind(int descriptor, const struct sockaddr* address, socklen_t size) {
    if (address != 0 && address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in own = *(const struct sockaddr_in*)(const void*)address;
        if (own.sin_addr.s_addr == htonl(INADDR_ANY))
            own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return (int)syscall(SYS_bind, descriptor, &own, sizeof own);
    }
    if (address != 0 && address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 own = *(const struct sockaddr_in6*)(const void*)address;
        if (IN6_IS_ADDR_UNSPECIFIED(&own.sin6_addr))
            own.sin6_addr = in6addr_loopback;
        return (int)syscall(SYS_bind, descriptor, &own, sizeof own);
    }
    return (int)syscall(SYS_bind, descriptor, address, size);
}
