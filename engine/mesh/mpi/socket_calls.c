// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of the C library by their own names. The dynamic linker takes those of the program, or of a
// library that is loaded before (LD_PRELOAD), for everybody.
#include "engine/mesh/mpi/socket_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/mesh/mpi/connection_gate.h"

#define EXPORTED __attribute__((visibility("default")))

// What comes next: those of a sanitizer, or the C library's.
static struct {
    int (*listen)(int, int);
    int (*accept)(int, struct sockaddr*, socklen_t*);
    int (*accept4)(int, struct sockaddr*, socklen_t*, int);
    int (*connect)(int, const struct sockaddr*, socklen_t);
    ssize_t (*send)(int, const void*, size_t, int);
    ssize_t (*sendmsg)(int, const struct msghdr*, int);
    int (*getsockname)(int, struct sockaddr*, socklen_t*);
} next;

static pthread_once_t nextFound = PTHREAD_ONCE_INIT;

/// A sanitizer that clang links into the program is no library, so never next: its functions have second
/// names.
static void* nextOf(const char* name, const char* nameInSanitizer) {
#ifdef MESHREEL_SANITIZED
    void* const checked = dlsym(RTLD_DEFAULT, nameInSanitizer);
    if (checked != 0)
        return checked;
#endif
    (void)nameInSanitizer;
    return dlsym(RTLD_NEXT, name);
}

/// ISO C has no conversion from what dlsym() gives to a function.
static void find(const char* name, const char* nameInSanitizer, void* function) {
    void* const found = nextOf(name, nameInSanitizer);
    memcpy(function, &found, sizeof found);
}

static void findNext(void) {
#define FIND(name) find(#name, "__interceptor_" #name, &next.name)
    FIND(listen);
    FIND(accept);
    FIND(accept4);
    FIND(connect);
    FIND(send);
    FIND(sendmsg);
    FIND(getsockname);
#undef FIND
}

static void needNext(void) {
    pthread_once(&nextFound, findNext);
}

static unsigned char secret[MESHREEL_SECRET_BYTES];
static atomic_bool isGuarded = 0;

// What each descriptor still owes to the other end: 0, or the inode of the socket that had the number when it
// began to connect; with `paid`, when it has said the secret.
enum { mostDescriptors = 65536 };
static _Atomic(uint64_t) debts[mostDescriptors];
static const uint64_t paid = (uint64_t)1 << 63;

enum { firstOpenPort = 1024, shortWait = 100 /* ms */ };

static int portOf(const struct sockaddr* address) {
    if (address->sa_family == AF_INET)
        return ntohs(((const struct sockaddr_in*)(const void*)address)->sin_port);
    if (address->sa_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6*)(const void*)address)->sin6_port);
    return 0;
}

static int isStream(int descriptor) {
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

static uint64_t socketOf(int descriptor) {
    struct stat info;
    return fstat(descriptor, &info) == 0 ? (uint64_t)info.st_ino : 0;
}

/// Says the secret before anything else; 0, or -1 with errno when that is not possible yet.
static int payDebt(int descriptor) {
    if (descriptor < 0 || descriptor >= mostDescriptors)
        return 0;
    const uint64_t debt = debts[descriptor];
    if (debt == 0 || (debt & paid) != 0 || debt != socketOf(descriptor))
        return 0;
    size_t said = 0;
    while (said < sizeof secret) {
        const ssize_t sent =
            next.send(descriptor, secret + said, sizeof secret - said, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0)
            said += (size_t)sent;
        else if (said == 0)
            return -1;
        else if (errno == EAGAIN)  // a part of so little: the other end takes the rest
            poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, shortWait);
        else if (errno != EINTR)
            return -1;
    }
    debts[descriptor] = debt | paid;
    return 0;
}

static int hexDigit(char letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

int meshreel_guard_sockets(void) {
    needNext();
    const char* text = getenv(MESHREEL_SECRET_VARIABLE);
    if (text == 0 || strlen(text) != 2 * sizeof secret)
        return 0;
    for (size_t i = 0; i < sizeof secret; ++i) {
        const int high = hexDigit(text[2 * i]);
        const int low = hexDigit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return 0;
        secret[i] = (unsigned char)(high << 4 | low);
    }
    isGuarded = 1;
    return 1;
}

EXPORTED int listen(int descriptor, int backlog) {
    needNext();
    if (isGuarded && meshreel_gate_is(descriptor))
        return 0;
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof address;
    const int result = next.listen(descriptor, backlog);
    if (result == 0 && isGuarded && isStream(descriptor) &&
        next.getsockname(descriptor, (struct sockaddr*)&address, &size) == 0 &&
        portOf((struct sockaddr*)&address) >= firstOpenPort)
        return meshreel_gate_open(descriptor, secret);
    return result;
}

static int takeArrival(int descriptor, struct sockaddr* address, socklen_t* size, int flags) {
    struct meshreel_arrival arrival;
    const ssize_t got = recv(descriptor, &arrival, sizeof arrival, 0);
    if (got != (ssize_t)sizeof arrival) {
        if (got >= 0)
            errno = EINVAL;  // the gate is gone
        return -1;
    }
    if (flags & SOCK_NONBLOCK)
        fcntl(arrival.descriptor, F_SETFL, O_NONBLOCK);
    if (address != 0 && size != 0) {
        memcpy(address, &arrival.address, *size < arrival.address_size ? *size : arrival.address_size);
        *size = arrival.address_size;
    }
    return arrival.descriptor;
}

EXPORTED int accept(int descriptor, struct sockaddr* address, socklen_t* size) {
    needNext();
    if (isGuarded && meshreel_gate_is(descriptor))
        return takeArrival(descriptor, address, size, 0);
    return next.accept(descriptor, address, size);
}

EXPORTED int accept4(int descriptor, struct sockaddr* address, socklen_t* size, int flags) {
    needNext();
    if (isGuarded && meshreel_gate_is(descriptor))
        return takeArrival(descriptor, address, size, flags);
    return next.accept4(descriptor, address, size, flags);
}

EXPORTED int getsockname(int descriptor, struct sockaddr* address, socklen_t* size) {
    needNext();
    if (isGuarded && meshreel_gate_is(descriptor))
        return meshreel_gate_name(descriptor, address, size);
    return next.getsockname(descriptor, address, size);
}

EXPORTED int connect(int descriptor, const struct sockaddr* address, socklen_t size) {
    needNext();
    if (isGuarded && address != 0 && size >= sizeof(struct sockaddr_in) && portOf(address) >= firstOpenPort &&
        isStream(descriptor)) {
        if (descriptor >= mostDescriptors) {
            errno = EMFILE;
            return -1;
        }
        const uint64_t socket = socketOf(descriptor);
        if (debts[descriptor] != (socket | paid))  // some ask by a second call whether they are connected
            debts[descriptor] = socket;
    }
    return next.connect(descriptor, address, size);
}

EXPORTED ssize_t send(int descriptor, const void* data, size_t size, int flags) {
    needNext();
    if (isGuarded && payDebt(descriptor) != 0)
        return -1;
    return next.send(descriptor, data, size, flags);
}

EXPORTED ssize_t sendmsg(int descriptor, const struct msghdr* message, int flags) {
    needNext();
    if (isGuarded && payDebt(descriptor) != 0)
        return -1;
    return next.sendmsg(descriptor, message, flags);
}
