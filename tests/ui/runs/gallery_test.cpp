// SPDX-License-Identifier: GPL-3.0-or-later
// The runs as tiles: what a person does with them by mouse and keyboard, and runs that come by themselves.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QCompleter>
#include <QCoreApplication>
#include <QEvent>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QUrl>
#include <QWindow>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/problem.h"
#include "engine/media/video_writer.h"
#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "tests/support/charts/test_classes.h"
#include "tests/support/made_run.h"
#include "tests/support/studio/real_drag.h"
#include "ui/player/clip_exporter.h"
#include "ui/player/frame_view.h"
#include "ui/player/player_widget.h"
#include "ui/runs/filter_bar.h"
#include "ui/runs/history_panel.h"
#include "ui/runs/names_edit.h"
#include "ui/runs/run_filter.h"
#include "ui/runs/run_history_model.h"
#include "ui/runs/run_preview.h"
#include "ui/runs/run_tiles.h"
#include "ui/runs/run_watch.h"
#include "ui/values/background.h"

using namespace meshreel;
using namespace meshreel::testing;

namespace {

constexpr int shownRuns = 6;
constexpr int frames = 4;
constexpr int side = 32;
constexpr QSize panelSize{700, 520};

/// Grey frames, each lighter than the one before.
void makeClip(const std::filesystem::path& run, int level) {
    std::vector<std::uint8_t> values(static_cast<std::size_t>(frames) * side * side * 3);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint8_t>(level + 20 * static_cast<int>(i / (values.size() / frames)));
    VideoOptions options;
    options.format = VideoFormat::Png;
    writeVideo(run / "video", Tensor::from<std::uint8_t>({frames, side, side, 3}, values), options);
    QImage picture(side, side, QImage::Format_RGB32);
    picture.fill(QColor(level, 0, 0));
    picture.save(QString::fromStdString((run / run_file::preview).string()), "PNG");
}

/// A finished run that differs from the others in all that is filtered.
void makeGalleryRun(const std::filesystem::path& path, int number) {
    makeRun(path, number);
    makeClip(path, 40 + 10 * number);
    const RunFolder run = RunFolder::open(path);
    RunState state = run.state();
    state.prompt = "ball number " + std::to_string(number);
    state.outline->task = number % 2 == 0 ? "t2v" : "i2v";
    state.outline->model = number < 2 ? "wan-a" : "wan-b";
    state.settings = {"seed=" + std::to_string(number), "prompt=" + state.prompt};
    if (number == 4)
        state.settings.emplace_back("lora=[{file: mist.safetensors, strength: 0.5}]");
    run.writeState(state);
}

/// Does something once, when a reading in the background is done and the watch has not got it yet.
class BeforeTheResult : public QObject {
  public:
    BeforeTheResult(const RunWatch& watch, std::function<void()> act)
        : m_watch(watch), m_act(std::move(act)) {
        QCoreApplication::instance()->installEventFilter(this);
    }

    bool eventFilter(QObject* object, QEvent* event) override {
        const bool isResult = event->type() == QEvent::MetaCall && object->parent() == &m_watch &&
                              qobject_cast<Background*>(object) != nullptr;
        if (isResult && m_act)
            std::exchange(m_act, nullptr)();
        return false;
    }

  private:
    const RunWatch& m_watch;
    std::function<void()> m_act;
};

QAction* entryOf(const QMenu& menu, const QString& title) {
    const QList<QAction*> actions = menu.actions();
    const auto found = std::ranges::find_if(actions, [&](const QAction* a) { return a->text() == title; });
    return found == actions.end() ? nullptr : *found;
}

}  // namespace

class GalleryTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void tilesAndTableAreOneList();
    void tilesFillTheWidthAtAnySize();
    void picturesComeLater();
    void aTilePlaysUnderThePointer();
    void aStarIsGivenByClickAndKey();
    void aStarInTheTableIsAClick();
    void starsTagsAndBoardsGoWhereTheFolderGoes();
    void everyFieldFilters_data();
    void everyFieldFilters();
    void daysFilter();
    void todayEndsAtMidnight();
    void filtersAddUpAndEndByTheirChips();
    void tagsAreEditedForSeveral();
    void namesAreCompleted();
    void spaceOpensALargePreviewAndArrowsGoOn();
    void aTileIsDragged();
    void videosAreCopiedTogether();
    void videosThatCannotBeCopiedDoNotHinderTheOthers();
    void theSeedIsNotCut();
    void notesThatCannotBeReadAreToldAndKept();
    void newRunsStandInOrder();
    void runsOfOthersAppearByThemselves();
    void aStarGivenDuringAReadingStays();
    void whatIsLookedAtStays();

  private:
    [[nodiscard]] std::filesystem::path runPath(int number) const {
        return m_folder->filePath(QStringLiteral("runs/run%1").arg(number)).toStdString();
    }
    [[nodiscard]] QString runText(int number) const {
        return QString::fromStdString(runPath(number).string());
    }
    [[nodiscard]] QModelIndex tileOf(int number) const {
        return m_panel->filter().mapFromSource(m_model->indexOf(runText(number)));
    }
    [[nodiscard]] QPoint middleOf(int number) const { return tiles().visualRect(tileOf(number)).center(); }
    [[nodiscard]] RunTiles& tiles() const { return m_panel->tiles(); }
    [[nodiscard]] RunFilter& filter() const { return m_panel->filter(); }
    void list() { m_model->setRuns(listRuns(m_folder->filePath(QStringLiteral("runs")).toStdString())); }
    /// With the events of the window system.
    void movePointer(const QPoint& place) {
        QTest::mouseMove(m_panel->windowHandle(), tiles().viewport()->mapTo(m_panel.get(), place));
    }
    void choose(const QString& field, const QString& value);
    [[nodiscard]] QStringList chipTexts() const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunHistoryModel> m_model;
    std::unique_ptr<HistoryPanel> m_panel;
};

void GalleryTest::init() {
    m_panel.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    for (int number = 0; number < shownRuns; ++number)
        makeGalleryRun(runPath(number), number);
    m_model = std::make_unique<RunHistoryModel>();
    m_panel = std::make_unique<HistoryPanel>(*m_model);
    m_panel->setView(HistoryPanel::View::Tiles);
    m_panel->resize(panelSize);
    m_panel->show();
    list();
    QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
    m_panel->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
}

void GalleryTest::tilesAndTableAreOneList() {
    const QAbstractItemModelTester tester(m_model.get(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(tiles().isVisible() && !m_panel->table().isVisible());
    QCOMPARE(tiles().model(), m_panel->table().model());
    QCOMPARE(tileOf(5).row(), 0);  // the newest first
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(4));
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, Qt::ControlModifier, middleOf(2));
    const QStringList selected{runText(4), runText(2)};
    QCOMPARE(m_panel->selectedFolders(), selected);
    m_panel->setView(HistoryPanel::View::Table);
    QVERIFY(m_panel->table().isVisible() && !tiles().isVisible());
    QCOMPARE(m_panel->selectedFolders(), selected);
    m_panel->table().sortByColumn(RunHistoryModel::Run, Qt::AscendingOrder);
    m_panel->table().setCurrentIndex(tileOf(3).siblingAtColumn(RunHistoryModel::Note));
    m_panel->setView(HistoryPanel::View::Tiles);
    QCOMPARE(tileOf(0).row(), 0);
    QCOMPARE(tiles().currentIndex(), tileOf(3));
    tiles().setFocus();
    QTest::keyClick(&tiles(), Qt::Key_Right);
    QCOMPARE(m_panel->selectedFolder(), runText(4));
    QSignalSpy opened(m_panel.get(), &HistoryPanel::openRequested);
    QTest::keyClick(&tiles(), Qt::Key_Return);
    QCOMPARE(opened.count(), 1);
    QCOMPARE(opened.first().first().toString(), runText(4));
}

void GalleryTest::tilesFillTheWidthAtAnySize() {
    for (const int width : {260, 420, 700, 1100, 1900}) {
        m_panel->resize(width, panelSize.height());
        QApplication::processEvents();
        const int room = tiles().viewport()->width();
        const int columns = std::max(room / tiles().cell().width(), 1);
        QVERIFY2(room - columns * tiles().cell().width() <= columns + 1,
                 qPrintable(QStringLiteral("%1 of %2").arg(tiles().cell().width()).arg(room)));
        const QRect first = tiles().visualRect(tileOf(5));
        QCOMPARE(first.size(), tiles().cell());
        if (columns > 1) {
            QCOMPARE(tiles().visualRect(tileOf(4)).top(), first.top());
            QCOMPARE(tiles().visualRect(tileOf(4)).left(), first.right() + 1);
        }
        if (columns < shownRuns)
            QVERIFY(tiles().visualRect(filter().index(columns, 0)).top() > first.top());
        QCOMPARE(tiles().horizontalScrollBar()->maximum(), 0);
    }
}

