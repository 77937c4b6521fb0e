// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "engine/base/json_file.h"
#include "engine/models/probe.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/locations.h"

namespace meshreel {

/// A committed golden case: what upstream computed.
class GoldenFolder {
  public:
    explicit GoldenFolder(const std::string& name)
        : m_folder(testing::testData() / "golden" / name),
          m_io(SafetensorsFile::open(m_folder / "io.safetensors")) {
        const nlohmann::json tolerance = readJsonObject(m_folder / "case.json").at("tolerance");
        m_absolute = tolerance.at("abs").get<double>();
        m_relative = tolerance.at("rel").get<double>();
    }

    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return m_folder / name; }
    [[nodiscard]] Tensor tensor(const std::string& name) const { return m_io.get(name); }
    [[nodiscard]] bool has(const std::string& name) const { return m_io.has(name); }

    /// Passes when max|value - golden| <= abs + rel·max|golden|, the rule of the golden files.
    void expectNear(const std::string& name, const Tensor& value) {
        SCOPED_TRACE(name);
        m_checked.insert(name);
        const Tensor golden = m_io.get(name).toF32();
        ASSERT_EQ(value.shape(), golden.shape());
        const auto expected = golden.data<float>();
        const auto found = value.data<float>();
        double error = 0.0;
        double largest = 0.0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_TRUE(std::isfinite(found[i])) << "at " << i;
            error =
                std::max(error, std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
            largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
        }
        EXPECT_LE(error, m_absolute + m_relative * largest);
        ::testing::Test::RecordProperty(name, std::to_string(error));
    }

    /// A probe that checks what the case holds of variant `variant`.
    [[nodiscard]] Probe probe(const std::string& variant) {
        return [this, variant](std::string_view name, const Tensor& value) {
            const std::string full = variant + "." + std::string(name);
            if (has(full))
                expectNear(full, value);
        };
    }

    /// Outputs of the case that nothing was compared with; inputs and the f64 doubles are left out.
    [[nodiscard]] std::set<std::string> unchecked() const {
        std::set<std::string> rest;
        for (const std::string& name : m_io.names())
            if (name.find(".in.") == std::string::npos && !name.ends_with("_f64") &&
                !m_checked.contains(name))
                rest.insert(name);
        return rest;
    }

  private:
    std::filesystem::path m_folder;
    SafetensorsFile m_io;
    double m_absolute = 0.0;
    double m_relative = 0.0;
    std::set<std::string> m_checked;
};

}  // namespace meshreel
