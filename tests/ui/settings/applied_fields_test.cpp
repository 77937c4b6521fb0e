// SPDX-License-Identifier: GPL-3.0-or-later
// Fields whose value leaves it to the program show what applies, never a bare 0 or -1.
#include <QLineEdit>
#include <QTest>

#include "engine/planning/applied_values.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "ui/project/project_document.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/settings/project_editor.h"
#include "ui/widgets/edits.h"

using namespace meshreel;

class AppliedFieldsTest : public QObject {
    Q_OBJECT

  private slots:
    void noFieldShowsABareSentinel();
    void thePlansValueStandsInTheField();
    void wordsFitTheirFields();
};

namespace {

/// What is read in the field of a row; empty for fields without a line of text.
QString readIn(const KeyRow& row) {
    if (const auto* number = row.field().findChild<NumberEdit*>())
        return number->shownText();
    const auto* line = row.field().findChild<QLineEdit*>();
    if (line == nullptr)
        return {};
    return line->text().isEmpty() ? line->placeholderText() : line->text();
}

QString asText(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

void AppliedFieldsTest::noFieldShowsABareSentinel() {
    ProjectDocument document;
    ProjectEditor editor(document);
    editor.setShowsAdvanced(true);
    editor.show();
    int shown = 0;
    for (const ProjectKey& key : projectKeys()) {
        const std::optional<std::string> automatic = automaticValue(key);
        if (!automatic)
            continue;
        document.setText(key, QString::fromStdString(*automatic));
        const QString read = readIn(*editor.row(asText(key.name)));
        QVERIFY2(!read.isEmpty() && read.front().isLetter(), key.name.data());
        ++shown;
    }
    QVERIFY(shown > 30);
    document.undoStack().clear();
}

void AppliedFieldsTest::thePlansValueStandsInTheField() {
    ProjectDocument document;
    ProjectEditor editor(document);
    editor.setShowsAdvanced(true);
    editor.show();
    const auto read = [&editor](const char* key) { return readIn(*editor.row(QLatin1String(key))); };
    QCOMPARE(read("flash_block_sizes.block_q"), QStringLiteral("automatic"));
    const ProjectForecast forecast = makeForecast(document.project());
    QVERIFY(forecast.plan != nullptr);
    editor.showPlan(forecast.plan.get());
    const auto block = forecast.plan->attentions.self.blocks.blockQ;
    QCOMPARE(read("flash_block_sizes.block_q"),
             QStringLiteral("auto (%1)").arg(QLocale().toString(static_cast<qlonglong>(block))));
    QCOMPARE(read("memory_budget"), QStringLiteral("all in memory"));
    QCOMPARE(read("guidance_scale_high"), QStringLiteral("automatic"));  // of one transformer
    // What is typed wins, and the value itself is what the project has.
    QCOMPARE(editor.row(QStringLiteral("flash_block_sizes.block_q"))->field().text(), QStringLiteral("0"));
    document.setText(*findProjectKey("flash_block_sizes.block_q"), QStringLiteral("64"));
    QCOMPARE(read("flash_block_sizes.block_q"), QStringLiteral("64"));
    editor.showPlan(nullptr);
    QCOMPARE(read("flash_block_sizes.block_kv"), QStringLiteral("automatic"));
    document.undoStack().clear();
}

void AppliedFieldsTest::wordsFitTheirFields() {
    ProjectDocument document;
    ProjectEditor editor(document);
    editor.setShowsAdvanced(true);
    editor.resize(420, 800);
    editor.show();
    editor.showPlan(makeForecast(document.project()).plan.get());
    for (const ProjectKey& key : projectKeys()) {
        const auto* number = editor.row(asText(key.name))->field().findChild<NumberEdit*>();
        if (number == nullptr || key.automatic.empty())
            continue;
        const auto* line = number->findChild<QLineEdit*>();
        QVERIFY2(line->fontMetrics().horizontalAdvance(line->text()) < line->width(), key.name.data());
    }
    document.undoStack().clear();
}

MESHREEL_TEST_CLASS(AppliedFieldsTest)
#include "applied_fields_test.moc"
