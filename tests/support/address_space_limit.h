// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace meshreel::testing {

/// Within the scope this process may map only `room` bytes more than it has mapped (RLIMIT_AS).
class AddressSpaceLimit {
  public:
    explicit AddressSpaceLimit(rlim_t room) {
        ::getrlimit(RLIMIT_AS, &m_before);
        const rlimit limit{mapped() + room, m_before.rlim_max};
        if (::setrlimit(RLIMIT_AS, &limit) != 0)
            throw std::runtime_error("RLIMIT_AS cannot be set");
    }
    ~AddressSpaceLimit() { ::setrlimit(RLIMIT_AS, &m_before); }
    AddressSpaceLimit(const AddressSpaceLimit&) = delete;
    AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

  private:
    static rlim_t mapped() {
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    }

    rlimit m_before{};
};

}  // namespace meshreel::testing