void GalleryTest::picturesComeLater() {
    QSignalSpy changed(m_model.get(), &QAbstractItemModel::dataChanged);
    const auto picture = [&](int number) {
        return m_model->indexOf(runText(number)).data(Qt::DecorationRole).value<QPixmap>();
    };
    QTRY_VERIFY(!picture(3).isNull());
    QCOMPARE(picture(3).toImage().pixelColor(5, 5), QColor(70, 0, 0));
    // Of a run that is decoded again it is read again.
    QImage other(side, side, QImage::Format_RGB32);
    other.fill(Qt::blue);
    QVERIFY(other.save(QString::fromStdString((runPath(3) / run_file::preview).string()), "PNG"));
    std::filesystem::last_write_time(runPath(3) / run_file::preview,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    list();
    QTRY_VERIFY(!picture(3).isNull() && picture(3).toImage().pixelColor(5, 5) == QColor(Qt::blue));
    // What is no picture is not read at every painting.
    writeFileAtomically(runPath(2) / run_file::preview, "no picture");
    list();
    QVERIFY(QTest::qWaitFor([&] { return picture(2).isNull(); }));
    QVERIFY(!tiles().grab().isNull());
}

void GalleryTest::aTilePlaysUnderThePointer() {
    movePointer(middleOf(5));
    QTRY_VERIFY(!tiles().frameAt(tileOf(5)).isNull());
    QVERIFY(tiles().frameAt(tileOf(4)).isNull());
    QVERIFY(tiles().playback().isPlaying());
    const QImage first = tiles().frameAt(tileOf(5));
    QTRY_VERIFY(tiles().frameAt(tileOf(5)) != first);
    movePointer(middleOf(3));
    QVERIFY(tiles().frameAt(tileOf(5)).isNull());
    QTRY_VERIFY(!tiles().frameAt(tileOf(3)).isNull());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(tiles().viewport(), &leave);
    QVERIFY(tiles().frameAt(tileOf(3)).isNull());
    QVERIFY(!tiles().playback().isPlaying());
}

void GalleryTest::aStarIsGivenByClickAndKey() {
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(1));
    const QRect star = TileDelegate::starIn(tiles().visualRect(tileOf(4)), Qt::LeftToRight);
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, star.center());
    QVERIFY(readRunNotes(runPath(4)).star);
    QCOMPARE(m_panel->selectedFolders(), QStringList{runText(1)});  // what is selected stays
    QTest::keyClick(&tiles(), Qt::Key_S);
    QVERIFY(readRunNotes(runPath(1)).star);
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, Qt::ControlModifier, middleOf(3));
    QTest::keyClick(&tiles(), Qt::Key_S);  // one of the two has none
    QVERIFY(readRunNotes(runPath(1)).star && readRunNotes(runPath(3)).star);
    QTest::keyClick(&tiles(), Qt::Key_S);
    QVERIFY(!readRunNotes(runPath(1)).star && !readRunNotes(runPath(3)).star);
    QVERIFY(!std::filesystem::exists(runPath(1) / "notes.json"));
    QVERIFY(readRunNotes(runPath(4)).star);
}

void GalleryTest::aStarInTheTableIsAClick() {
    m_panel->setView(HistoryPanel::View::Table);
    m_panel->resize(1200, panelSize.height());
    const QModelIndex cell = tileOf(2).siblingAtColumn(RunHistoryModel::Star);
    m_panel->table().scrollTo(cell);
    QTest::mouseClick(m_panel->table().viewport(), Qt::LeftButton, {},
                      m_panel->table().visualRect(cell).center());
    QVERIFY(readRunNotes(runPath(2)).star);
    QCOMPARE(cell.data(Qt::AccessibleTextRole).toString(), QStringLiteral("Starred"));
}

