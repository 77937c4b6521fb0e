// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/published_caches.h"

#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/models/families/model_family.h"

namespace meshreel {

std::optional<PublishedCurve> publishedCurve(const ModelFacts& model, std::int64_t height) {
    const nlohmann::json file = readJsonObject(resourceFolder() / "magcache" / "curves.json");
    for (const nlohmann::json& row : file.at("curves")) {
        if (row.at("family").get<std::string>() != plainFamily(*model.family).name ||
            height < row.at("from_height").get<std::int64_t>())
            continue;
        PublishedCurve curve{.ratios = row.at("mag_ratios_base").get<std::vector<double>>(),
                             .threshold = row.at("threshold").get<double>(),
                             .layers = row.at("layers").get<std::int64_t>(),
                             .flowShift = {}};
        if (row.at("flow_shift").is_number())
            curve.flowShift = row.at("flow_shift").get<double>();
        return curve;
    }
    return std::nullopt;
}

const TeaCacheRow* publishedTeaCache(const ModelFacts& model, std::int64_t height) {
    return publishedTeaCache(plainFamily(*model.family).name, model.transformer.layers, height);
}

}  // namespace meshreel
