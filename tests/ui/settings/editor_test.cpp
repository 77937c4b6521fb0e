// SPDX-License-Identifier: GPL-3.0-or-later
// The form of the project: its fields, what is typed and found in them.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <map>

#include "engine/attention/attention_mode.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project_keys.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/studio/editor_test_case.h"
#include "ui/settings/adapter_field.h"
#include "ui/settings/key_field.h"
#include "ui/settings/key_row.h"
#include "ui/widgets/edits.h"

using namespace meshreel;
using namespace meshreel::testing;

class EditorTest : public EditorTestCase {
    Q_OBJECT

  private slots:
    void hasARowForEveryKey();
    void explainsIllegalValuesInPlace();
    void keepsWhatWasTyped();
    void doesNotScoldBeforeAnythingWasTyped();
    void explainsWhatKeysDemandOfEachOther();
    void filesAreDroppedIntoTheirFields();
    void adaptersAreLines();
    void arrowsGoToLegalValues();
    void modesThatDoNotRunCannotBeChosen();
    void searchFindsSettings();
    void searchedWordsMayStandApart();
    void whatWasGoneToIsNotFoundForEver();
    void fieldsBesideOthersHaveTitles();
    void aNarrowFormScrolls();
    void resetsAndCountsChanges();
    void inputsOfOtherTasksAreOutOfSight();
    void goesToHiddenSettings();
};

void EditorTest::hasARowForEveryKey() {
    for (const ProjectKey& key : projectKeys()) {
        const KeyRow* row = m_editor->row(QString::fromStdString(std::string(key.name)));
        QVERIFY2(row != nullptr, std::string(key.name).c_str());
        QCOMPARE(row->field().text().toStdString(), valueText(m_document->project(), key));
        QVERIFY(!row->field().focusProxy()->accessibleName().isEmpty());
        QVERIFY(!row->field().toolTip().isEmpty());
    }
}

void EditorTest::explainsIllegalValuesInPlace() {
    KeyRow& height = rowOf(*m_editor, "height");
    QVERIFY(height.message().isEmpty());
    type(height, QStringLiteral("100"));
    QVERIFY(height.field().isInvalid());
    QVERIFY2(
        height.message().contains(QLatin1String("96")) || height.message().contains(QLatin1String("112")),
        qPrintable(height.message()));
    QVERIFY(m_document->hasErrors());
    type(height, QStringLiteral("96"));
    QVERIFY(!height.field().isInvalid());
    QVERIFY(height.message().isEmpty());
    QVERIFY(!m_document->hasErrors());
    QCOMPARE(m_document->project().height, 96);
}

void EditorTest::keepsWhatWasTyped() {
    KeyRow& frames = rowOf(*m_editor, "num_frames");
    type(frames, QStringLiteral("many"));
    QCOMPARE(frames.field().text(), QStringLiteral("many"));
    QVERIFY(frames.field().isInvalid());
    QCOMPARE(m_document->project().numFrames, Project().numFrames);
}

void EditorTest::doesNotScoldBeforeAnythingWasTyped() {
    m_document->startNew();
    KeyRow& prompt = rowOf(*m_editor, "prompt");
    QVERIFY(m_document->hasErrors());
    QVERIFY(!prompt.message().isEmpty());
    QVERIFY(!prompt.field().isInvalid());
    prompt.field().findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("a ball"));
    QVERIFY(prompt.message().isEmpty());
    QVERIFY(!m_document->hasErrors());
}

void EditorTest::explainsWhatKeysDemandOfEachOther() {
    type(rowOf(*m_editor, "flash_block_sizes.block_kv"), QStringLiteral("512"));
    type(rowOf(*m_editor, "flash_block_sizes.block_kv_compute"), QStringLiteral("300"));
    QVERIFY(m_document->hasErrors());
}

void EditorTest::filesAreDroppedIntoTheirFields() {
    const auto drop = [](QWidget& target, const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls += QUrl::fromLocalFile(file);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(4, 4), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&target, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(4, 4), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&target, &event);
    };
    const auto lineOf = [this](const char* key) {
        return rowOf(*m_editor, key).field().findChild<QLineEdit*>();
    };
    drop(*lineOf("image"), {QStringLiteral("/pictures/a.png"), QStringLiteral("/pictures/b.png")});
    QCOMPARE(m_document->project().image, std::string("/pictures/a.png"));
    drop(*lineOf("reference_images"), {QStringLiteral("/pictures/a.png"), QStringLiteral("/pictures/b.png")});
    drop(*lineOf("reference_images"), {QStringLiteral("/pictures/c.png")});
    QCOMPARE(m_document->project().referenceImages,
             std::string("/pictures/a.png, /pictures/b.png, /pictures/c.png"));
    drop(*lineOf("parts.vae"), {QDir::homePath() + QStringLiteral("/vae.safetensors")});
    QCOMPARE(m_document->text(*findProjectKey("parts.vae")), QStringLiteral("~/vae.safetensors"));
    drop(*lineOf("pretrained_model_name_or_path"), {QStringLiteral("/models/wan")});
    QCOMPARE(m_document->project().model, std::string("/models/wan"));
    m_document->undoStack().undo();
    QVERIFY(m_document->project().model != "/models/wan");
}

