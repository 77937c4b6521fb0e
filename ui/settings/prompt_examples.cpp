// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/prompt_examples.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"

namespace meshreel {

namespace {

struct PromptExamples {
    Q_DECLARE_TR_FUNCTIONS(meshreel::PromptExamples)
};

/// The kinds of motion that the table names.
struct MotionWord {
    const char* name;
    const char* title;
};

constexpr std::array motionWords{
    MotionWord{"moving", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Moving")},
    MotionWord{"growing", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Growing")},
    MotionWord{"shrinking", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Shrinking")},
    MotionWord{"rising", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Rising")},
    MotionWord{"falling", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Falling")},
    MotionWord{"bouncing", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Bouncing")},
    MotionWord{"spinning", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Spinning")},
    MotionWord{"still", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Standing still")},
    MotionWord{"driving", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Driving")},
    MotionWord{"walking", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Walking")},
    MotionWord{"flight", QT_TRANSLATE_NOOP("meshreel::PromptExamples", "Camera flight")},
};

QString titleOfMotion(const QString& name) {
    const auto found = std::ranges::find_if(
        motionWords, [&name](const MotionWord& word) { return name == QLatin1String(word.name); });
    return found == motionWords.end() ? name : PromptExamples::tr(found->title);
}

std::filesystem::path exampleFolder() {
    return resourceFolder() / "examples";
}

QJsonArray readTable() {
    try {
        const std::string text = readFile(exampleFolder() / "prompts.json");
        return QJsonDocument::fromJson(QByteArray::fromStdString(text))
            .object()
            .value(QLatin1String("examples"))
            .toArray();
    } catch (const Error&) {
        return {};  // a damaged installation; the model's problem tells of it
    }
}

/// Of the model of this name; of an empty one, for large models.
std::vector<PromptExample> examplesOf(const QString& model) {
    std::vector<PromptExample> examples;
    for (const auto& row : readTable()) {
        const QJsonObject example = row.toObject();
        if (example.value(QLatin1String("model")).toString() != model)
            continue;
        const QString image = example.value(QLatin1String("image")).toString();
        examples.push_back(
            {.motion = titleOfMotion(example.value(QLatin1String("motion")).toString()),
             .prompt = example.value(QLatin1String("prompt")).toString(),
             .image = image.isEmpty()
                          ? QString()
                          : QString::fromStdString((exampleFolder() / image.toStdString()).string())});
    }
    return examples;
}

}  // namespace

QStringList promptsOfCard(const QString& card) {
    static const QRegularExpression section(
        QStringLiteral("^## What to ask for\\s*$(.*?)(?=^## |\\z)"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    QStringList prompts;
    for (const QString& line : section.match(card).captured(1).split(QLatin1Char('\n')))
        if (line.startsWith(QLatin1String("    ")) && !line.trimmed().isEmpty())
            prompts += line.trimmed();
    return prompts;
}

std::vector<PromptExample> promptExamples(const QString& model, const QString& card) {
    if (!model.isEmpty())
        if (std::vector<PromptExample> own = examplesOf(model); !own.empty())
            return own;
    std::vector<PromptExample> examples;
    for (const QString& prompt : promptsOfCard(card))
        examples.push_back({.motion = {}, .prompt = prompt});
    return examples.empty() ? examplesOf({}) : examples;
}

bool isExamplePicture(const QString& path) {
    try {
        return expandTilde(path.toStdString()).parent_path() == exampleFolder();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace meshreel