void GalleryTest::starsTagsAndBoardsGoWhereTheFolderGoes() {
    const QModelIndex run = m_model->indexOf(runText(3));
    QVERIFY(m_model->setData(run, true, RunHistoryModel::StarRole));
    QVERIFY(
        m_model->setData(run.siblingAtColumn(RunHistoryModel::Boards), QStringLiteral("harbour, spring")));
    QVERIFY(m_model->setData(run.siblingAtColumn(RunHistoryModel::Tags), QStringLiteral("best")));
    const std::filesystem::path elsewhere = m_folder->filePath(QStringLiteral("runs/moved")).toStdString();
    std::filesystem::rename(runPath(3), elsewhere);
    list();
    const QModelIndex moved = m_model->indexOf(QString::fromStdString(elsewhere.string()));
    QVERIFY(moved.data(RunHistoryModel::StarRole).toBool());
    QCOMPARE(moved.siblingAtColumn(RunHistoryModel::Boards).data().toString(),
             QStringLiteral("harbour, spring"));
    QCOMPARE(m_model->allTags(), QStringList{QStringLiteral("best")});
    QVERIFY(!m_model->indexOf(runText(3)).isValid());
}

void GalleryTest::choose(const QString& field, const QString& value) {
    QMenu* menu = m_panel->filterBar().menuButton().menu();
    emit menu->aboutToShow();
    QAction* of = entryOf(*menu, field);
    QVERIFY2(of != nullptr && of->menu() != nullptr && of->isEnabled(), qPrintable(field));
    QAction* entry = entryOf(*of->menu(), value);
    QVERIFY2(entry != nullptr, qPrintable(value));
    entry->trigger();
}

QStringList GalleryTest::chipTexts() const {
    QStringList texts;
    for (const QToolButton* chip : m_panel->filterBar().chips().chips())
        texts += chip->text();
    return texts;
}

void GalleryTest::everyFieldFilters_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QList<int>>("runs");
    QTest::newRow("model") << "Model"
                           << "wan-a" << QList<int>{1, 0};
    QTest::newRow("task") << "Task"
                          << "Image to video" << QList<int>{5, 3, 1};
    QTest::newRow("adapter") << "Adapter"
                             << "mist.safetensors" << QList<int>{4};
    QTest::newRow("tag") << "Tag"
                         << "for Ann" << QList<int>{2, 0};
    QTest::newRow("board") << "Board"
                           << "spring" << QList<int>{3};
}

void GalleryTest::everyFieldFilters() {
    QFETCH(QString, field);
    QFETCH(QString, value);
    QFETCH(QList<int>, runs);
    for (const int number : {0, 2})
        writeRunNotes(runPath(number), {.tags = {"for Ann"}, .note = ""});
    writeRunNotes(runPath(3), {.tags = {}, .note = "", .star = false, .boards = {"spring"}});
    list();
    QCOMPARE(m_panel->filterBar().count(), QStringLiteral("6"));
    choose(field, value);
    QStringList shown;
    for (int row = 0; row < filter().rowCount(); ++row)
        shown += filter().index(row, 0).data(RunHistoryModel::FolderRole).toString();
    QStringList expected;
    for (const int number : runs)
        expected += runText(number);
    QCOMPARE(shown, expected);
    QCOMPARE(chipTexts(), QStringList{QStringLiteral("%1: %2").arg(field, value)});
    QCOMPARE(m_panel->filterBar().count(), QStringLiteral("%1 of 6").arg(runs.size()));
    choose(field, value);  // again
    QCOMPARE(filter().rowCount(), shownRuns);
    QVERIFY(chipTexts().isEmpty());
}

void GalleryTest::daysFilter() {
    filter().setToday(QDate(2026, 11, 25));  // the day on which the last one began; each is a day older
    choose(QStringLiteral("Started"), QStringLiteral("Today"));
    QCOMPARE(filter().rowCount(), 1);
    choose(QStringLiteral("Started"), QStringLiteral("Last 7 days"));
    QCOMPARE(filter().rowCount(), shownRuns);
    QCOMPARE(chipTexts(), QStringList{QStringLiteral("Last 7 days")});
    filter().setChoice({});
    filter().setToday(QDate(2026, 12, 29));
    choose(QStringLiteral("Started"), QStringLiteral("Last 7 days"));
    QCOMPARE(filter().rowCount(), 0);
    QVERIFY(!tiles().isVisible());
}