void EditorTest::adaptersAreLines() {
    auto* field = dynamic_cast<AdapterField*>(&rowOf(*m_editor, "lora").field());
    QVERIFY(field != nullptr);
    field->add({QStringLiteral("/loras/a.safetensors"), QStringLiteral("/loras/b.safetensors")});
    QCOMPARE(m_document->project().lora.size(), 2U);
    QCOMPARE(m_document->project().lora[1].file, std::string("/loras/b.safetensors"));
    auto* strength = field->findChildren<NumberEdit*>().first();
    strength->findChild<QLineEdit*>()->selectAll();
    QTest::keyClicks(strength->findChild<QLineEdit*>(), QStringLiteral("0.7"));
    QCOMPARE(m_document->project().lora[0].strength, 0.7);
    // One is left out for a while, and is there again as it was.
    auto* use = field->findChildren<QCheckBox*>().first();
    QVERIFY(use->isChecked());
    use->click();
    QCOMPARE(m_document->project().lora[0].strength, 0.0);
    QCOMPARE(m_document->project().lora[0].file, std::string("/loras/a.safetensors"));
    QCOMPARE(strength->value().toDouble(), 0.0);
    use->click();
    QCOMPARE(m_document->project().lora[0].strength, 0.7);
    QCOMPARE(strength->value(), QStringLiteral("0.7"));
    auto* expert = field->findChildren<QComboBox*>().first();
    expert->setCurrentIndex(1);
    emit expert->activated(1);
    QCOMPARE(m_document->project().lora[0].expert, ExpertChoice::High);
    QTest::mouseClick(field->findChildren<QToolButton*>().first(), Qt::LeftButton);
    QCOMPARE(m_document->project().lora.size(), 1U);
    QCOMPARE(m_document->project().lora[0].file, std::string("/loras/b.safetensors"));
    m_document->setText(*findProjectKey("lora"), QStringLiteral("[]"));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(field->findChildren<NumberEdit*>().isEmpty());
}

void EditorTest::arrowsGoToLegalValues() {
    KeyRow& width = rowOf(*m_editor, "width");
    type(width, QStringLiteral("100"));
    QTest::keyClick(width.field().focusProxy(), Qt::Key_Up);
    QCOMPARE(width.field().text(), QStringLiteral("112"));
    QTest::keyClick(width.field().focusProxy(), Qt::Key_Down);
    QCOMPARE(width.field().text(), QStringLiteral("96"));
}

void EditorTest::modesThatDoNotRunCannotBeChosen() {
    const auto* combo = rowOf(*m_editor, "attention").field().findChild<QComboBox*>();
    QVERIFY(combo != nullptr);
    QCOMPARE(combo->count(), static_cast<int>(attentionModes().size()));
    bool anyRefused = false;
    for (int i = 0; i < combo->count(); ++i) {
        const AttentionMode* mode = findAttentionMode(combo->itemText(i).toStdString());
        QVERIFY(mode != nullptr);
        const bool enabled = combo->model()->flags(combo->model()->index(i, 0)).testFlag(Qt::ItemIsEnabled);
        QCOMPARE(enabled, mode->runs());
        const std::string_view reason = mode->runs() ? mode->help : mode->instead;
        QCOMPARE(combo->itemData(i, Qt::ToolTipRole).toString().toStdString(),
                 std::string(mode->name) + ": " + std::string(reason));
        anyRefused = anyRefused || !enabled;
    }
    QVERIFY(anyRefused);
}

void EditorTest::searchFindsSettings() {
    const KeyRow& limit = rowOf(*m_editor, "flash_block_sizes.vmem_limit_bytes");
    const KeyRow& height = rowOf(*m_editor, "height");
    m_editor->setShowsAdvanced(false);
    QVERIFY(!limit.isVisible());
    QTest::keyClicks(&m_editor->search(), QStringLiteral("scratch"));
    QVERIFY(limit.isVisible());
    QVERIFY(!height.isVisible());
    m_editor->search().setText(QStringLiteral("ULYSSES_RING"));  // a choice of the attention key
    QVERIFY(rowOf(*m_editor, "attention").isVisible());
    m_editor->search().setText(QStringLiteral("no such setting"));
    QVERIFY(std::ranges::none_of(projectKeys(), [this](const ProjectKey& key) {
        return m_editor->row(QString::fromStdString(std::string(key.name)))->isVisible();
    }));
    m_editor->search().clear();
    QVERIFY(height.isVisible());
}

