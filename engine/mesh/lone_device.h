// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/mesh/device_mesh.h"

namespace meshreel {

/// A mesh of one device on workers that exist already: for work that needs a Device and no other devices.
class LoneDevice {
  public:
    /// The workers outlive it.
    explicit LoneDevice(const Execution& execution);
    ~LoneDevice();
    LoneDevice(const LoneDevice&) = delete;
    LoneDevice& operator=(const LoneDevice&) = delete;

    [[nodiscard]] Device& device() { return m_device; }

  private:
    std::unique_ptr<Endpoint> m_endpoint;
    Device m_device;
};

}  // namespace meshreel