void GalleryTest::todayEndsAtMidnight() {
    filter().setToday(QDate(2026, 11, 25));
    choose(QStringLiteral("Started"), QStringLiteral("Today"));
    QCOMPARE(filter().rowCount(), 1);
    filter().setToday(QDate(2026, 11, 26));
    makeGalleryRun(runPath(6), 6);  // begun on that day
    list();
    QCOMPARE(filter().rowCount(), 1);
    QVERIFY(tileOf(6).isValid());
    QCOMPARE(m_panel->filterBar().count(), QStringLiteral("1 of 7"));
}

void GalleryTest::filtersAddUpAndEndByTheirChips() {
    writeRunNotes(runPath(5), {.tags = {}, .note = "", .star = true});
    list();
    choose(QStringLiteral("Task"), QStringLiteral("Image to video"));
    choose(QStringLiteral("Model"), QStringLiteral("wan-b"));
    QCOMPARE(filter().rowCount(), 2);
    QTest::mouseClick(&m_panel->filterBar().starred(), Qt::LeftButton);
    QCOMPARE(filter().rowCount(), 1);
    QTest::keyClicks(&m_panel->search(), QStringLiteral("number 3"));
    QCOMPARE(filter().rowCount(), 0);
    QVERIFY(!tiles().isVisible());
    m_panel->search().clear();
    QCOMPARE(chipTexts().size(), 3);
    for (int left = 3; left > 0; --left) {
        QToolButton* chip = m_panel->filterBar().chips().chips().first();
        QVERIFY(chip->isVisible() && !chip->accessibleName().isEmpty());
        QTest::mouseClick(chip, Qt::LeftButton);
        QCOMPARE(chipTexts().size(), left - 1);
    }
    QCOMPARE(filter().rowCount(), shownRuns);
    QVERIFY(!m_panel->filterBar().starred().isChecked());
}

void GalleryTest::tagsAreEditedForSeveral() {
    writeRunNotes(runPath(4), {.tags = {"best", "long"}, .note = ""});
    writeRunNotes(runPath(5), {.tags = {"best"}, .note = ""});
    list();
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(5));
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, Qt::ControlModifier, middleOf(4));
    QTest::keyClick(&tiles(), Qt::Key_T);
    auto* popup = m_panel->findChild<NamesPopup*>();
    QVERIFY(popup != nullptr && popup->isVisible());
    QCOMPARE(popup->edit().names(), QStringList{QStringLiteral("best")});  // what both have
    popup->edit().setText(QStringLiteral("for Ann"));
    QTest::keyClick(&popup->edit(), Qt::Key_Return);
    QCOMPARE(readRunNotes(runPath(4)).tags, (std::vector<std::string>{"long", "for Ann"}));
    QCOMPARE(readRunNotes(runPath(5)).tags, (std::vector<std::string>{"for Ann"}));
    QTRY_VERIFY(m_panel->findChild<NamesPopup*>() == nullptr);
    m_panel->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
    tiles().setFocus();
    QTest::keyClick(&tiles(), Qt::Key_B);
    popup = m_panel->findChild<NamesPopup*>();
    QVERIFY(popup != nullptr);
    QTest::keyClicks(&popup->edit(), QStringLiteral("spring"));
    QTest::keyClick(&popup->edit(), Qt::Key_Escape);
    QTRY_VERIFY(m_panel->findChild<NamesPopup*>() == nullptr);
    QVERIFY(readRunNotes(runPath(5)).boards.empty());
}

void GalleryTest::namesAreCompleted() {
    NamesEdit edit({QStringLiteral("best"), QStringLiteral("beach"), QStringLiteral("for Ann")});
    edit.show();
    QVERIFY(QTest::qWaitForWindowExposed(&edit));
    QTest::keyClicks(&edit, QStringLiteral("for Ann, bes"));
    QTRY_VERIFY(edit.completer().popup()->isVisible());
    QCOMPARE(edit.completer().currentCompletion(), QStringLiteral("best"));
    emit edit.completer().activated(QStringLiteral("best"));
    QCOMPARE(edit.text(), QStringLiteral("for Ann, best"));
    QCOMPARE(edit.names(), (QStringList{QStringLiteral("for Ann"), QStringLiteral("best")}));
    edit.clear();
    QTest::keyClicks(&edit, QStringLiteral("xyz"));
    QVERIFY(!edit.completer().popup()->isVisible());
}