void EditorTest::searchedWordsMayStandApart() {
    const std::map<const char*, const char*> searches{
        {"shift flow", "flow_shift"}, {"guidance scale", "guidance_scale"}, {"frames length", "num_frames"}};
    for (const auto& [words, key] : searches) {
        m_editor->search().setText(QLatin1String(words));
        QVERIFY2(rowOf(*m_editor, key).isVisible(), words);
        QVERIFY2(!rowOf(*m_editor, "seed").isVisible(), words);
    }
    m_editor->search().setText(QStringLiteral("flow zzzqqq"));
    QVERIFY(!rowOf(*m_editor, "flow_shift").isVisible());
}

void EditorTest::whatWasGoneToIsNotFoundForEver() {
    const KeyRow& height = rowOf(*m_editor, "height");
    m_editor->search().setText(QStringLiteral("seed"));
    m_editor->goTo(QStringLiteral("height"));
    QVERIFY(height.isVisible());
    m_document->setText(*findProjectKey("seed"), QStringLiteral("5"));
    QVERIFY(height.isVisible());  // while nothing else is asked for
    m_editor->search().setText(QStringLiteral("zzzqqq"));
    QVERIFY(!height.isVisible());
    QVERIFY(std::ranges::any_of(m_editor->findChildren<QLabel*>(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("zzzqqq"));
    }));
}

void EditorTest::fieldsBesideOthersHaveTitles() {
    for (const ProjectKey& key : projectKeys()) {
        const KeyRow* row = m_editor->row(QString::fromStdString(std::string(key.name)));
        if (row->field().extent() != KeyField::Extent::Paragraph)
            QVERIFY2(row->leastTitleWidth() > 0, std::string(key.name).c_str());
    }
}

void EditorTest::aNarrowFormScrolls() {
    const auto* form = m_editor->findChild<QScrollArea*>();
    constexpr int narrow = 220;
    m_editor->resize(narrow, m_editor->height());
    QCoreApplication::processEvents();
    QVERIFY(form->viewport()->width() < form->widget()->width());
    QVERIFY(form->horizontalScrollBar()->isVisible());
    QCOMPARE(form->horizontalScrollBar()->maximum(), form->widget()->width() - form->viewport()->width());
}

void EditorTest::resetsAndCountsChanges() {
    const int before = m_document->changedKeys();
    KeyRow& seed = rowOf(*m_editor, "seed");
    type(seed, QStringLiteral("99"));
    QVERIFY(seed.isChanged());
    QCOMPARE(m_document->changedKeys(), before + 1);
    emit seed.resetRequested();
    QVERIFY(!seed.isChanged());
    QCOMPARE(seed.field().text(), QStringLiteral("0"));
    m_document->undoStack().undo();
    QCOMPARE(seed.field().text(), QStringLiteral("99"));
}

void EditorTest::inputsOfOtherTasksAreOutOfSight() {
    KeyRow& image = rowOf(*m_editor, "image");
    const KeyRow& strength = rowOf(*m_editor, "strength");
    QVERIFY(!image.isVisible());  // as the model is not known yet
    m_editor->setFamily(familyOfArchitecture("wan2.1-t2v-1.3b"));
    QVERIFY(!image.isVisible());
    QVERIFY(strength.isVisible());
    m_editor->search().setText(QStringLiteral("First image"));
    QVERIFY(image.isVisible());
    m_editor->search().clear();
    m_document->setText(*findProjectKey("task"), QStringLiteral("i2v"));
    QVERIFY(image.isVisible());
    QVERIFY(!strength.isVisible());
    m_document->undoStack().undo();
    QVERIFY(!image.isVisible());
    m_editor->setFamily(familyOfArchitecture("wan2.2-i2v-a14b"));
    QVERIFY(image.isVisible());
    const KeyRow& references = rowOf(*m_editor, "reference_images");
    const KeyRow& byPictures = rowOf(*m_editor, "guidance_scale_image");
    const KeyRow& tracks = rowOf(*m_editor, "tracks");
    QVERIFY(!references.isVisible() && !byPictures.isVisible() && !tracks.isVisible());
    m_editor->setFamily(familyOfArchitecture("wan2.1-phantom"));
    QVERIFY(references.isVisible() && byPictures.isVisible() && !image.isVisible());
    m_editor->setFamily(familyOfArchitecture("wan2.1-ati"));
    QVERIFY(image.isVisible() && tracks.isVisible() && !references.isVisible());
    m_editor->setFamily(familyOfArchitecture("wan2.1-t2v-1.3b"));
    type(image, QStringLiteral("cat.png"));
    QVERIFY(image.isVisible());
    m_document->undoStack().undo();
    m_editor->setFamily(nullptr);  // a model that cannot be read
    QVERIFY(image.isVisible() && strength.isVisible());
}

void EditorTest::goesToHiddenSettings() {
    m_editor->setShowsAdvanced(false);
    KeyRow& workers = rowOf(*m_editor, "workers");
    QVERIFY(!workers.isVisible());
    m_editor->goTo(QStringLiteral("workers"));
    QVERIFY(workers.isVisible());
    QVERIFY(workers.field().isVisible());
}

MESHREEL_TEST_CLASS(EditorTest)
#include "editor_test.moc"
