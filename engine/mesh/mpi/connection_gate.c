// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/connection_gate.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { mostGates = 32, eventsAtOnce = 64, pauseWithoutDescriptors = 100 /* ms */ };

/// A listening socket, and the pair that stands in its place.
struct Gate {
    int listener;
    int inner;          // the porter's end
    int outer;          // the number that the program knows; -1: no gate
    ino_t outerSocket;  // what had that number: the program may have closed it
};

/// A connection that has not shown the secret yet.
struct Guest {
    struct meshreel_arrival arrival;  // its descriptor is -1: an empty place
    int gate;
    int64_t due;  // milliseconds of the monotonic clock
    size_t said;
    unsigned char words[MESHREEL_SECRET_BYTES];
};

static pthread_mutex_t gateLock = PTHREAD_MUTEX_INITIALIZER;
static struct Gate gates[mostGates];
static int gateCount = 0;
static int watched = -1;  // the porter's epoll
static unsigned char expected[MESHREEL_SECRET_BYTES];

// The porter's own.
static struct Guest room[MESHREEL_WAITING_ROOM];
static int guestCount = 0;

/// What an event is about.
enum Subject { ofListener, ofInner, ofGuest };

static int watch(int descriptor, uint32_t events, enum Subject subject, int index) {
    struct epoll_event event = {.events = events};
    event.data.u64 = (uint64_t)subject << 32 | (uint32_t)index;
    return epoll_ctl(watched, EPOLL_CTL_ADD, descriptor, &event);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void forget(struct Guest* guest) {
    epoll_ctl(watched, EPOLL_CTL_DEL, guest->arrival.descriptor, 0);
    guest->arrival.descriptor = -1;
    --guestCount;
}

static void sendAway(struct Guest* guest) {
    const int descriptor = guest->arrival.descriptor;
    forget(guest);
    close(descriptor);
}

/// IPv6 gives every host a network of 64 bits to choose addresses from.
static int isFromSameHost(const struct Guest* guest, const struct sockaddr_storage* address) {
    enum { networkBytes = 8 };
    const struct sockaddr_storage* own = &guest->arrival.address;
    if (own->ss_family != address->ss_family)
        return 0;
    if (own->ss_family == AF_INET)
        return ((const struct sockaddr_in*)own)->sin_addr.s_addr ==
               ((const struct sockaddr_in*)address)->sin_addr.s_addr;
    return memcmp(&((const struct sockaddr_in6*)own)->sin6_addr,
                  &((const struct sockaddr_in6*)address)->sin6_addr, networkBytes) == 0;
}

static struct Guest* olderOf(struct Guest* a, struct Guest* b) {
    return a == 0 || b->due < a->due ? b : a;
}

/// Who has waited longest leaves a full room, and a host that has a quarter of it makes room for itself: a
/// flood of one host pushes out nobody else.
static void makeRoomFor(const struct sockaddr_storage* newcomer) {
    struct Guest* oldest = 0;
    struct Guest* oldestOfHost = 0;
    int ofHost = 0;
    for (int i = 0; i < MESHREEL_WAITING_ROOM; ++i) {
        struct Guest* guest = &room[i];
        if (guest->arrival.descriptor < 0)
            continue;
        oldest = olderOf(oldest, guest);
        if (newcomer != 0 && isFromSameHost(guest, newcomer)) {
            oldestOfHost = olderOf(oldestOfHost, guest);
            ++ofHost;
        }
    }
    if (oldest != 0)
        sendAway(ofHost >= MESHREEL_WAITING_ROOM / 4 ? oldestOfHost : oldest);
}

static struct Guest* findPlace(const struct sockaddr_storage* newcomer) {
    if (guestCount == MESHREEL_WAITING_ROOM)
        makeRoomFor(newcomer);
    struct Guest* place = room;
    while (place->arrival.descriptor >= 0)
        ++place;
    return place;
}

static int isSecret(const unsigned char* words) {
    unsigned char difference = 0;
    for (int i = 0; i < MESHREEL_SECRET_BYTES; ++i)
        difference |= words[i] ^ expected[i];
    return difference == 0;
}

static void letIn(struct Guest* guest) {
    const struct meshreel_arrival arrival = guest->arrival;
    forget(guest);
    if (send(gates[guest->gate].inner, &arrival, sizeof arrival, MSG_DONTWAIT | MSG_NOSIGNAL) !=
        (ssize_t)sizeof arrival)
        close(arrival.descriptor);
}

/// Nothing is compared before all is there: the time of an answer would tell how much of a guess is right.
static void hear(struct Guest* guest) {
    const ssize_t got = recv(guest->arrival.descriptor, guest->words + guest->said,
                             MESHREEL_SECRET_BYTES - guest->said, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        sendAway(guest);
        return;
    }
    guest->said += (size_t)got;
    if (guest->said < MESHREEL_SECRET_BYTES)
        return;
    if (isSecret(guest->words))
        letIn(guest);
    else
        sendAway(guest);
}

/// Takes what stands at the door; a bounded number, so that guests are heard in between.
static void receive(int gate) {
    for (int taken = 0; taken < eventsAtOnce; ++taken) {
        struct meshreel_arrival arrival = {.address_size = sizeof arrival.address};
        arrival.descriptor = accept4(gates[gate].listener, (struct sockaddr*)&arrival.address,
                                     &arrival.address_size, SOCK_CLOEXEC);
        if (arrival.descriptor < 0) {
            if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
                return;
            makeRoomFor(0);
            poll(0, 0, pauseWithoutDescriptors);
            return;
        }
        struct Guest* guest = findPlace(&arrival.address);
        *guest =
            (struct Guest){.arrival = arrival, .gate = gate, .due = now() + MESHREEL_GREETING_SECONDS * 1000};
        ++guestCount;
        if (watch(arrival.descriptor, EPOLLIN | EPOLLRDHUP, ofGuest, (int)(guest - room)) != 0) {
            --guestCount;
            guest->arrival.descriptor = -1;
            close(arrival.descriptor);
        }
    }
}

/// The program closed its end.
static void shut(int gate) {
    pthread_mutex_lock(&gateLock);
    close(gates[gate].listener);
    close(gates[gate].inner);
    gates[gate].outer = -1;
    pthread_mutex_unlock(&gateLock);
    for (int i = 0; i < MESHREEL_WAITING_ROOM; ++i)
        if (room[i].arrival.descriptor >= 0 && room[i].gate == gate)
            sendAway(&room[i]);
}

static int timeToNextDue(void) {
    if (guestCount == 0)
        return -1;
    int64_t next = INT64_MAX;
    const int64_t time = now();
    for (int i = 0; i < MESHREEL_WAITING_ROOM; ++i) {
        struct Guest* guest = &room[i];
        if (guest->arrival.descriptor >= 0 && guest->due <= time)
            sendAway(guest);
        else if (guest->arrival.descriptor >= 0 && guest->due < next)
            next = guest->due;
    }
    return guestCount == 0 ? -1 : (int)(next - time);
}

static void* keepGates(void* nothing) {
    (void)nothing;
    while (1) {
        struct epoll_event events[eventsAtOnce];
        const int count = epoll_wait(watched, events, eventsAtOnce, timeToNextDue());
        for (int i = 0; i < count; ++i) {
            const int index = (int)(uint32_t)events[i].data.u64;
            // A place may be empty by now, or another one's, who is asked too early then.
            switch ((enum Subject)(events[i].data.u64 >> 32)) {
                case ofListener:
                    if (gates[index].outer >= 0)
                        receive(index);
                    break;
                case ofInner:
                    if (gates[index].outer >= 0)
                        shut(index);
                    break;
                case ofGuest:
                    if (room[index].arrival.descriptor >= 0)
                        hear(&room[index]);
                    break;
            }
        }
    }
    return 0;
}

/// Called with the lock.
static int hirePorter(const unsigned char* secret) {
    if (watched >= 0)
        return 0;
    memcpy(expected, secret, sizeof expected);
    for (int i = 0; i < MESHREEL_WAITING_ROOM; ++i)
        room[i].arrival.descriptor = -1;
    watched = epoll_create1(EPOLL_CLOEXEC);
    if (watched < 0)
        return -1;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t porter;
    const int failure = pthread_create(&porter, 0, keepGates, 0);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    if (failure == 0) {
        pthread_detach(porter);
        return 0;
    }
    close(watched);
    watched = -1;
    errno = failure;
    return -1;
}

static ino_t socketOf(int descriptor) {
    struct stat info;
    return fstat(descriptor, &info) == 0 ? info.st_ino : 0;
}

/// Called with the lock.
static struct Gate* findGate(int descriptor) {
    for (int i = 0; i < gateCount; ++i)
        if (gates[i].outer == descriptor && gates[i].outerSocket == socketOf(descriptor))
            return &gates[i];
    return 0;
}

/// Called with the lock; the place in `gates`, or -1.
static int findFreeGate(void) {
    for (int i = 0; i < gateCount; ++i)
        if (gates[i].outer < 0)
            return i;
    if (gateCount < mostGates)
        return gateCount++;
    errno = EMFILE;
    return -1;
}

/// Puts a pair in the place of the listening socket, whose flags it gets. Called with the lock.
static int replace(int listener, const unsigned char* secret) {
    const int status = fcntl(listener, F_GETFL);
    const int onExec = fcntl(listener, F_GETFD);
    const int kept = fcntl(listener, F_DUPFD_CLOEXEC, 0);
    int pair[2] = {-1, -1};
    int index = -1;
    if (kept < 0 || hirePorter(secret) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 || (index = findFreeGate()) < 0)
        goto failed;
    gates[index] = (struct Gate){.listener = kept, .inner = pair[0], .outer = -1};
    if (fcntl(kept, F_SETFL, status | O_NONBLOCK) != 0 || fcntl(pair[1], F_SETFL, status & O_NONBLOCK) != 0 ||
        dup3(pair[1], listener, onExec & FD_CLOEXEC ? O_CLOEXEC : 0) < 0)
        goto failed;
    close(pair[1]);
    gates[index].outerSocket = socketOf(listener);
    gates[index].outer = listener;
    // From here on the gate is the porter's, who shuts it when the program closes its end.
    if (watch(pair[0], EPOLLRDHUP, ofInner, index) != 0 || watch(kept, EPOLLIN, ofListener, index) != 0)
        return -1;
    return 0;
failed : {
    const int reason = errno;
    for (int i = 0; i < 2; ++i)
        if (pair[i] >= 0)
            close(pair[i]);
    if (kept >= 0)
        close(kept);
    errno = reason;
    return -1;
}
}

int meshreel_gate_open(int listener, const unsigned char* secret) {
    pthread_mutex_lock(&gateLock);
    const int result = findGate(listener) != 0 ? 0 : replace(listener, secret);
    pthread_mutex_unlock(&gateLock);
    return result;
}

int meshreel_gate_is(int descriptor) {
    pthread_mutex_lock(&gateLock);
    const int result = findGate(descriptor) != 0;
    pthread_mutex_unlock(&gateLock);
    return result;
}

int meshreel_gate_name(int descriptor, struct sockaddr* address, socklen_t* size) {
    pthread_mutex_lock(&gateLock);
    const struct Gate* gate = findGate(descriptor);
    const int listener = gate != 0 ? gate->listener : -1;
    pthread_mutex_unlock(&gateLock);
    return getsockname(listener, address, size);
}