void GalleryTest::spaceOpensALargePreviewAndArrowsGoOn() {
    RunPreview& preview = m_panel->preview();
    QSignalSpy shown(&preview, &RunPreview::shown);
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(4));
    QTest::keyClick(&tiles(), Qt::Key_Space);
    QVERIFY(preview.isVisible() && !preview.isModal());
    QTRY_COMPARE(shown.count(), 1);
    QCOMPARE(preview.folder(), runText(4));
    QCOMPARE(static_cast<int>(preview.player().clip().frames.size()), frames);
    QVERIFY(preview.player().playback().isPlaying());
    QVERIFY2(preview.settings().toPlainText().contains(QLatin1String("mist.safetensors")),
             qPrintable(preview.settings().toPlainText()));
    QWidget* view = &preview.player().view();
    QTest::keyClick(view, Qt::Key_Right);
    QCOMPARE(preview.folder(), runText(3));
    QCOMPARE(m_panel->selectedFolders(), QStringList{runText(3)});
    QTest::keyClick(view, Qt::Key_Left);
    QTest::keyClick(view, Qt::Key_Left);
    QTest::keyClick(view, Qt::Key_Left);  // there is none before the first
    QCOMPARE(preview.folder(), runText(5));
    QTest::keyClick(view, Qt::Key_S);
    QVERIFY(readRunNotes(runPath(5)).star);
    QTest::keyClick(view, Qt::Key_Space);
    QVERIFY(!preview.isVisible());
    QTest::keyClick(&tiles(), Qt::Key_Space);
    QTest::keyClick(view, Qt::Key_Escape);
    QVERIFY(!preview.isVisible());
    QSignalSpy opened(m_panel.get(), &HistoryPanel::openRequested);
    QTest::keyClick(&tiles(), Qt::Key_Space);
    QTest::keyClick(view, Qt::Key_Return);
    QCOMPARE(opened.count(), 1);
    QVERIFY(!preview.isVisible());
}

void GalleryTest::aTileIsDragged() {
    QWidget target;
    target.resize(200, 100);
    target.show();
    QVERIFY(QTest::qWaitForWindowExposed(&target));
    const DraggedData dragged = dragAndDrop(tiles(), middleOf(3), target, target.rect().center());
    QVERIFY(dragged.began);
    QCOMPARE(dragged.urls, QList<QUrl>{QUrl::fromLocalFile(runText(3) + QStringLiteral("/video"))});
}

void GalleryTest::videosAreCopiedTogether() {
    std::filesystem::remove_all(runPath(2) / "video");
    const std::filesystem::path target = m_folder->filePath(QStringLiteral("copies")).toStdString();
    std::filesystem::create_directory(target);
    ClipExporter& exporter = m_panel->preview().player().exporter();
    QSignalSpy written(&exporter, &ClipExporter::written);
    for (int time = 1; time <= 2; ++time) {
        exporter.copyClips({runText(1), runText(2)}, target);
        QTRY_COMPARE(written.count(), time);
    }
    QVERIFY2(written.first().first().toString().contains(QLatin1String("run2")),
             qPrintable(written.first().first().toString()));
    for (const char* copy : {"run1", "run1-2"})  // nothing is replaced
        QCOMPARE(std::distance(std::filesystem::directory_iterator(target / copy),
                               std::filesystem::directory_iterator()),
                 frames);
    QVERIFY(!std::filesystem::exists(target / "run2"));
    QSignalSpy wrong(&exporter, &ClipExporter::wentWrong);
    exporter.copyClips({runText(2)}, target);
    QTRY_COMPARE(wrong.count(), 1);
}

void GalleryTest::videosThatCannotBeCopiedDoNotHinderTheOthers() {
    const std::filesystem::path target = m_folder->filePath(QStringLiteral("copies")).toStdString();
    std::filesystem::create_directory(target);
    ClipExporter& exporter = m_panel->preview().player().exporter();
    QSignalSpy written(&exporter, &ClipExporter::written);
    QSignalSpy wrong(&exporter, &ClipExporter::wentWrong);
    exporter.copyClips({runText(8), runText(1), runText(9), runText(3)}, target);  // 8 and 9 are gone
    QTRY_COMPARE(wrong.count(), 1);
    const auto problem = wrong.first().first().value<Problem>();
    QVERIFY2(problem.message.text().starts_with('2'), problem.message.text().c_str());
    QVERIFY2(problem.where().find("run8") != std::string::npos, problem.where().c_str());
    QCOMPARE(written.count(), 1);
    for (const char* copy : {"run1", "run3"})
        QVERIFY(std::filesystem::exists(target / copy));
}

void GalleryTest::theSeedIsNotCut() {
    RunState state = RunFolder::open(runPath(0)).state();
    state.settings = {"seed=2147483647"};
    RunFolder::open(runPath(0)).writeState(state);
    list();
    m_panel->setView(HistoryPanel::View::Table);
    m_panel->resize(2560, panelSize.height());
    const QModelIndex seed = tileOf(0).siblingAtColumn(RunHistoryModel::Seed);
    QCOMPARE(seed.data().toString(), QStringLiteral("2147483647"));
    QVERIFY(m_panel->table().sizeHintForIndex(seed).width() <= m_panel->table().visualRect(seed).width());
    // One of all digits that a seed may have, in columns of another session, too narrow for it.
    state.settings = {"seed=18446744073709551615"};
    RunFolder::open(runPath(0)).writeState(state);
    m_panel->table().header()->resizeSection(RunHistoryModel::Seed, 60);
    m_panel->setColumns(m_panel->columns());
    list();
    const auto isWhole = [&](const QModelIndex& cell) {
        return m_panel->table().sizeHintForIndex(cell).width() <= m_panel->table().visualRect(cell).width();
    };
    QTRY_VERIFY(isWhole(tileOf(0).siblingAtColumn(RunHistoryModel::Seed)));
    // Who wants it narrow has it narrow.
    m_panel->table().header()->resizeSection(RunHistoryModel::Seed, 50);
    m_panel->resize(2400, panelSize.height());
    QApplication::processEvents();
    QCOMPARE(m_panel->table().header()->sectionSize(RunHistoryModel::Seed), 50);
}

void GalleryTest::notesThatCannotBeReadAreToldAndKept() {
    writeFileAtomically(runPath(1) / "notes.json", "{\"version\": 99}");
    list();
    const QModelIndex run = m_model->indexOf(runText(1));
    QCOMPARE(run.data().toString(), QStringLiteral("ball number 1"));
    QVERIFY(run.data(RunHistoryModel::FactsRole).toString().contains(QLatin1String("read")));
    QVERIFY(run.data(Qt::ToolTipRole).toString().contains(QLatin1String("notes")));
    QSignalSpy failed(m_model.get(), &RunHistoryModel::notesFailed);
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(1));
    QTest::keyClick(&tiles(), Qt::Key_S);
    QCOMPARE(failed.count(), 1);
    QCOMPARE(readFile(runPath(1) / "notes.json"), std::string("{\"version\": 99}"));
    // No exception of another kind gets into the loop of events.
    const auto refuse = [](RunNotes&) { throw std::runtime_error("the disk is gone"); };
    QVERIFY(!m_model->changeNotes(m_model->indexOf(runText(2)), refuse));
    QCOMPARE(failed.count(), 2);
    QVERIFY(failed.last().first().toString().contains(QLatin1String("the disk is gone")));
}

void GalleryTest::newRunsStandInOrder() {
    const QAbstractItemModelTester tester(m_model.get(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto inOrder = [this] {
        for (int row = 1; row < m_model->rowCount(); ++row)
            if (!isNewerRun(m_model->run(m_model->index(row - 1, 0)), m_model->run(m_model->index(row, 0))))
                return false;
        return true;
    };
    QVERIFY(inOrder());
    std::filesystem::remove_all(runPath(2));
    list();
    makeGalleryRun(runPath(2), 2);  // older than what is there
    makeGalleryRun(runPath(7), 7);
    list();
    QVERIFY(inOrder());
    QCOMPARE(m_model->rowCount(), shownRuns + 1);
    // One that begins again.
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(0));
    RunState state = RunFolder::open(runPath(0)).state();
    state.started = "2026-11-29T08:00:00+0000";
    RunFolder::open(runPath(0)).writeState(state);
    list();
    QVERIFY(inOrder());
    QCOMPARE(m_model->indexOf(runText(0)).row(), 0);
    QCOMPARE(m_panel->selectedFolders(), QStringList{runText(0)});
}

void GalleryTest::runsOfOthersAppearByThemselves() {
    qputenv("MESHREEL_RUNS", m_folder->filePath(QStringLiteral("runs")).toLocal8Bit());
    RunWatch watch(*m_model);
    QSignalSpy read(&watch, &RunWatch::refreshed);
    watch.refresh();
    QTRY_COMPARE(read.count(), 1);
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, {}, middleOf(4));
    QTest::mouseClick(tiles().viewport(), Qt::LeftButton, Qt::ControlModifier, middleOf(1));
    const QStringList selected = m_panel->selectedFolders();
    makeGalleryRun(runPath(7), 7);  // as the command line does
    QTRY_VERIFY(m_model->indexOf(runText(7)).isValid());
    QCOMPARE(tileOf(7).row(), 0);
    QCOMPARE(m_panel->selectedFolders(), selected);
    std::filesystem::remove_all(runPath(3));
    QTRY_VERIFY(!m_model->indexOf(runText(3)).isValid());
    QCOMPARE(m_panel->selectedFolders(), selected);
    // What changes inside a run that is over, the next reading sees.
    watch.setInterval(50);
    writeRunNotes(runPath(5), {.tags = {}, .note = "", .star = true});
    QTRY_VERIFY(m_model->indexOf(runText(5)).data(RunHistoryModel::StarRole).toBool());
}

void GalleryTest::aStarGivenDuringAReadingStays() {
    qputenv("MESHREEL_RUNS", m_folder->filePath(QStringLiteral("runs")).toLocal8Bit());
    const auto isStarred = [this] {
        return m_model->indexOf(runText(5)).data(RunHistoryModel::StarRole).toBool();
    };
    QList<bool> starred;  // behind each reading
    RunWatch watch(*m_model);
    watch.setInterval(60'000);
    connect(&watch, &RunWatch::refreshed, &watch, [&] { starred += isStarred(); });
    makeGalleryRun(runPath(7), 7);
    BeforeTheResult click(watch, [this] {
        QVERIFY(!m_model->indexOf(runText(7)).isValid());
        QVERIFY(m_model->setData(m_model->indexOf(runText(5)), true, RunHistoryModel::StarRole));
    });
    watch.refresh();
    QTRY_VERIFY(starred.size() >= 2);  // it reads again at once
    QVERIFY2(!starred.contains(false), "what was read before the click came back");
    QVERIFY2(m_model->indexOf(runText(7)).isValid(), "the rest of the older reading counts");
    // What the file says later counts again.
    changeRunNotes(runPath(5), [](RunNotes& notes) { notes.star = false; });
    watch.refresh();
    QTRY_VERIFY(!isStarred());
}

void GalleryTest::whatIsLookedAtStays() {
    constexpr int many = 60;
    for (int number = 10; number < many; ++number)
        std::filesystem::copy(runPath(0), runPath(number), std::filesystem::copy_options::recursive);
    list();
    for (const auto view : {HistoryPanel::View::Tiles, HistoryPanel::View::Table}) {
        m_panel->setView(view);
        QAbstractItemView& shown = view == HistoryPanel::View::Tiles
                                       ? static_cast<QAbstractItemView&>(tiles())
                                       : static_cast<QAbstractItemView&>(m_panel->table());
        shown.verticalScrollBar()->setValue(shown.verticalScrollBar()->maximum() / 2);
        const QPersistentModelIndex top = shown.indexAt({10, 10});
        const int y = shown.visualRect(top).top();
        const int first = view == HistoryPanel::View::Tiles ? 100 : 200;
        for (int number = first; number < first + 20; ++number)
            std::filesystem::copy(runPath(5), runPath(number), std::filesystem::copy_options::recursive);
        list();
        QCOMPARE(m_model->rowCount() >= many, true);
        QCOMPARE(shown.visualRect(top).top(), y);
    }
}

MESHREEL_TEST_CLASS(GalleryTest)
#include "gallery_test.moc"
